"""All methods in one registry: features or a graph in, a Tree out."""

from hypcse.methods.clustering import MethodClustering
from hypcse.methods.registry import Method, available, describe, run

__all__ = ["Method", "MethodClustering", "available", "describe", "run"]
