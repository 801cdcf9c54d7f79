"""All methods in one registry: features or a graph in, a Tree out."""

from hypcse.methods.clustering import MethodClustering
from hypcse.methods.registry import available, describe, run

__all__ = ["MethodClustering", "available", "describe", "run"]
