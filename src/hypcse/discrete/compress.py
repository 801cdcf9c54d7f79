"""The compressing operator: a tree with few levels that keeps as much as it can."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from hypcse._checks import check_count
from hypcse.discrete.cuts import cluster_gains
from hypcse.entropy import lca_weights, node_volumes
from hypcse.graph import Graph
from hypcse.kernels.cuts import best_antichain
from hypcse.kernels.levels import best_levels
from hypcse.kernels.sweep import kept_parents, subtree_sums
from hypcse.tree import Tree
from hypcse.tree.numbering import renumber

MAX_WORK = 3_000_000_000
"""Node visits up to which the best levels are found exactly."""


def compress(tree: Tree, graph: Graph, n_levels: int) -> Tree:
    """The tree with at most `n_levels` levels below the root, leaves included, that loses least structural entropy.

    One level is the star of all leaves, two levels are the clusters of `best_cut`, three are groups of clusters, and so
    on: a taxonomy for people who do not want a binary tree. Kept nodes keep their heights. Exact by dynamic programming
    where (levels - 2) times the sum of all subtree sizes is at most 3 billion; on larger or deeper trees the levels are
    chosen one by one from the finest up.

    >>> from hypcse import Graph, graph_linkage
    >>> g = Graph.from_edges([0, 0, 1, 2, 3, 3, 4], [1, 2, 2, 3, 4, 5, 5])
    >>> compress(graph_linkage(g), g, n_levels=2).n_nodes
    9
    """
    check_count("n_levels", n_levels, 1)
    return keep_nodes(tree, kept_levels(tree, graph, min(n_levels, tree.n_leaves)) > 0)


def keep_nodes(tree: Tree, chosen: NDArray[np.bool_]) -> Tree:
    """The tree with every internal node contracted but the root and those chosen; heights stay."""
    kept = chosen.copy()
    kept[: tree.n_leaves] = True
    kept[-1] = True
    above = kept_parents(tree.parent, kept)
    order = np.concatenate([np.flatnonzero(kept), np.flatnonzero(~kept)])
    parent, height = renumber(above, tree.height, order)
    n_kept = int(kept.sum())
    return Tree(parent[:n_kept], height[:n_kept], tree.names)


def kept_levels(tree: Tree, graph: Graph, n_levels: int) -> NDArray[np.int64]:
    """Level (1 just below the root) of each internal node that `compress` keeps; 0 at all others."""
    if n_levels == 1 or tree.n_leaves < 3:
        return np.zeros(tree.n_nodes, np.int64)
    work = max(n_levels - 2, 0) * int(tree.sizes.sum()) * 2
    return _exactly(tree, graph, n_levels) if work <= MAX_WORK else one_by_one(tree, graph, n_levels)


def _exactly(tree: Tree, graph: Graph, n_levels: int) -> NDArray[np.int64]:
    order, count = _post_order(tree)
    parent, _ = renumber(tree.parent, tree.height, order)
    inside = subtree_sums(tree.parent, lca_weights(tree, graph))
    volumes = node_volumes(tree, graph.degrees)
    bits = np.log2(volumes, where=volumes > 0, out=np.zeros_like(volumes))
    level = np.zeros(tree.n_nodes, np.int64)
    level[order] = best_levels(parent, count[order], inside[order], bits[order], n_levels)
    return level


def one_by_one(tree: Tree, graph: Graph, n_levels: int) -> NDArray[np.int64]:
    """From the finest level up, each the best cut of what is above the one before."""
    level = np.zeros(tree.n_nodes, np.int64)
    for depth, chosen in enumerate(coarser_cuts(tree, graph, n_levels - 1)):
        level[chosen] = n_levels - 1 - depth
    return level


def coarser_cuts(tree: Tree, graph: Graph, n_cuts: int) -> list[NDArray[np.int64]]:
    """Nodes of at most `n_cuts` nested cuts, the finest first, each gaining most given the one below it.

    With the clusters c of one cut kept, keeping u above them gains (inside(u) - sum of inside(c)) log2(V / vol(u)).
    """
    base = cluster_gains(tree, graph)
    inside = subtree_sums(tree.parent, lca_weights(tree, graph))
    covered = np.zeros(tree.n_nodes)
    floor = np.zeros(tree.n_nodes, np.bool_)
    cuts: list[NDArray[np.int64]] = []
    while len(cuts) < n_cuts:
        share = np.divide(inside - covered, inside, where=inside > 0, out=np.zeros_like(inside))
        gain = np.where(floor, 0.0, base * np.maximum(share, 0.0))
        chosen = _clusters(tree, gain)
        if chosen.size == 0:
            break
        cuts.append(chosen)
        weights = np.zeros(tree.n_nodes)
        weights[chosen] = inside[chosen]
        covered = np.maximum(covered, subtree_sums(tree.parent, weights))
        floor |= covered == 0
        floor[chosen] = True
    return cuts


def _clusters(tree: Tree, gain: NDArray[np.float64]) -> NDArray[np.int64]:
    """Internal nodes other than the root that are clusters, with a positive gain, of the best cut."""
    split, _ = best_antichain(tree.parent, gain, tree.n_leaves)
    is_cluster = ~split
    is_cluster[:-1] &= split[tree.parent[:-1]]
    is_cluster[-1] = False
    return np.flatnonzero(is_cluster & (gain > 0))


def _post_order(tree: Tree) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Nodes in post-order, and how many nodes each subtree has."""
    count = subtree_sums(tree.parent, np.ones(tree.n_nodes)).astype(np.int64)
    end = tree.first_positions + tree.sizes
    return np.lexsort((count, end)), count
