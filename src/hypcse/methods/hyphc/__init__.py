"""HypHC: leaves on a circle of the hyperbolic disk, trained on triples."""
