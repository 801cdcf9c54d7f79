"""The distances that an ultrametric is fitted to."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from hypcse.graph import Graph, nearest_neighbors
from hypcse.kernels.spanning.kdtree import pair_distances


class Distances(NamedTuple):
    """Edges, each once with first < second, shortest first; the distance of their ends; how many points.

    Descent follows differences in the last bit, and sums in another order have them. By length, the edges come in one
    order whatever that of the points; equal lengths by (first, second).
    """

    first: NDArray[np.int64]
    second: NDArray[np.int64]
    length: NDArray[np.float64]
    n_points: int


def neighbor_distances(X: NDArray[np.float64], n_neighbors: int) -> Distances:
    """Euclidean distances to the nearest neighbours, and along a minimum spanning tree of all points. O(n k)."""
    from hypcse.decode import spanning_tree

    n = len(X)
    found = nearest_neighbors(X, n_neighbors).indices
    spanning = spanning_tree(X)
    a = np.concatenate([np.repeat(np.arange(n), found.shape[1]), spanning.first])
    b = np.concatenate([found.ravel(), spanning.second])
    code = np.unique(np.minimum(a, b) * n + np.maximum(a, b))
    first, second = code // n, code % n
    return _by_length(first, second, np.sqrt(pair_distances(np.ascontiguousarray(X), first, second)), n)


def graph_distances(graph: Graph) -> Distances:
    """sqrt(log(heaviest / w)) along the edges: the distances of w = exp(-d^2), nearest at 0."""
    i, j, w = graph.edges()
    length = np.sqrt(np.maximum(np.log(w.max()) - np.log(w), 0.0)) if w.size else np.zeros(0)
    return _by_length(i.astype(np.int64), j.astype(np.int64), length, graph.n_vertices)


def _by_length(
    first: NDArray[np.int64], second: NDArray[np.int64], length: NDArray[np.float64], n_points: int
) -> Distances:
    order = np.argsort(length, kind="stable")
    return Distances(first[order], second[order], length[order], n_points)
