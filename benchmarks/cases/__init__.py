"""The cases; importing this package fills the registry."""

from benchmarks.cases import discrete, graph, metrics, objective

__all__ = ["discrete", "graph", "metrics", "objective"]
