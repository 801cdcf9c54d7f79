"""Methods that find a tree on a graph by linkage."""

from __future__ import annotations

from hypcse.discrete import graph_linkage
from hypcse.discrete.linkage import stretched
from hypcse.graph import Graph
from hypcse.methods.points import Points
from hypcse.methods.progress import Clock
from hypcse.tree import Tree


def average(graph: Graph) -> Tree:
    """Average linkage on the graph."""
    return graph_linkage(graph, "average")


def paris(graph: Graph) -> Tree:
    """Paris linkage on the graph."""
    return graph_linkage(graph, "paris")


def hcse(points: Points, *, max_seconds: float | None = None) -> Tree:
    """The stretching operator of HCSE, as in the paper's tables. Past `max_seconds` it raises TimeoutError."""
    clock = Clock("hcse", points.callback, max_seconds)
    return stretched(points.graph, lambda done: clock.tell("merges", done))
