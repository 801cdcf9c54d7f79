"""The flat partition of lowest entropy among all cuts of a tree."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from hypcse._checks import check_count
from hypcse.entropy import graph_over, lca_weights, node_volumes
from hypcse.graph import Graph, GraphLike
from hypcse.graph.convert import in_range
from hypcse.kernels.arrays import Flags, Ids, Reals
from hypcse.kernels.search.working_tree import Rows
from hypcse.kernels.trees.cuts import best_antichain, best_antichain_of
from hypcse.kernels.trees.places import Spans, stray_clusters
from hypcse.kernels.trees.sweep import leaf_labels, subtree_sums
from hypcse.search.binary import binary_form
from hypcse.search.compression import cluster_gains
from hypcse.search.leaving import joined_by_distance
from hypcse.tree import Tree
from hypcse.tree.flat import by_leaf, is_mixed, parts_of

MAX_TABLE = 200_000_000
"""Largest number of table entries for a given number of clusters: about n times that number."""


def substantial_size(n_points: int, n_clusters: int | Ids) -> Any:
    """Least number of points of a cluster worth the name among so many clusters: three quarters of sqrt(n / k).

    n / k is the mean size; counts of random strays vary by its square root.

    >>> [int(substantial_size(n, k)) for n, k in [(150, 3), (1_000, 2), (10_000, 10), (100_000, 10), (10, 10)]]
    [5, 16, 23, 75, 1]
    """
    return np.maximum(0.75 * np.sqrt(n_points / n_clusters), 1).astype(np.int64)


def best_cut(
    tree: Tree,
    graph: GraphLike,
    n_clusters: int | None = None,
    min_size: int | None = None,
    max_size: int | None = None,
) -> NDArray[np.int64]:
    """Find the cut of the tree with the lowest two-dimensional structural entropy, exactly.

    Without constraints it is the finest useful level: many small clusters that a random walk seldom leaves. One sweep,
    O(n + m). Ties go to the coarser cut, but clusters without an edge between them are never merged.

    Subtrees of fewer than `min_size` leaves are no clusters. Such strays belong to the cluster that they hang on: the
    one beside them in the tree that most of the weight of their edges goes to, or without an edge the largest.

    Parameters
    ----------
    tree, graph
        As for `structural_entropy`.
    n_clusters
        Exact number of clusters, by dynamic programming in O(n k) time and memory, for n k of at most 200 million. A
        tree with multiway nodes is first split as by `to_linkage`. If you ask for fewer clusters than there are parts
        joined by `join_components`, the cut with the smallest squared distances between the parts of a cluster is
        taken, unless the size limits exclude it.
    min_size
        Smallest number of leaves per cluster. By default 1 or, with `n_clusters`, three quarters of the square
        root of n / n_clusters; half of that, and so on, if the tree has too few such clusters.
    max_size
        Largest number of leaves per cluster. Strays then remain clusters, and if no cut meets both limits, this is an
        error.

    Returns
    -------
    ndarray of shape (n,)
        The found clusters, numbered from 0 by smallest leaf.

    Examples
    --------
    >>> from hypcse import Graph, graph_linkage
    >>> g = Graph.from_edges([0, 0, 1, 2, 3, 3, 4], [1, 2, 2, 3, 4, 5, 5])
    >>> best_cut(graph_linkage(g), g).tolist()
    [0, 0, 0, 1, 1, 1]
    """
    graph = in_range(graph_over(tree, graph))
    if n_clusters is not None:
        check_count("n_clusters", n_clusters, 1, tree.n_leaves)
        tree = binary_form(tree)
    low = None if min_size is None else check_count("min_size", min_size, 1)
    high = check_count("max_size", tree.n_leaves if max_size is None else max_size, 1)
    if low is not None and low > high:
        raise ValueError(f"min_size={low} is above max_size={high}. Lower min_size or raise max_size.")
    barred, least = tree.sizes > high, low
    if max_size is not None:
        # Strays are clusters, and so barred where they are too small.
        barred, least = barred | (tree.sizes < (low or 1)), 1
    if n_clusters is not None:
        cut = cut_into(tree, graph, n_clusters, least, barred)
    else:
        gain, large = np.where(barred, -np.inf, cluster_gains(tree, graph)), tree.sizes >= (least or 1)
        split, total = best_antichain(tree.parent, gain, lca_weights(tree, graph) > 0, large)
        cut = None if total == -np.inf else Cut(split, parts_of(tree.parent, split) & large)
    if cut is None:
        wanted = "" if n_clusters is None else f" and {n_clusters} clusters"
        raise ValueError(
            f"no cut of this tree has clusters of {low or 1} to {high} leaves{wanted}. Widen min_size and max_size."
        )
    return cut_labels(tree, graph, cut)


class Cut(NamedTuple):
    """Clusters of a tree: the nodes that are split, and those that are clusters. Other parts are strays."""

    split: Flags
    chosen: Flags


def cut_into(tree: Tree, graph: Graph, n_clusters: int, least: int | None, barred: Flags) -> Cut | None:
    """The best clusters of this number, or None, in a binary tree; `least` is None for a substantial size, or half."""
    gains = gains_of_number(tree, graph)
    tried = int(substantial_size(tree.n_leaves, n_clusters)) if least is None else least
    sizes = [tried] if least is not None else [tried >> k for k in range(tried.bit_length())]
    # What the size limits exclude by distance, they may still allow by entropy.
    for size, value in [*((size, gains) for size in sizes), (sizes[-1], lambda *_: cluster_gains(tree, graph))]:
        check_table(tree, n_clusters, size)
        values = np.where(barred, -np.inf, value(n_clusters, size))
        split, chosen, total = best_antichain_of(children_of(tree), values, tree.sizes, n_clusters, size)
        if total > -np.inf:
            return Cut(split, chosen)
    return None


def cut_labels(tree: Tree, graph: Graph, cut: Cut) -> Ids:
    """Flat labels of a cut, numbered by smallest leaf; strays belong to the cluster that they hang on."""
    strays = np.flatnonzero(parts_of(tree.parent, cut.split) & ~cut.chosen)
    if strays.size == 0:
        return leaf_labels(tree.parent, cut.split, tree.n_leaves)
    strays = strays[np.argsort(tree.parent[strays], kind="stable")]
    first = tree.first_positions
    spans = Spans(tree.parent, np.argsort(first[: tree.n_leaves]), first, tree.sizes)
    # Edges that stand for others do not say where a stray hangs.
    graph = Graph.from_edges([], [], None, tree.n_leaves) if graph.is_outline else graph
    return by_leaf(stray_clusters(spans, Rows(graph.indptr, graph.indices, graph.weights), cut.chosen, strays))


def merge_small(tree: Tree, graph: Graph, labels: Ids, least: int) -> Ids:
    """The clusters of a cut, without those of fewer than `least` leaves, which are joined or become strays."""
    mixed = is_mixed(tree.parent, labels)
    gain = np.where(parts_of(tree.parent, mixed), 1.0, np.where(mixed, 0.0, -np.inf))
    large = tree.sizes >= min(least, tree.n_leaves)
    split, _ = best_antichain(tree.parent, gain, np.zeros(tree.n_nodes, np.bool_), large)
    return cut_labels(tree, graph, Cut(split, parts_of(tree.parent, split) & large))


def volume_shares(tree: Tree, graph: Graph, meeting: Reals) -> tuple[Reals, Reals]:
    """Of each node, its share of the volume, and that which stays inside it, loops included, by the `lca_weights`."""
    total = graph.volume or 1.0
    inside = 2 * subtree_sums(tree.parent, meeting) + node_volumes(tree, graph.self_weights)
    return node_volumes(tree, graph.degrees) / total, inside / total


def coarsest_cut(tree: Tree, graph: Graph) -> Ids:
    """Labels of the largest nodes held together by edges: one cluster if the graph is connected. O(n + m)."""
    joined = lca_weights(tree, graph) > 0
    split, _ = best_antichain(tree.parent, np.zeros(tree.n_nodes), joined, np.ones(tree.n_nodes, np.bool_))
    return leaf_labels(tree.parent, split, tree.n_leaves)


def gains_of_number(tree: Tree, graph: Graph) -> Callable[[int, int], Reals]:
    """The value of each node of a binary tree as one of `n_clusters` clusters of at least `least` leaves.

    The entropy that a cluster lowers. But of what distances joined, see `join_components`, the entropy knows nothing:
    more clusters than such parts lie inside them, and fewer lose the squared distances that they join: with a and b the
    children of a node and d their distance, the sum of |a| |b| d^2 over it and all below, over its size.
    """
    above = joined_by_distance(tree, graph, foreign=False)
    gain = cluster_gains(tree, graph)
    if not above.any():
        return lambda *_: gain
    parts = parts_of(tree.parent, above)
    first, second = tree.sizes[children_of(tree)].T
    squares = np.zeros(tree.n_nodes)
    squares[tree.n_leaves :] = first * second * np.square(tree.height[tree.n_leaves :])
    smaller = np.zeros(tree.n_nodes, np.int64)
    smaller[tree.n_leaves :] = np.minimum(first, second)

    def value(n_clusters: int, least: int) -> Reals:
        large = parts & (tree.sizes >= least)
        if n_clusters > np.count_nonzero(large):
            return np.where(above & (subtree_sums(tree.parent, large.astype(np.float64)) > 0), -np.inf, gain)
        lost = subtree_sums(tree.parent, np.where(above & (smaller >= least), squares, 0.0)) / tree.sizes
        return np.where(above | parts, -lost, -np.inf)

    return value


def children_of(tree: Tree) -> Ids:
    """The two children of every internal node of a binary tree."""
    return np.argsort(tree.parent[:-1], kind="stable").reshape(-1, 2)


def check_table(tree: Tree, n_clusters: int, least: int) -> None:
    entries = int(np.minimum(tree.sizes // least, n_clusters).sum())
    if entries > MAX_TABLE:
        raise ValueError(
            f"n_clusters={n_clusters} on {tree.n_leaves} leaves needs tables of {entries} entries; the limit is "
            f"{MAX_TABLE}. Ask for fewer clusters, or use tree.cut(n_clusters=...)."
        )
