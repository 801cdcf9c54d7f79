"""Components of a graph, joined by what is known of their points."""

from __future__ import annotations

import warnings
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy import sparse
from scipy.spatial.distance import cdist

from hypcse._checks import HypcseWarning, check_choice
from hypcse._choices import Metric, Scale
from hypcse.discrete.components import with_top
from hypcse.discrete.leaving import barely_joined, leaving_parts
from hypcse.entropy import entropy_from_weights, graph_over, structural_entropy
from hypcse.graph import Graph, GraphLike, scale_features
from hypcse.graph.neighbors import nearest_neighbors, unit_rows
from hypcse.graph.precomputed import distance_blocks, known_distances
from hypcse.graph.reduction import dense_features
from hypcse.kernels.linkage.chains import chain_merges
from hypcse.kernels.linkage.dense import mean_merges
from hypcse.kernels.linkage.merges import merge_parents, number_merges
from hypcse.kernels.trees.sweep import leaf_labels
from hypcse.tree import Tree
from hypcse.tree.distances import part_distances

MAX_EXACT = 4096
"""Components up to which all their distances are held at once."""
MAX_RISE = 1e-4
"""Bits that joining across weak bridges may cost."""
N_NEIGHBORS = 10
"""Neighbours of a component where there are more of them."""


def join_components(
    tree: Tree,
    graph: GraphLike,
    X: ArrayLike | None = None,
    distances: Any = None,
    *,
    scale: Scale = "minmax",
    metric: Metric = "euclidean",
    bridges: bool = False,
) -> Tree:
    """The tree with the components of its graph joined in the order of their distances.

    Structural entropy is the same however components are joined, so a tree found on the graph alone says nothing about
    what lies above them. Inside a component the tree stays. Above, components are joined by average linkage of the mean
    squared distance between their points, |m_a - m_b|^2 + v_a + v_b of means m and variances v. Without `bridges`,
    entropy never rises.

    Parameters
    ----------
    tree
        Over the vertices of the graph; its names are kept.
    graph
        A `Graph`, a networkx graph or a symmetric matrix, as for `structural_entropy`.
    X
        Features, one row per leaf, dense or sparse, scaled by `scale` as `similarity_graph` scales them.
    distances
        Known distances instead: square, condensed or sparse, as for `metric="precomputed"`.
    scale
        Those of the graph; "cosine" compares the directions of rows.
    metric
        Those of the graph; "cosine" compares the directions of rows.
    bridges
        Whether parts that hardly an edge holds together are joined by distances too: what leaves such a part, over what
        would by chance, is at most 1 / n, and at most 0.1 %. Entropy may then rise, by 0.0001 bits at most: where it
        would rise by more, bridges stay.

    Returns
    -------
    Tree
        A tree whose heights above components are proportional to the root mean squared distances of the parts that are
        joined there, and all above the heights inside. A tree over a connected graph is returned as it is. Without X
        and distances it is returned too, with a warning that the order of the components is arbitrary.

    Notes
    -----
    Exact up to 4,096 components, in O(n d + c^2 d). Of more, each is a point at its mean: average linkage on their
    neighbour graph joins them, and its components are joined in turn. Nothing is quadratic in their number.

    Examples
    --------
    >>> graph = Graph.from_edges([0, 2, 4], [1, 3, 5])
    >>> X = [[0.0], [1.0], [20.0], [21.0], [3.0], [4.0]]
    >>> from hypcse import graph_linkage
    >>> join_components(graph_linkage(graph), graph, X).cut(n_clusters=2).tolist()
    [0, 0, 1, 1, 0, 0]
    """
    graph = graph_over(tree, graph)
    check_choice("metric", metric, Metric)
    if X is not None and distances is not None:
        raise ValueError("X and distances both say how far apart points are. Pass one of them.")
    if metric == "precomputed":
        X, distances = None, X if distances is None else distances
    points = None if X is None else _points(X, scale, metric, graph.n_vertices)
    if distances is not None:
        _check_number(
            distances.shape[0] if sparse.issparse(distances) else distance_blocks(distances)[0], graph.n_vertices
        )
    components = graph.components()
    if components.max() > 0:
        top = _top(components, points, distances)
        if top is None:
            _warn_arbitrary(int(components.max()) + 1)
            return tree
        tree = with_top(tree, graph, components, top)
    if bridges and (points is not None or distances is not None):
        return _across_bridges(tree, graph, points, distances)
    return tree


def _across_bridges(tree: Tree, graph: Graph, points: NDArray[np.floating] | None, distances: Any) -> Tree:
    """The tree with parts that hardly an edge holds together joined by distances, unless entropy rises too much."""
    leaving = leaving_parts(tree, graph)
    parts = leaf_labels(tree.parent, barely_joined(tree, leaving.threshold), tree.n_leaves)
    top = _top(parts, points, distances) if parts.max() > graph.components().max() else None
    if top is None:
        return tree
    across = with_top(tree, graph, parts, top)
    rise = structural_entropy(across, graph) - entropy_from_weights(tree, graph, leaving.meeting)
    return across if rise <= MAX_RISE else tree


def _top(parts: NDArray[np.int64], points: NDArray[np.floating] | None, distances: Any) -> Tree | None:
    """The tree over parts, its heights being root mean squared distances; None where nothing is known."""
    if points is not None:
        return _top_of_parts(_parts(points, parts))
    return None if distances is None else _top_of_distances(distances, parts)


