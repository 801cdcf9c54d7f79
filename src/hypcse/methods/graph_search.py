"""Methods that find a tree on a graph by linkage."""

from __future__ import annotations

from hypcse.discrete import graph_linkage
from hypcse.graph import Graph
from hypcse.tree import Tree


def average(graph: Graph) -> Tree:
    """Average linkage on the graph."""
    return graph_linkage(graph, "average")


def paris(graph: Graph) -> Tree:
    """Paris linkage on the graph."""
    return graph_linkage(graph, "paris")


def hcse(graph: Graph) -> Tree:
    """The stretching operator of HCSE, as in the paper's tables."""
    return graph_linkage(graph, "entropy")
