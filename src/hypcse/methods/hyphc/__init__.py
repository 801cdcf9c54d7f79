"""HypHC: leaves on a circle of the hyperbolic disk, trained on triples."""

from hypcse.methods.hyphc.fit import hyphc

__all__ = ["hyphc"]