def _warn_arbitrary(n_components: int) -> None:
    warnings.warn(
        f"the graph has {n_components:,} components, which no edge joins, and no features or distances say which of "
        "them belong together: the order in which the tree joins them is arbitrary. Pass features to order them.",
        HypcseWarning,
        stacklevel=3,
    )


def _points(X: ArrayLike, scale: Scale, metric: Metric, n_points: int) -> NDArray[np.floating]:
    points = scale_features(dense_features(X), scale)
    if len(points) != n_points:
        raise ValueError(f"X has {len(points)} rows, but the graph has {n_points} vertices. Pass one row per vertex.")
    return unit_rows(points) if metric == "cosine" else points


@dataclass(frozen=True, eq=False)
class Parts:
    """Groups of points by what their distances follow from.

    sizes   : (c,) how many points.
    means   : (c, d).
    squares : (c,) squared distances of the points from their mean, added up.
    """

    sizes: NDArray[np.float64]
    means: NDArray[np.floating]
    squares: NDArray[np.float64]

    def mean_squares(self) -> NDArray[np.float64]:
        """Mean squared distance between the points of each two groups, (c, c)."""
        variances = self.squares / self.sizes
        return cdist(self.means, self.means, "sqeuclidean") + variances[:, None] + variances


def _parts(points: NDArray[np.floating], groups: NDArray[np.int64]) -> Parts:
    """Sizes, means and squares of groups of points, column by column."""
    return _gathered(Parts(np.ones(len(points)), points, np.zeros(len(points))), groups)


def _gathered(parts: Parts, groups: NDArray[np.int64]) -> Parts:
    """The groups of parts, taken as one part each."""
    sizes = np.bincount(groups, parts.sizes).astype(np.float64)
    means = np.empty((sizes.size, parts.means.shape[1]))
    squares = np.bincount(groups, parts.squares).astype(np.float64)
    for column in range(means.shape[1]):
        values = parts.means[:, column].astype(np.float64)
        means[:, column] = np.bincount(groups, parts.sizes * values) / sizes
        squares += np.bincount(groups, parts.sizes * (values - means[groups, column]) ** 2)
    return Parts(sizes, means, squares)


def _top_of_parts(parts: Parts) -> Tree:
    """The tree over parts, its heights being root mean squared distances."""
    n_parts = parts.sizes.size
    if n_parts <= MAX_EXACT:
        return _by_average(parts.mean_squares(), parts.sizes)
    parent = merge_parents(*_merges_of_many(parts), n_parts)
    top = Tree(parent, np.zeros(parent.size))
    return Tree(parent, part_distances(top, parts.means, parts.sizes, parts.squares))


def _by_average(mean_squares: NDArray[np.float64], sizes: NDArray[np.float64]) -> Tree:
    first, second, squared = mean_merges(mean_squares, sizes)
    return Tree.from_linkage(number_merges(first, second, np.sqrt(squared)))


def _merges_of_many(parts: Parts) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Merges of parts, each cluster named by one of them, in rounds that leave the components of a neighbour graph."""
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
        parts = _gathered(parts, groups)
    keeper, merged, _ = mean_merges(parts.mean_squares(), parts.sizes)
    return np.concatenate([*first, member[keeper]]), np.concatenate([*second, member[merged]])


def _neighbor_graph(parts: Parts) -> Graph:
    """Parts and their nearest others, weighted by how alike their points are, all pairs of them together.

    1 / (1 + d^2 / s^2), s being the median distance, falls slowly enough to keep the order of distances at any density.
    """
    near = nearest_neighbors(parts.means, N_NEIGHBORS)
    typical = float(np.median(near.distances[near.distances > 0])) if near.distances.any() else 1.0
    rows = np.repeat(np.arange(parts.sizes.size), near.indices.shape[1])
    columns = near.indices.ravel()
    alike = 1 / (1 + np.square(near.distances.ravel() / typical))
    return Graph.from_edges(rows, columns, alike * parts.sizes[rows] * parts.sizes[columns], parts.sizes.size)


def _merged_copies(means: NDArray[np.floating]) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.int64]]:
    """Merges of parts with one and the same mean, two by two until one is left of each; and which part is of which."""
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


def _top_of_distances(distances: Any, components: NDArray[np.int64]) -> Tree | None:
    """The tree over components by the distances that are known; None where none between components is."""
    sizes = np.bincount(components).astype(np.float64)
    if sparse.issparse(distances):
        mean_squares = _known_between(known_distances(distances), components)
    else:
        mean_squares = _all_between(distances, components, sizes)
    return None if mean_squares is None else _by_average(mean_squares, sizes)


def _all_between(distances: Any, components: NDArray[np.int64], sizes: NDArray[np.float64]) -> NDArray[np.float64]:
    """Mean squared distance between each two components over the largest distance of all, (c, c)."""
    n, blocks = distance_blocks(distances)
    # Heights are told by their ratios alone; squares of the distances themselves could overflow.
    largest = float(np.max(distances)) or 1.0
    member = sparse.csr_array((np.ones(n), components, np.arange(n + 1)), shape=(n, sizes.size))
    sums = np.zeros((sizes.size, sizes.size))
    for start, rows in blocks:
        sums += member[start : start + len(rows)].T @ (member.T @ np.square(rows / largest).T).T
    return sums / np.outer(sizes, sizes)


def _known_between(known: sparse.csr_array, components: NDArray[np.int64]) -> NDArray[np.float64] | None:
    """The same of the distances that are known; components with none between them are twice as far as any others."""
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


def _check_number(n_points: int, n_vertices: int) -> None:
    if n_points != n_vertices:
        raise ValueError(f"the distances are between {n_points} points, but the graph has {n_vertices} vertices.")
