"""Minimum spanning trees of points, by distance or by mutual reachability."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from hypcse._checks import check_choice, check_count, check_features
from hypcse._choices import Spanning
from hypcse.graph import nearest_neighbors
from hypcse.graph.neighbors.exact import Queries, brute_force
from hypcse.graph.neighbors.search import check_range
from hypcse.kernels.arrays import Ids, Reals
from hypcse.kernels.linkage.merges import number_merges
from hypcse.kernels.linkage.single import heaviest_forest
from hypcse.kernels.points.boruvka import boruvka
from hypcse.kernels.points.kdtree import PointTree, build_tree, pair_distances, with_cores
from hypcse.kernels.points.nearest_lists import (
    N_NEAREST,
    Lists,
    certain_lists,
    core_distances,
    known_lists,
    searched_lists,
    visited_share,
)
from hypcse.kernels.points.rows import first_copies
from hypcse.tree import Tree

# Matrix products pay where the tree visits more than this over d of all leaves: a pair costs the tree time like d, and
# products a time that hardly grows. Measured in 16 to 64 dimensions.
MAX_VISITED = 10
MIN_PRODUCTS = 2000
# Extra points beyond those that a core distance counts: nearest points with large cores may be far.
_MORE = 4
# Keeping a longer list in order takes the tree longer than matrix products.
_MAX_SEARCHED = 64
# Points between two progress reports.
_PART = 8192

Tell = Callable[[str, int, int], None]
"""Called with the stage, the work done and the total."""


class SpanningTree(NamedTuple):
    """The n - 1 edges of a spanning tree by (length, first, second), with first < second."""

    first: Ids
    second: Ids
    length: Reals


def spanning_tree(points: ArrayLike, *, method: Spanning = "exact", n_neighbors: int = 10) -> SpanningTree:
    """The minimum spanning tree of points (n, d) under the Euclidean distance.

    "exact"      The tree of smallest total length. Among equally long edges those with the smaller ids are taken, so
                 it is the same at any number of threads; copies of a point are joined to the first of them.
    "neighbors"  The least forest in the graph of the `n_neighbors` nearest others, as the paper decodes large data; its
                 components are then joined by the exact shortest links between them. Never shorter than the exact
                 tree, and equal to it where each edge of that joins a point to one of its nearest others. Where the
                 k-d tree cannot prune, `nearest_neighbors` finds them, above 50,000 points approximately.

    Boruvka's rounds on a k-d tree: about O(n log n) in few dimensions or in clusters. Where the tree cannot prune, as
    in many dimensions, it is O(n^2 d). Memory is O(n d).

    Parameters
    ----------
    points
        Points (n, d).
    method
        "exact" or "neighbors".
    n_neighbors
        Number of nearest points per point for "neighbors".

    Returns
    -------
    SpanningTree
        The ends `first` and `second` of the n - 1 edges and their `length`, shortest first.

    Examples
    --------
    >>> spanning_tree([[0.0], [3.0], [1.0]])
    SpanningTree(first=array([0, 1]), second=array([2, 2]), length=array([1., 2.]))
    """
    check_choice("method", method, Spanning)
    check_count("n_neighbors", n_neighbors, 1)
    features = check_features(points)
    check_range(features)
    tree = _join_points(np.ascontiguousarray(features, dtype=np.float64), 1, None if method == "exact" else n_neighbors)
    length = np.sqrt(tree.squared)
    # Roots may be equal where squares are not.
    order = np.lexsort([tree.second, tree.first, length])
    return SpanningTree(tree.first[order], tree.second[order], length[order])


class ReachabilityTree(NamedTuple):
    """Edges of a spanning tree by (reach, distance, first, second), first < second; reach and distance are squared."""

    first: Ids
    second: Ids
    reach: Reals
    squared: Reals

    def single_linkage(self) -> Tree:
        """The tree that joins clusters by these edges, shortest first, at the height of their mutual reachability."""
        return Tree.from_linkage(number_merges(self.first, self.second, np.sqrt(self.reach)), unit="distance")


def reachability_tree(X: Reals, min_samples: int, tell: Tell) -> ReachabilityTree:
    """The minimum spanning tree of points (n, d) under max(core_i, core_j, |x_i - x_j|), as in `spanning_tree`.

    core_i is the distance to the `min_samples`-th nearest point, counting i itself as the first. Edges are ordered by
    (mutual reachability, distance, smaller id, larger id). O(n (d + min_samples)) memory.
    """
    return _join_points(X, min_samples, None, tell)


def _join_points(
    X: Reals, min_samples: int, n_neighbors: int | None, tell: Tell = lambda *progress: None
) -> ReachabilityTree:
    """The spanning tree of points, with `n_neighbors` that of a graph of neighbors; copies join the first of them."""
    X = X + 0.0  # -0.0 is equal to 0.0, but not in its bits
    original = first_copies(X)
    distinct, place, counts = np.unique(original, return_inverse=True, return_counts=True)
    points = X if distinct.size == len(X) else X[distinct]
    core = np.zeros(len(points))
    if len(points) == 1:
        ends = np.empty((2, 0), np.int64)
    elif n_neighbors is not None:
        ends = _join_neighbors(points, n_neighbors)
    else:
        ends = _join_distinct(points, counts, min_samples, core, tell)
    copies = np.flatnonzero(original != np.arange(len(X)))
    first, second = np.concatenate([distinct[ends], [original[copies], copies]], axis=1)
    squared = pair_distances(X, first, second)
    reach = np.maximum(squared, np.maximum(core[place[first]], core[place[second]]))
    order = np.lexsort([second, first, squared, reach])
    return ReachabilityTree(first[order], second[order], reach[order], squared[order])


def _join_distinct(X: Reals, counts: Ids, min_samples: int, core: Reals, tell: Tell) -> Ids:
    """Ends (2, n - 1) of the edges between different points that stand for `counts` copies; writes squared cores."""
    n, tree, lists = len(X), build_tree(X), None
    fast = prunes(tree)
    if min_samples > 1 or not fast:
        # Without cores the last of the list only bounds what is not in it.
        k = N_NEAREST + 1 if min_samples == 1 else max(min_samples - 1 + _MORE, N_NEAREST)
        by_distance = _nearest(X, tree, min(k, n - 1), fast, tell)
        tree = with_cores(tree, core_distances(by_distance, counts[tree.ids], min_samples))
        core[tree.ids] = tree.core
        lists = certain_lists(tree, by_distance)
    none = np.empty(0, np.int64)
    ends = boruvka(tree, none, none, lists, lambda done: tell("spanning tree", done, n - 1))
    tell("spanning tree", n - 1, n - 1)
    return np.array(ends)


def _nearest(X: Reals, tree: PointTree, k: int, fast: bool, tell: Tell) -> Lists:
    """The k nearest others of each point by distance; by matrix products if the tree is not fast."""
    n = len(X)
    if k <= _MAX_SEARCHED and fast:
        lists = searched_lists(tree, k)
        tell("neighbors", n, n)
        return lists
    nearest = np.empty((n, k), np.int64)
    for start in range(0, n, _PART):
        rows = np.arange(start, min(start + _PART, n))
        nearest[rows] = brute_force(X, k, Queries.rows(X, rows))[0]
        tell("neighbors", int(rows[-1]) + 1, n)
    return known_lists(tree, nearest)


def _join_neighbors(X: Reals, n_neighbors: int) -> Ids:
    """Ends (2, n - 1) of the least forest in the graph of the nearest others, and of the links between its parts."""
    tree = build_tree(X)
    if prunes(tree):
        lists = searched_lists(tree, min(n_neighbors, len(X) - 1))
        ids, nearest = tree.ids, tree.ids[lists.found]
    else:
        lists = None
        ids, nearest = np.arange(len(X)), nearest_neighbors(X, n_neighbors).indices
    row, column = np.repeat(ids, nearest.shape[1]), nearest.ravel()
    row, column = row[column >= 0], column[column >= 0]
    first, second = np.minimum(row, column), np.maximum(row, column)
    order = np.lexsort([second, first, pair_distances(X, first, second)])
    forest = heaviest_forest(first[order].astype(np.int32), second[order].astype(np.int32), len(X))
    return np.concatenate([forest, boruvka(tree, *forest, lists)], axis=1)


def prunes(tree: PointTree) -> bool:
    """Whether a search in the tree skips enough of it to be faster than matrix products."""
    n, d = tree.points.shape
    return n < MIN_PRODUCTS or d <= MAX_VISITED or d * visited_share(tree) <= MAX_VISITED
