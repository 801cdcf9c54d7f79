"""Methods that find a tree on a graph by linkage."""

from __future__ import annotations

from hypcse._choices import Linkage
from hypcse.discrete import graph_linkage
from hypcse.discrete.linking.linkage import link_by_entropy
from hypcse.methods.inputs import Inputs
from hypcse.methods.progress import Clock
from hypcse.tree import Tree


def average(inputs: Inputs, *, join: bool = True) -> Tree:
    """Average linkage on the graph; components are joined by the features, unless join=False."""
    return _linked(inputs, "average", join)


def paris(inputs: Inputs, *, join: bool = True) -> Tree:
    """Paris linkage on the graph; components are joined by the features, unless join=False."""
    return _linked(inputs, "paris", join)


def hcse(inputs: Inputs, *, join: bool = False, max_seconds: float | None = None) -> Tree:
    """The stretching operator of HCSE, as in the paper's tables; with `join`, components are joined by the features.

    After `max_seconds` it raises TimeoutError.
    """
    clock = Clock("hcse", inputs.callback, max_seconds)
    tree = link_by_entropy(inputs.graph, lambda done, total: clock.tell("merges", done, total))
    return inputs.joined(tree) if join else tree


def _linked(inputs: Inputs, method: Linkage, join: bool) -> Tree:
    tree = graph_linkage(inputs.graph, method)
    return inputs.joined(tree) if join else tree
