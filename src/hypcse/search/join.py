"""Joins the components of a graph by the features or distances of their points."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy import sparse

from hypcse._checks import check_choice, warn
from hypcse._choices import Metric, Scale
from hypcse.entropy import entropy_from_weights, graph_over, structural_entropy
from hypcse.graph import Graph, GraphLike, scale_features
from hypcse.graph.convert import in_range
from hypcse.graph.features import dense_features
from hypcse.graph.neighbors.precomputed import distance_blocks
from hypcse.graph.neighbors.search import unit_rows
from hypcse.kernels.trees.sweep import leaf_labels
from hypcse.search.components import gather_points, tree_of_distances, tree_of_parts, with_top
from hypcse.search.leaving import barely_joined, leaving_parts
from hypcse.tree import Tree

MAX_RISE = 1e-4
"""Largest cost, in bits, of joining across weak bridges."""

Above = Callable[[NDArray[np.int64]], Tree | None]
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


def warn_of_order(components: NDArray[np.int64]) -> None:
    """Warn where there are components that nothing says the order of."""
    n_components = int(components.max()) + 1
    if n_components == 1:
        return
    warn(
        f"the graph has {n_components:,} components, and there are no features or distances to compare them: "
        "the order in which the tree joins them is arbitrary. Pass features to order them."
    )


def _points(X: ArrayLike, scale: Scale, metric: Metric, n_points: int) -> NDArray[np.floating]:
    points = scale_features(dense_features(X), scale, metric)
    if len(points) != n_points:
        raise ValueError(f"X has {len(points)} rows, but the graph has {n_points} vertices. Pass one row per vertex.")
    return unit_rows(points) if metric == "cosine" else points
