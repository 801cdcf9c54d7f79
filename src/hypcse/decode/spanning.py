"""The minimum spanning tree of points."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from hypcse._checks import check_choice, check_count, check_features
from hypcse._choices import Spanning
from hypcse.graph import nearest_neighbors
from hypcse.graph.neighbors.exact import brute_force
from hypcse.graph.neighbors.search import check_range, representable
from hypcse.kernels.linkage.spanning import heaviest_forest
from hypcse.kernels.spanning.boruvka import boruvka
from hypcse.kernels.spanning.equal_rows import first_copies
from hypcse.kernels.spanning.kdtree import PointTree, build_tree, pair_distances
from hypcse.kernels.spanning.nearest_lists import (
    N_NEAREST,
    Lists,
    certain_lists,
    known_lists,
    searched_lists,
    visited_share,
)

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
