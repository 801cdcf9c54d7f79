"""Every method under one registry: features or a graph in, a Tree out."""

from hypcse.methods.registry import Method, available, describe, run

__all__ = ["Method", "available", "describe", "run"]
