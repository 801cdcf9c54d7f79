"""The flat partition of least entropy among all cuts of a tree."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from hypcse._checks import check_count
from hypcse.entropy import lca_weights, node_volumes
from hypcse.graph import Graph
from hypcse.kernels.trees.cuts import best_antichain, best_antichain_of
from hypcse.kernels.trees.sweep import leaf_labels, subtree_sums
from hypcse.tree import Tree

MAX_TABLE = 200_000_000
"""Entries of the tables that a given number of clusters may need: about n times that number."""


def best_cut(
    tree: Tree,
    graph: Graph,
    n_clusters: int | None = None,
    min_size: int | None = None,
    max_size: int | None = None,
) -> NDArray[np.int64]:
    """Flat labels of least two-dimensional structural entropy among all cuts of the tree, exactly.

    Without constraints it is the finest useful level: many small clusters that a random walk seldom leaves. One sweep,
    O(n + m); of cuts that tie, the coarser, but nothing is put together that no edge joins.

    min_size, max_size : limits on the number of leaves of every cluster; together they may leave no cut, which is an
                         error.
    n_clusters         : exactly so many clusters, by dynamic programming in O(n k) time and memory, for n k of at most
                         200 million. A tree with multiway nodes is split as `to_linkage` splits it.

    >>> from hypcse import Graph, graph_linkage
    >>> g = Graph.from_edges([0, 0, 1, 2, 3, 3, 4], [1, 2, 2, 3, 4, 5, 5])
    >>> best_cut(graph_linkage(g), g).tolist()
    [0, 0, 0, 1, 1, 1]
    """
    if n_clusters is not None:
        check_count("n_clusters", n_clusters, 1, tree.n_leaves)
        tree = binary_form(tree)
    gain = cluster_gains(tree, graph)
    low = check_count("min_size", 1 if min_size is None else min_size, 1)
    high = check_count("max_size", tree.n_leaves if max_size is None else max_size, 1)
    if low > high:
        raise ValueError(f"min_size={low} is above max_size={high}. Lower the one or raise the other.")
    gain[(tree.sizes < low) | (tree.sizes > high)] = -np.inf
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


def cluster_gains(tree: Tree, graph: Graph) -> NDArray[np.float64]:
    """What each node, taken as a cluster, lowers the entropy by, times V / 2: inside weight times log2(V / volume)."""
    inside = subtree_sums(tree.parent, lca_weights(tree, graph))
    volumes = node_volumes(tree, graph.degrees)
    bits = np.log2(volumes, where=volumes > 0, out=np.zeros_like(volumes))
    return inside * (bits[-1] - bits)


def binary_form(tree: Tree) -> Tree:
    """The tree with multiway nodes split as `to_linkage` splits them."""
    return tree if tree.is_binary else Tree.from_linkage(tree.to_linkage(), tree.names)


def _of_number(tree: Tree, gain: NDArray[np.float64], n_clusters: int) -> tuple[NDArray[np.bool_], float]:
    entries = int(np.minimum(tree.sizes, n_clusters).sum())
    if entries > MAX_TABLE:
        raise ValueError(
            f"n_clusters={n_clusters} on {tree.n_leaves} leaves needs tables of {entries} entries; the limit is "
            f"{MAX_TABLE}. Ask for fewer clusters, or use tree.cut(n_clusters=...)."
        )
    children = np.argsort(tree.parent[:-1], kind="stable").reshape(-1, 2)
    return best_antichain_of(children, gain, tree.sizes, n_clusters)
