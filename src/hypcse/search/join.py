"""Joins the components of a graph, or parts that almost nothing holds together, by the distances of their points."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy import sparse
from scipy.spatial.distance import cdist

from hypcse._checks import check_choice, warn
from hypcse._choices import Metric, Scale
from hypcse.entropy import entropy_from_weights, graph_over, structural_entropy
from hypcse.graph import Graph, GraphLike, scale_features
from hypcse.graph.convert import in_range
from hypcse.graph.neighbors.precomputed import distance_blocks, known_distances
from hypcse.graph.neighbors.search import nearest_neighbors, unit_rows
from hypcse.kernels.arrays import Ids, Reals
from hypcse.kernels.linkage.chains import chain_merges
from hypcse.kernels.linkage.merges import merge_parents, number_merges
from hypcse.kernels.linkage.rounds import mean_merges
from hypcse.kernels.trees.classes import induced_forest
from hypcse.kernels.trees.sweep import leaf_labels
from hypcse.search.binary import binary_form, volume_heights
from hypcse.search.leaving import barely_joined, leaving_parts
from hypcse.tree import Tree
from hypcse.tree.nodes import leaves_by_label, outline, part_distances
from hypcse.tree.numbering import renumber

MAX_EXACT = 4096
"""Up to this many parts, all their distances are held at once."""
N_NEIGHBORS = 10
"""Number of neighbors per part if there are more parts."""
MAX_RISE = 1e-4
"""Largest cost, in bits, of joining across weak bridges."""

Above = Callable[[Ids], Tree | None]
"""From the part of each point to the tree over parts, with root mean squared distances as heights; None: unknown."""


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
    """Join the components of a tree's graph in the order of their distances.

    Structural entropy does not depend on how components are joined, so a tree found on the graph alone says nothing
    about the top. Inside a component the tree does not change. Above, components are joined by average linkage of the
    mean squared distance between their points, |m_a - m_b|^2 + v_a + v_b, with means m and variances v. Without
    `bridges`, entropy never rises.

    Parameters
    ----------
    tree
        A tree over the vertices of the graph; its names are kept.
    graph
        A `Graph`, a networkx graph or a symmetric matrix, as for `structural_entropy`.
    X
        Features, one row per leaf, dense or sparse; scaled by `scale` as in `similarity_graph`.
    distances
        Distances instead of features: square, condensed or sparse, as for `metric="precomputed"`.
    scale, metric
        Those of the graph; "cosine" compares the directions of rows.
    bridges
        Whether to also join by distance parts that almost no edge holds together: the weight that leaves such a part,
        relative to chance, is at most 1 / n, and at most 0.1 %. Entropy may then rise by at most 0.0001 bits; if it
        would rise by more, bridges are kept.

    Returns
    -------
    Tree
        A tree whose heights above components are proportional to the root mean squared distances of the joined parts,
        and higher than all heights inside. If the graph is connected, the tree is returned as it is; also without X and
        distances, with a warning that the order of the components is arbitrary.

    Notes
    -----
    Exact up to 4,096 components, in O(n d + c^2 d). With more, each counts as a point at its mean: average linkage on
    their neighbor graph joins them, and its components are joined in turn. Nothing is quadratic in their number.

    Examples
    --------
    >>> graph = Graph.from_edges([0, 2, 4], [1, 3, 5])
    >>> X = [[0.0], [1.0], [20.0], [21.0], [3.0], [4.0]]
    >>> from hypcse import graph_linkage
    >>> join_components(graph_linkage(graph), graph, X).cut(n_clusters=2).tolist()
    [0, 0, 1, 1, 0, 0]
    """
    graph = in_range(graph_over(tree, graph))
    above = _order_by(X, distances, scale, metric, graph.n_vertices)
    components = graph.components()
    if components.max() > 0:
        top = None if above is None else above(components)
        if top is None:
            warn_of_order(components)
            return tree
        tree = with_top(tree, graph, components, top)
    return tree if above is None or not bridges else join_across_bridges(tree, graph, above)


def _order_by(X: ArrayLike | None, distances: Any, scale: Scale, metric: Metric, n_points: int) -> Above | None:
    """How parts are ordered: by features, by known distances, or not at all."""
    check_choice("metric", metric, Metric)
    if X is not None and distances is not None:
        raise ValueError("X and distances both give distances between points. Pass one of them.")
    if metric == "precomputed":
        X, distances = None, X if distances is None else distances
    if X is not None:
        points = _points(X, scale, metric, n_points)
        return lambda parts: tree_of_parts(gather_points(points, parts))
    if distances is None:
        return None
    n_known = distances.shape[0] if sparse.issparse(distances) else distance_blocks(distances)[0]
    if n_known != n_points:
        raise ValueError(f"the distances are between {n_known} points, but the graph has {n_points} vertices.")
    return lambda parts: tree_of_distances(distances, parts)


def join_across_bridges(
    tree: Tree, graph: Graph, above: Above, entropy: Callable[[Tree, Graph], float] = structural_entropy
) -> Tree:
    """The tree with weakly connected parts joined by distance, unless entropy rises too much."""
    leaving = leaving_parts(tree, graph)
    parts = leaf_labels(tree.parent, barely_joined(tree, leaving.threshold), tree.n_leaves)
    top = above(parts) if parts.max() > graph.components().max() else None
    if top is None:
        return tree
    across = with_top(tree, graph, parts, top)
    rise = entropy(across, graph) - entropy_from_weights(tree, graph, leaving.meeting)
    return across if rise <= MAX_RISE else tree


def warn_of_order(components: Ids) -> None:
    """Warn where there are components that nothing says the order of."""
    n_components = int(components.max()) + 1
    if n_components == 1:
        return
    warn(
        f"the graph has {n_components:,} components, and there are no features or distances to compare them: "
        "the order in which the tree joins them is arbitrary. Pass features to order them."
    )


def _points(X: ArrayLike, scale: Scale, metric: Metric, n_points: int) -> NDArray[np.floating]:
    points = scale_features(X, scale, metric)
    if len(points) != n_points:
        raise ValueError(f"X has {len(points)} rows, but the graph has {n_points} vertices. Pass one row per vertex.")
    return unit_rows(points) if metric == "cosine" else points


@dataclass(frozen=True, eq=False)
class Parts:
    """Groups of points, summarized by what their distances depend on.

    sizes   : (c,) how many points.
    means   : (c, d).
    squares : (c,) sum of the squared distances of the points from their mean.
    """

    sizes: Reals
    means: NDArray[np.floating]
    squares: Reals

    def mean_squares(self) -> Reals:
        """Mean squared distance between the points of each two groups, (c, c)."""
        variances = self.squares / self.sizes
        return cdist(self.means, self.means, "sqeuclidean") + variances[:, None] + variances


def gather_points(points: NDArray[np.floating], groups: Ids) -> Parts:
    """Sizes, means and squares of groups of points, column by column."""
    return gather_parts(Parts(np.ones(len(points)), points, np.zeros(len(points))), groups)


def gather_parts(parts: Parts, groups: Ids) -> Parts:
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


def link_by_average(mean_squares: Reals, sizes: Reals) -> Tree:
    """Average linkage of mean squared distances between parts; heights are their roots."""
    first, second, squared = mean_merges(mean_squares, sizes)
    return Tree.from_linkage(number_merges(first, second, np.sqrt(squared)))


def _merges_of_many(parts: Parts) -> tuple[Ids, Ids]:
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
    """Parts and their nearest others, weighted by 1 / (1 + d^2 / s^2), s the median distance, over pairs of points."""
    near = nearest_neighbors(parts.means, N_NEIGHBORS)
    typical = float(np.median(near.distances[near.distances > 0])) if near.distances.any() else 1.0
    rows = np.repeat(np.arange(parts.sizes.size), near.indices.shape[1])
    columns = near.indices.ravel()
    alike = 1 / (1 + np.square(near.distances.ravel() / typical))
    return Graph.from_edges(rows, columns, alike * parts.sizes[rows] * parts.sizes[columns], parts.sizes.size)


def _merged_copies(means: NDArray[np.floating]) -> tuple[Ids, Ids, Ids]:
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


def tree_of_distances(distances: Any, components: Ids) -> Tree | None:
    """The tree over components by the known distances; None if none between components is known."""
    sizes = np.bincount(components).astype(np.float64)
    if sparse.issparse(distances):
        mean_squares = _known_between(known_distances(distances), components)
    else:
        mean_squares = _all_between(distances, components, sizes)
    return None if mean_squares is None else link_by_average(mean_squares, sizes)


def _all_between(distances: Any, components: Ids, sizes: Reals) -> Reals:
    """Mean squared distance between each two components, relative to the largest distance of all, (c, c)."""
    n, blocks = distance_blocks(distances)
    # Only ratios of heights matter; squares of the distances themselves could overflow.
    largest = float(np.max(distances)) or 1.0
    member = sparse.csr_array((np.ones(n), components, np.arange(n + 1)), shape=(n, sizes.size))
    sums = np.zeros((sizes.size, sizes.size))
    for start, rows in blocks:
        sums += member[start : start + len(rows)].T @ (member.T @ np.square(rows / largest).T).T
    return sums / np.outer(sizes, sizes)


def _known_between(known: sparse.csr_array, components: Ids) -> Reals | None:
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


def top_of(tree: Tree, parts: Ids) -> Tree:
    """The binary tree above parts (labels from 0, each the leaves of a node); its leaf k is part k."""
    return binary_form(outline(tree, parts).tree)


def with_top(tree: Tree, graph: Graph, parts: Ids, top: Tree) -> Tree:
    """The tree inside parts (labels from 0), each over its own leaves, with `top` above, whose leaf k is part k. O(n).

    Nodes inside keep their heights; volume heights are computed again. If the top does not lie above them, its heights
    are multiplied by one number.
    """
    n, n_parts = tree.n_leaves, top.n_leaves
    order = leaves_by_label(tree, parts)
    inner, origin, roots = induced_forest(order, parts, tree.lca(order[:-1], order[1:]))
    n_inside = inner.size
    inner[roots] = n_inside + top.parent[:n_parts] - n_parts
    above = top.parent[n_parts:]
    parent = np.concatenate([inner, np.where(above >= 0, n_inside + above - n_parts, -1)])
    # The order of the original tree, so that children precede their parents.
    nodes = np.concatenate([np.arange(n), n + np.argsort(origin[n:], kind="stable"), n_inside + np.arange(above.size)])
    parent, _ = renumber(parent, np.zeros(parent.size), nodes)
    volume = volume_heights(parent, graph.degrees)
    inside = volume[:n_inside] if tree.unit == "volume" else tree.height[origin[nodes[:n_inside]]]
    outside = _above(max(float(volume[-1]), float(inside.max())), top.height[n_parts:])
    height = np.concatenate([inside, outside])
    by_height = np.concatenate([np.arange(n), n + np.argsort(height[n:], kind="stable")])
    parent, height = renumber(parent, height, by_height)
    return replace(tree, parent=parent, height=height, joined_from=float(outside.min()))


def _above(floor: float, height: Reals) -> Reals:
    """Heights unchanged if all lie above the floor, else in the same ratios above it; those of 0 half-way between."""
    if height.min() > floor:
        return height
    positive = height[height > 0]
    unit = max(1.0, (floor + 1) / float(positive.min())) if positive.size else 1.0
    return np.where(height > 0, height * unit, floor + 0.5)
