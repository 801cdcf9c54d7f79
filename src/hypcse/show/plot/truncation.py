"""Chooses the part of a tree that fits into a picture."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from hypcse._checks import check_count
from hypcse.discrete import best_cut, levels
from hypcse.discrete.binary import binary_form
from hypcse.graph import Graph
from hypcse.show.heights import HeightAxis, on_binary_form
from hypcse.tree import Tree
from hypcse.tree.outline import Outline, outline


class Top(NamedTuple):
    """The part of a tree that is drawn.

    tree    : the whole tree, or its binary form if that is what is cut.
    outline : its top, down to the clusters that are drawn as one.
    axis    : the heights of the nodes of `tree`.
    """

    tree: Tree
    outline: Outline
    axis: HeightAxis


def truncate(tree: Tree, graph: Graph | None, axis: HeightAxis, n_clusters: int | None, max_leaves: int | None) -> Top:
    """The top of a tree, as far down as there is room; see `shown_clusters`."""
    if n_clusters is not None and graph is not None and not tree.is_binary:
        split = binary_form(tree)
        axis = axis._replace(height=on_binary_form(tree, split, axis.height))
        tree = split
    clusters = shown_clusters(tree, graph, n_clusters, max_leaves)
    shown = Outline(tree, np.arange(tree.n_nodes)) if clusters is None else outline(tree, clusters)
    return Top(tree, shown, axis)


def shown_clusters(
    tree: Tree, graph: Graph | None, n_clusters: int | None, max_leaves: int | None
) -> NDArray[np.int64] | None:
    """Flat labels of the subtrees to draw as one, or None if all leaves are drawn.

    n_clusters : number of subtrees, by the cut of lowest entropy if there is a graph, otherwise from the top.
    max_leaves : if the tree has more leaves, the finest of its `levels` with 2 to `max_leaves` clusters; without a
                 graph or such a level, that many clusters from the top.
    """
    if n_clusters is not None:
        check_count("n_clusters", n_clusters, 1, tree.n_leaves)
        return tree.cut(n_clusters=n_clusters) if graph is None else best_cut(tree, graph, n_clusters=n_clusters)
    if max_leaves is None or tree.n_leaves <= check_count("max_leaves", max_leaves, 1):
        return None
    found = [] if graph is None else [labels for labels in levels(tree, graph) if 0 < labels.max() < max_leaves]
    return found[-1] if found else tree.cut(n_clusters=max_leaves)
