"""Methods that find a tree on a graph by linkage."""

from __future__ import annotations

from hypcse.discrete import graph_linkage
from hypcse.discrete.linkage import Linkage, stretched
from hypcse.methods.points import Points
from hypcse.methods.progress import Clock
from hypcse.tree import Tree


def average(points: Points, *, join: bool = True) -> Tree:
    """Average linkage on the graph; what no edge joins is joined by the features, unless told not to."""
    return _linked(points, "average", join)


def paris(points: Points, *, join: bool = True) -> Tree:
    """Paris linkage on the graph; what no edge joins is joined by the features, unless told not to."""
    return _linked(points, "paris", join)


def hcse(points: Points, *, join: bool = False, max_seconds: float | None = None) -> Tree:
    """The stretching operator of HCSE, as in the paper's tables; with `join`, components are joined by the features.

    Past `max_seconds` it raises TimeoutError.
    """
    clock = Clock("hcse", points.callback, max_seconds)
    tree = stretched(points.graph, lambda done: clock.tell("merges", done))
    return points.joined(tree) if join else tree


def _linked(points: Points, method: Linkage, join: bool) -> Tree:
    tree = graph_linkage(points.graph, method)
    return points.joined(tree) if join else tree
