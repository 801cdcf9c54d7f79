"""The minimum spanning tree of points under mutual reachability."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from hypcse.decode.spanning import prunes
from hypcse.graph.neighbors.exact import Queries, brute_force
from hypcse.kernels.linkage.merges import number_merges
from hypcse.kernels.spanning.boruvka import boruvka
from hypcse.kernels.spanning.equal_rows import first_copies
from hypcse.kernels.spanning.kdtree import PointTree, build_tree, pair_distances, with_cores
from hypcse.kernels.spanning.nearest_lists import (
    N_NEAREST,
    Lists,
    certain_lists,
    core_distances,
    known_lists,
    searched_lists,
)
from hypcse.tree import Tree

Ids = NDArray[np.int64]
Reals = NDArray[np.float64]
Tell = Callable[[str, int, int], None]

# Extra points beyond those that a core distance counts: nearest points with large cores may be far.
_MORE = 4
# Keeping a longer list in order takes the tree longer than matrix products.
_MAX_SEARCHED = 64
# Points between two progress reports.
_PART = 8192


class ReachabilityTree(NamedTuple):
    """Edges of a spanning tree by (reach, distance, first, second), first < second; reach and distance are squared."""

    first: Ids
    second: Ids
    reach: Reals
    squared: Reals

    def single_linkage(self) -> Tree:
        """The tree that joins clusters by these edges, shortest first, at the height of their mutual reachability."""
        return Tree.from_linkage(number_merges(self.first, self.second, np.sqrt(self.reach)))


def reachability_tree(X: Reals, min_samples: int, tell: Tell) -> ReachabilityTree:
    """The minimum spanning tree of points (n, d) under max(core_i, core_j, |x_i - x_j|).

    core_i is the distance to the `min_samples`-th nearest point, counting i itself as the first. Edges are ordered by
    (mutual reachability, distance, smaller id, larger id), so that the tree is the same at any number of threads.

    Boruvka's rounds on a k-d tree, as in `spanning_tree`: a node is skipped if it is too far, or if all its cores are
    too large. If the tree cannot prune, as in many dimensions, nearest points come from matrix products. `tell` is
    called with the stage, the work done and the total. O(n (d + min_samples)) memory.
    """
    X = X + 0.0  # -0.0 is equal to 0.0, but not in its bits
    original = first_copies(X)
    distinct, place, copies = np.unique(original, return_inverse=True, return_counts=True)
    ends, core = _join_distinct(X if len(distinct) == len(X) else X[distinct], copies, min_samples, tell)
    others = np.flatnonzero(original != np.arange(len(X)))
    first, second = np.concatenate([distinct[ends], np.column_stack([original[others], others])]).T
    squared = pair_distances(X, first, second)
    reach = np.maximum(squared, np.maximum(core[place[first]], core[place[second]]))
    order = np.lexsort([second, first, squared, reach])
    return ReachabilityTree(first[order], second[order], reach[order], squared[order])


def _join_distinct(X: Reals, copies: Ids, min_samples: int, tell: Tell) -> tuple[Ids, Reals]:
    """Edges (n - 1, 2), first < second, between points that are all different, and squared core distances (n,)."""
    n = len(X)
    if n == 1:
        return np.empty((0, 2), np.int64), np.zeros(1)
    tree, core = build_tree(X), np.empty(n)
    lists = _nearest(X, tree, min(max(min_samples - 1 + _MORE, N_NEAREST), n - 1), tell)
    tree = with_cores(tree, core_distances(lists, copies[tree.ids], min_samples))
    core[tree.ids] = tree.core
    none = np.empty(0, np.int64)
    first, second = boruvka(tree, none, none, certain_lists(tree, lists), lambda k: tell("spanning tree", k, n - 1))
    tell("spanning tree", n - 1, n - 1)
    return np.column_stack([first, second]), core


def _nearest(X: Reals, tree: PointTree, k: int, tell: Tell) -> Lists:
    """The k nearest others of each point by distance."""
    n = len(X)
    if k <= _MAX_SEARCHED and prunes(tree):
        lists = searched_lists(tree, k)
        tell("neighbours", n, n)
        return lists
    found = np.empty((n, k), np.int64)
    for start in range(0, n, _PART):
        rows = np.arange(start, min(start + _PART, n))
        found[rows] = brute_force(X, k, Queries.rows(X, rows))[0]
        tell("neighbours", int(rows[-1]) + 1, n)
    return known_lists(tree, found)
