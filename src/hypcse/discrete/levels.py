"""Nested partitions of a tree, and which of them to look at first."""

from __future__ import annotations

from itertools import dropwhile

import numpy as np
from numpy.typing import NDArray

from hypcse._checks import check_count
from hypcse.discrete.compress import LevelTable, is_small, keep_nodes, kept_levels, one_by_one
from hypcse.discrete.cuts import coarsest_cut
from hypcse.entropy import structural_entropy
from hypcse.graph import Graph
from hypcse.kernels.trees.sweep import kept_parents
from hypcse.tree import Tree

SHARE = 0.95
"""What the levels together must keep of the entropy that the tree saves over the star of all leaves."""
MAX_LEVELS = 12
LEAST_MODULARITY = 1e-9
"""Less is a rounding error."""


def levels(tree: Tree, graph: Graph, n_levels: int | None = None) -> list[NDArray[np.int64]]:
    """Flat labels from coarse to fine, each level a refinement of the one before.

    They are the levels of `compress`, leaves left out. By default there are as few of them as keep 95 % of the entropy
    that the tree saves over the star of all leaves (at most 11). The first and coarsest is the one to look at first:
    the broadest groups of a description of the graph that loses next to nothing. No label and no number of clusters
    enters. Every cluster is a node of the tree.

    Entropy falls with every split, even of a graph whose vertices are all alike. So the first level is the coarsest
    whose clusters hold more weight than the degrees alone would put there, by `modularity`. Where none does, there is
    one level: all that edges join is one cluster.

    n_levels : so many levels instead, whatever they hold.

    >>> from hypcse import Graph, graph_linkage
    >>> g = Graph.from_edges([0, 0, 1, 2, 3, 3, 4], [1, 2, 2, 3, 4, 5, 5])
    >>> levels(graph_linkage(g), g, n_levels=1)[0].tolist()
    [0, 0, 0, 1, 1, 1]
    """
    if n_levels is not None:
        check_count("n_levels", n_levels, 1)
    depth = _enough_levels(tree, graph) if n_levels is None else n_levels + 1
    level = kept_levels(tree, graph, min(depth, tree.n_leaves))
    found = [_labels(tree, level, k) for k in range(1, depth)] if level.any() else []
    if n_levels is None:
        found = list(dropwhile(lambda labels: modularity(labels, graph) <= LEAST_MODULARITY, found))
    return found or [coarsest_cut(tree, graph)]


def modularity(labels: NDArray[np.int64], graph: Graph) -> float:
    """Share of the volume that lies inside clusters beyond what the degrees alone would put there.

    Newman and Girvan's Q, loops of the graph included: the sum over i and j of one cluster of (w_ij - d_i d_j / V) / V.
    It is 0 for all vertices together, and for any clusters of a graph whose vertices are all equally alike. O(m).

    >>> g = Graph.from_edges([0, 0, 1, 2, 3, 3, 4], [1, 2, 2, 3, 4, 5, 5])
    >>> round(modularity(np.array([0, 0, 0, 1, 1, 1]), g), 3)
    0.357
    """
    if graph.volume == 0:
        return 0.0
    i, j, w = graph.edges()
    inside = 2 * float(w[labels[i] == labels[j]].sum()) + float(graph.self_weights.sum())
    shares = np.bincount(labels, graph.degrees) / graph.volume
    return inside / graph.volume - float(np.square(shares).sum())


def _enough_levels(tree: Tree, graph: Graph) -> int:
    """The least number of levels below the root that keeps `SHARE` of the saving."""
    star = structural_entropy(keep_nodes(tree, np.zeros(tree.n_nodes, np.bool_)), graph)
    wanted = SHARE * (star - structural_entropy(tree, graph))
    exact = is_small(tree, MAX_LEVELS)
    table = LevelTable(tree, graph)
    for depth in range(2, MAX_LEVELS):
        if exact:
            saving = table.saving(depth)
        else:
            saving = star - structural_entropy(keep_nodes(tree, one_by_one(tree, graph, depth) > 0), graph)
        if saving >= wanted:
            return depth
    return MAX_LEVELS


def _labels(tree: Tree, level: NDArray[np.int64], depth: int) -> NDArray[np.int64]:
    """Labels, numbered by smallest leaf, by the node of that level above each leaf; leaves without one stay alone."""
    marks = level == depth
    marks[-1] = True
    above = kept_parents(tree.parent, marks)[: tree.n_leaves]
    alone = above == tree.root
    above[alone] = np.flatnonzero(alone) - tree.n_leaves
    _, first, codes = np.unique(above, return_index=True, return_inverse=True)
    return np.argsort(np.argsort(first))[codes]
