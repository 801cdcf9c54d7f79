"""Minimum spanning trees of points, by distance or by mutual reachability."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from hypcse._checks import check_choice, check_count, check_features
from hypcse._choices import Spanning
from hypcse.graph import nearest_neighbors
from hypcse.graph.neighbors.exact import Queries, brute_force
from hypcse.graph.neighbors.search import check_range, representable
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

Ends = tuple[NDArray[np.int64], NDArray[np.int64]]


class SpanningTree(NamedTuple):
    """The n - 1 edges of a spanning tree by (length, first, second), with first < second."""

    first: NDArray[np.int64]
    second: NDArray[np.int64]
    length: NDArray[np.float64]


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
    scaled, power = representable(features)
    # Adding zero turns -0.0, which is equal to 0.0 in value but not in its bits, to 0.0.
    X = np.ascontiguousarray(scaled, dtype=np.float64) + 0.0
    original = first_copies(X)
    distinct = np.flatnonzero(original == np.arange(len(X)))
    copies = np.flatnonzero(original != np.arange(len(X)))
    joined = _join_distinct(X if not copies.size else X[distinct], method, n_neighbors)
    ends = np.column_stack([*(distinct[side] for side in joined)])
    first, second = np.concatenate([ends, np.column_stack([original[copies], copies])]).T
    length = np.ldexp(np.sqrt(pair_distances(X, first, second)), -power)
    order = np.lexsort([second, first, length])
    return SpanningTree(first[order], second[order], length[order])


def _join_distinct(X: NDArray[np.float64], method: Spanning, n_neighbors: int) -> Ends:
    """Edges, first < second, of the tree of points that are all different."""
    tree = build_tree(X)
    if method == "exact" or len(X) == 1:
        none = np.empty(0, np.int64)
        return boruvka(tree, none, none, None if prunes(tree) else _lists_by_products(X, tree))
    lists = searched_lists(tree, min(n_neighbors, len(X) - 1)) if prunes(tree) else None
    if lists is not None:
        near = _least_forest(X, tree.ids, tree.ids[lists.found])
    else:
        near = _least_forest(X, np.arange(len(X)), nearest_neighbors(X, n_neighbors).indices)
    far = boruvka(tree, *near, lists)
    return np.concatenate([near[0], far[0]]), np.concatenate([near[1], far[1]])


def prunes(tree: PointTree) -> bool:
    """Whether a search in the tree skips enough of it to be faster than matrix products."""
    n, d = tree.points.shape
    return n < MIN_PRODUCTS or d <= MAX_VISITED or d * visited_share(tree) <= MAX_VISITED


def _lists_by_products(X: NDArray[np.float64], tree: PointTree) -> Lists:
    return certain_lists(tree, known_lists(tree, brute_force(X, N_NEAREST + 1)[0]))


def _least_forest(X: NDArray[np.float64], points: NDArray[np.int64], nearest: NDArray[np.int64]) -> Ends:
    """The least spanning forest of the graph that joins each of the points to its nearest ones, -1 for none."""
    row = np.repeat(points, nearest.shape[1])[nearest.ravel() >= 0]
    column = nearest.ravel()[nearest.ravel() >= 0]
    first, second = np.minimum(row, column), np.maximum(row, column)
    order = np.lexsort([second, first, pair_distances(X, first, second)])
    return heaviest_forest(first[order].astype(np.int32), second[order].astype(np.int32), len(X))


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
    ends, core = _join_distinct_by_reachability(
        X if len(distinct) == len(X) else X[distinct], copies, min_samples, tell
    )
    others = np.flatnonzero(original != np.arange(len(X)))
    first, second = np.concatenate([distinct[ends], np.column_stack([original[others], others])]).T
    squared = pair_distances(X, first, second)
    reach = np.maximum(squared, np.maximum(core[place[first]], core[place[second]]))
    order = np.lexsort([second, first, squared, reach])
    return ReachabilityTree(first[order], second[order], reach[order], squared[order])


def _join_distinct_by_reachability(X: Reals, copies: Ids, min_samples: int, tell: Tell) -> tuple[Ids, Reals]:
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
