"""Methods that find a tree on a graph by linkage."""

from __future__ import annotations

from hypcse._choices import Linkage
from hypcse.discrete import graph_linkage
from hypcse.discrete.linkage import stretched
from hypcse.methods.progress import Clock
from hypcse.methods.task import Task
from hypcse.tree import Tree


def average(task: Task, *, join: bool = True) -> Tree:
    """Average linkage on the graph; what no edge joins is joined by the features, unless told not to."""
    return _linked(task, "average", join)


def paris(task: Task, *, join: bool = True) -> Tree:
    """Paris linkage on the graph; what no edge joins is joined by the features, unless told not to."""
    return _linked(task, "paris", join)


def hcse(task: Task, *, join: bool = False, max_seconds: float | None = None) -> Tree:
    """The stretching operator of HCSE, as in the paper's tables; with `join`, components are joined by the features.

    Past `max_seconds` it raises TimeoutError.
    """
    clock = Clock("hcse", task.callback, max_seconds)
    tree = stretched(task.graph, lambda done: clock.tell("merges", done))
    return task.joined(tree) if join else tree


def _linked(task: Task, method: Linkage, join: bool) -> Tree:
    tree = graph_linkage(task.graph, method)
    return task.joined(tree) if join else tree
