"""The flat partition of lowest entropy among all cuts of a tree."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from hypcse._checks import check_count
from hypcse.discrete.binary import binary_form
from hypcse.discrete.leaving import joined_by_distance
from hypcse.entropy import graph_over, lca_weights, node_volumes
from hypcse.graph import Graph, GraphLike
from hypcse.graph.units import in_range
from hypcse.kernels.cuts.antichains import antichain_tables, best_antichain, best_antichain_of
from hypcse.kernels.trees.sweep import leaf_labels, subtree_sums
from hypcse.tree import Tree

MAX_TABLE = 200_000_000
"""Largest number of table entries for a given number of clusters: about n times that number."""


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

    Parameters
    ----------
    tree
        The tree. Its leaf k is vertex k of the graph.
    graph
        A `Graph`, a networkx graph or a symmetric matrix, as for `structural_entropy`.
    n_clusters
        Exact number of clusters, by dynamic programming in O(n k) time and memory, for n k of at most 200 million. A
        tree with multiway nodes is first split as by `to_linkage`. If you ask for fewer clusters than there are parts
        joined by `join_components`, the cut with the smallest squared distances between the parts of a cluster is
        taken, unless the size limits exclude it.
    min_size, max_size
        Limits on the number of leaves per cluster. If no cut meets them, this is an error.

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
    low = check_count("min_size", 1 if min_size is None else min_size, 1)
    high = check_count("max_size", tree.n_leaves if max_size is None else max_size, 1)
    if low > high:
        raise ValueError(f"min_size={low} is above max_size={high}. Lower min_size or raise max_size.")
    barred = (tree.sizes < low) | (tree.sizes > high)
    total = -np.inf
    if n_clusters is not None:
        split, total = _of_number(tree, np.where(barred, -np.inf, gains_of_number(tree, graph)(n_clusters)), n_clusters)
    if total == -np.inf:
        gain = np.where(barred, -np.inf, cluster_gains(tree, graph))
        if n_clusters is None:
            split, total = best_antichain(tree.parent, gain, lca_weights(tree, graph) > 0, tree.n_leaves)
        else:
            split, total = _of_number(tree, gain, n_clusters)
    if total == -np.inf:
        wanted = "" if n_clusters is None else f" and {n_clusters} clusters"
        raise ValueError(
            f"no cut of this tree has clusters of {low} to {high} leaves{wanted}. Widen min_size and max_size."
        )
    return leaf_labels(tree.parent, split, tree.n_leaves)


def coarsest_cut(tree: Tree, graph: Graph) -> NDArray[np.int64]:
    """Labels of the largest nodes held together by edges: one cluster if the graph is connected. O(n + m).

    >>> g = Graph.from_edges([0, 1], [1, 2], None, 4)
    >>> coarsest_cut(Tree.from_newick("(((0,1),2),3);"), g).tolist()
    [0, 0, 0, 1]
    """
    split, _ = best_antichain(tree.parent, np.zeros(tree.n_nodes), lca_weights(tree, graph) > 0, tree.n_leaves)
    return leaf_labels(tree.parent, split, tree.n_leaves)


def cut_savings(tree: Tree, graph: Graph, max_clusters: int) -> NDArray[np.float64]:
    """What the best cut into 1, 2, ... max_clusters clusters saves over the star of all leaves, in bits.

    One table for all of them, O(n k) time and memory. A tree with multiway nodes is first split as by `to_linkage`.

    >>> from hypcse import Graph, graph_linkage
    >>> g = Graph.from_edges([0, 0, 1, 2, 3, 3, 4], [1, 2, 2, 3, 4, 5, 5])
    >>> cut_savings(graph_linkage(g), g, 3).round(2).tolist()
    [0.0, 0.86, 0.64]
    """
    limit = check_count("max_clusters", max_clusters, 1, tree.n_leaves)
    tree = binary_form(tree)
    check_table(tree, limit)
    gain = cluster_gains(tree, graph)
    if graph.volume == 0 or tree.n_leaves == 1:
        return np.zeros(limit)
    best, _ = antichain_tables(children_of(tree), gain, tree.sizes, limit)
    return 2 * best[-limit:] / graph.volume


def cluster_gains(tree: Tree, graph: Graph) -> NDArray[np.float64]:
    """How much each node, as a cluster, lowers the entropy, times V / 2: inside weight times log2(V / volume)."""
    inside = subtree_sums(tree.parent, lca_weights(tree, graph))
    volumes = node_volumes(tree, graph.degrees)
    bits = np.log2(volumes, where=volumes > 0, out=np.zeros_like(volumes))
    return inside * (bits[-1] - bits)


def gains_of_number(tree: Tree, graph: Graph) -> Callable[[int], NDArray[np.float64]]:
    """The value of each node of a binary tree as one of `n_clusters` clusters.

    The entropy that a cluster lowers. But what distances joined, see `join_components`, the entropy cannot tell apart:
    more clusters than such parts lie inside them, and fewer lose the squared distances between the parts that they
    join: with a and b what a node joins and d their distance, the sum of |a| |b| d^2 over it and all below, over its
    size.
    """
    above = joined_by_distance(tree, graph, foreign=False)
    parts = ~above
    parts[:-1] &= above[tree.parent[:-1]]
    n_parts = np.count_nonzero(parts) if above.any() else 0
    if n_parts == 0:
        gain = cluster_gains(tree, graph)
        return lambda _: gain
    first, second = tree.sizes[children_of(tree)].T.astype(np.float64)
    squares = np.zeros(tree.n_nodes)
    squares[tree.n_leaves :] = first * second * np.square(tree.height[tree.n_leaves :])
    lost = subtree_sums(tree.parent, np.where(above, squares, 0.0)) / tree.sizes
    loss = np.where(above | parts, -lost, -np.inf)
    gain = np.where(above, -np.inf, cluster_gains(tree, graph))
    return lambda number: loss if number <= n_parts else gain


def _of_number(tree: Tree, gain: NDArray[np.float64], n_clusters: int) -> tuple[NDArray[np.bool_], float]:
    check_table(tree, n_clusters)
    return best_antichain_of(children_of(tree), gain, tree.sizes, n_clusters)


def children_of(tree: Tree) -> NDArray[np.int64]:
    """The two children of every internal node of a binary tree."""
    return np.argsort(tree.parent[:-1], kind="stable").reshape(-1, 2)


def check_table(tree: Tree, n_clusters: int) -> None:
    entries = int(np.minimum(tree.sizes, n_clusters).sum())
    if entries > MAX_TABLE:
        raise ValueError(
            f"n_clusters={n_clusters} on {tree.n_leaves} leaves needs tables of {entries} entries; the limit is "
            f"{MAX_TABLE}. Ask for fewer clusters, or use tree.cut(n_clusters=...)."
        )
