"""Components of a graph and groups of copies: their means, and the tree over them by the distances of their points."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse
from scipy.spatial.distance import cdist

from hypcse.graph import Graph
from hypcse.graph.neighbors.precomputed import distance_blocks, known_distances
from hypcse.graph.neighbors.search import nearest_neighbors
from hypcse.kernels.linkage.chains import chain_merges
from hypcse.kernels.linkage.merges import merge_parents, number_merges
from hypcse.kernels.linkage.rounds import mean_merges
from hypcse.kernels.trees.comparison import induced_forest
from hypcse.search.binary import binary_form, volume_heights
from hypcse.tree import Tree
from hypcse.tree.nodes import outline, part_distances
from hypcse.tree.numbering import renumber

MAX_EXACT = 4096
"""Up to this many parts, all their distances are held at once."""
N_NEIGHBORS = 10
"""Number of neighbors per part if there are more parts."""


@dataclass(frozen=True, eq=False)
class Parts:
    """Groups of points, summarized by what their distances depend on.

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
    """Merges of parts, each cluster named by one of them, in rounds; each round merges within a neighbor graph."""
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


def tree_of_distances(distances: Any, components: NDArray[np.int64]) -> Tree | None:
    """The tree over components by the known distances; None if none between components is known."""
    sizes = np.bincount(components).astype(np.float64)
    if sparse.issparse(distances):
        mean_squares = _known_between(known_distances(distances), components)
    else:
        mean_squares = _all_between(distances, components, sizes)
    return None if mean_squares is None else link_by_average(mean_squares, sizes)


def _all_between(distances: Any, components: NDArray[np.int64], sizes: NDArray[np.float64]) -> NDArray[np.float64]:
    """Mean squared distance between each two components, relative to the largest distance of all, (c, c)."""
    n, blocks = distance_blocks(distances)
    # Only ratios of heights matter; squares of the distances themselves could overflow.
    largest = float(np.max(distances)) or 1.0
    member = sparse.csr_array((np.ones(n), components, np.arange(n + 1)), shape=(n, sizes.size))
    sums = np.zeros((sizes.size, sizes.size))
    for start, rows in blocks:
        sums += member[start : start + len(rows)].T @ (member.T @ np.square(rows / largest).T).T
    return sums / np.outer(sizes, sizes)


def _known_between(known: sparse.csr_array, components: NDArray[np.int64]) -> NDArray[np.float64] | None:
    """The same for sparse distances; components without a known distance are twice as far apart as any others."""
    n_parts = int(components.max()) + 1
    rows = np.repeat(components, np.diff(known.indptr))
    columns = components[known.indices]
    between = rows != columns
    if not between.any() or n_parts > MAX_EXACT:
        return None
    pairs = rows[between] * n_parts + columns[between]
    squares = np.square(known.data[between] / (known.data[between].max() or 1.0))
    counts = np.bincount(pairs, minlength=n_parts * n_parts)
    sums = np.bincount(pairs, squares, minlength=n_parts * n_parts)
    means = np.where(counts > 0, sums / np.maximum(counts, 1), 4 * squares.max())
    return means.reshape(n_parts, n_parts)


def top_of(tree: Tree, parts: NDArray[np.int64]) -> Tree:
    """The binary tree above parts (labels from 0, each the leaves of a node); its leaf k is part k."""
    return binary_form(outline(tree, parts).tree)


def with_top(tree: Tree, graph: Graph, parts: NDArray[np.int64], top: Tree) -> Tree:
    """The tree inside parts (labels from 0), each over its own leaves only, with `top` above; leaf k of `top` is part
    k.

    Nodes inside keep their heights; volume heights, as a search leaves them, are computed again. The top lies above any
    of them: if it does not, its heights are multiplied by one number. O(n).
    """
    n, n_parts = tree.n_leaves, top.n_leaves
    order = np.lexsort((tree.first_positions[:n], parts))
    inner, origin, roots = induced_forest(order, parts, tree.lca(order[:-1], order[1:]))
    n_inside = inner.size
    inner[roots] = n_inside + top.parent[:n_parts] - n_parts
    above = top.parent[n_parts:]
    parent = np.concatenate([inner, np.where(above >= 0, n_inside + above - n_parts, -1)])
    # The order of the original tree, so that children precede their parents.
    nodes = np.concatenate([np.arange(n), n + np.argsort(origin[n:], kind="stable"), n_inside + np.arange(above.size)])
    parent, _ = renumber(parent, np.zeros(parent.size), nodes)
    volume = volume_heights(parent, graph)
    inside = volume[:n_inside] if tree.unit == "volume" else tree.height[origin[nodes[:n_inside]]]
    outside = _above(max(float(volume[-1]), float(inside.max())), top.height[n_parts:])
    height = np.concatenate([inside, outside])
    by_height = np.concatenate([np.arange(n), n + np.argsort(height[n:], kind="stable")])
    parent, height = renumber(parent, height, by_height)
    return replace(tree, parent=parent, height=height, joined_from=float(outside.min()))


def _above(floor: float, height: NDArray[np.float64]) -> NDArray[np.float64]:
    """Heights unchanged if all lie above the floor, else in the same ratios with the lowest at one above it.

    Heights of 0, which no ratio moves, lie half-way between.
    """
    if height.min() > floor:
        return height
    positive = height[height > 0]
    unit = max(1.0, (floor + 1) / float(positive.min())) if positive.size else 1.0
    return np.where(height > 0, height * unit, floor + 0.5)
