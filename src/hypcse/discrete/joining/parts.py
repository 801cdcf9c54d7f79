"""Groups of points, and the tree over them by the distances of their points."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.spatial.distance import cdist

from hypcse.graph import Graph
from hypcse.graph.neighbors import nearest_neighbors
from hypcse.kernels.linkage.chains import chain_merges
from hypcse.kernels.linkage.dense import mean_merges
from hypcse.kernels.linkage.merges import merge_parents, number_merges
from hypcse.tree import Tree
from hypcse.tree.distances import part_distances

MAX_EXACT = 4096
"""Up to this many parts, all their distances are held at once."""
N_NEIGHBORS = 10
"""Number of neighbours per part if there are more parts."""


@dataclass(frozen=True, eq=False)
class Parts:
    """Groups of points, summarised by what their distances depend on.

    sizes   : (c,) how many points.
    means   : (c, d).
    squares : (c,) sum of the squared distances of the points from their mean.
    """

    sizes: NDArray[np.float64]
    means: NDArray[np.floating]
    squares: NDArray[np.float64]

    def mean_squares(self) -> NDArray[np.float64]:
        """Mean squared distance between the points of each two groups, (c, c)."""
        variances = self.squares / self.sizes
        return cdist(self.means, self.means, "sqeuclidean") + variances[:, None] + variances


def gather_points(points: NDArray[np.floating], groups: NDArray[np.int64]) -> Parts:
    """Sizes, means and squares of groups of points, column by column."""
    return gather_parts(Parts(np.ones(len(points)), points, np.zeros(len(points))), groups)


def gather_parts(parts: Parts, groups: NDArray[np.int64]) -> Parts:
    """Groups of parts, each merged into one part."""
    sizes = np.bincount(groups, parts.sizes).astype(np.float64)
    means = np.empty((sizes.size, parts.means.shape[1]))
    squares = np.bincount(groups, parts.squares).astype(np.float64)
    for column in range(means.shape[1]):
        values = parts.means[:, column].astype(np.float64)
        means[:, column] = np.bincount(groups, parts.sizes * values) / sizes
        squares += np.bincount(groups, parts.sizes * (values - means[groups, column]) ** 2)
    return Parts(sizes, means, squares)


def tree_of_parts(parts: Parts) -> Tree:
    """The tree over parts, with root mean squared distances as heights."""
    n_parts = parts.sizes.size
    if n_parts <= MAX_EXACT:
        return link_by_average(parts.mean_squares(), parts.sizes)
    parent = merge_parents(*_merges_of_many(parts), n_parts)
    top = Tree(parent, np.zeros(parent.size))
    return Tree(parent, part_distances(top, parts.means, parts.sizes, parts.squares))


def link_by_average(mean_squares: NDArray[np.float64], sizes: NDArray[np.float64]) -> Tree:
    """Average linkage of mean squared distances between parts; heights are their roots."""
    first, second, squared = mean_merges(mean_squares, sizes)
    return Tree.from_linkage(number_merges(first, second, np.sqrt(squared)))


def _merges_of_many(parts: Parts) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Merges of parts, each cluster named by one of them, in rounds; each round merges within a neighbour graph."""
    member = np.arange(parts.sizes.size)
    first, second = [], []
    while parts.sizes.size > MAX_EXACT:
        keeper, merged, groups = _merged_copies(parts.means)
        if keeper.size == 0:
            graph = _neighbor_graph(parts)
            keeper, merged = chain_merges(graph.indptr, graph.indices, graph.weights, parts.sizes)
            groups = graph.components()
        first.append(member[keeper])
        second.append(member[merged])
        member = member[np.unique(groups, return_index=True)[1]]
        parts = gather_parts(parts, groups)
    keeper, merged, _ = mean_merges(parts.mean_squares(), parts.sizes)
    return np.concatenate([*first, member[keeper]]), np.concatenate([*second, member[merged]])


def _neighbor_graph(parts: Parts) -> Graph:
    """Parts and their nearest others, weighted by the similarity of their points, over all pairs of points.

    1 / (1 + d^2 / s^2), with the median distance s, decreases slowly enough to keep the order of distances at any
    density.
    """
    near = nearest_neighbors(parts.means, N_NEIGHBORS)
    typical = float(np.median(near.distances[near.distances > 0])) if near.distances.any() else 1.0
    rows = np.repeat(np.arange(parts.sizes.size), near.indices.shape[1])
    columns = near.indices.ravel()
    alike = 1 / (1 + np.square(near.distances.ravel() / typical))
    return Graph.from_edges(rows, columns, alike * parts.sizes[rows] * parts.sizes[columns], parts.sizes.size)


def _merged_copies(means: NDArray[np.floating]) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.int64]]:
    """Merges of parts with the same mean, two by two until one is left of each; and the group of each part."""
    groups = np.unique(means, axis=0, return_inverse=True)[1].reshape(-1)
    alive = np.lexsort((np.arange(groups.size), groups))
    first, second = [np.empty(0, np.int64)], [np.empty(0, np.int64)]
    while True:
        begins = np.flatnonzero(np.append(True, groups[alive[1:]] != groups[alive[:-1]]))
        place = np.arange(alive.size) - np.repeat(begins, np.diff(np.append(begins, alive.size)))
        odd = place % 2 == 1
        if not odd.any():
            return np.concatenate(first), np.concatenate(second), groups
        first.append(alive[np.flatnonzero(odd) - 1])
        second.append(alive[odd])
        alive = alive[~odd]
