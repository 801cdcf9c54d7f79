"""The cases; importing this package fills the registry."""

from benchmarks.cases import graph, metrics

__all__ = ["graph", "metrics"]
