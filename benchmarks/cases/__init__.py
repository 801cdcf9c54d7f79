"""The cases; importing this package fills the registry."""

from benchmarks.cases import decode, discrete, graph, hubs, metrics, objective, reading, viewer

__all__ = ["decode", "discrete", "graph", "hubs", "metrics", "objective", "reading", "viewer"]
