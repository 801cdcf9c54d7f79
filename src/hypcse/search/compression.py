"""The compressing operator: a tree with few levels that loses as little entropy as possible."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

import numpy as np

from hypcse._checks import check_count
from hypcse.entropy import graph_over, node_volumes
from hypcse.entropy.volumes import bits_of, meeting_weights
from hypcse.graph import Graph, GraphLike
from hypcse.graph.convert import in_range
from hypcse.kernels.arrays import Flags, Ids, Reals
from hypcse.kernels.trees.cuts import Outline, best_antichain, best_gain_at_root, best_levels, gains_below
from hypcse.kernels.trees.sweep import kept_parents, subtree_sums
from hypcse.tree import Tree
from hypcse.tree.flat import parts_of
from hypcse.tree.numbering import renumber

MAX_WORK = 3_000_000_000
"""Largest number of node visits for finding the best levels exactly."""


def compress(tree: Tree, graph: GraphLike, n_levels: int) -> Tree:
    """Reduce a tree to at most `n_levels` levels below the root, leaves included, with the smallest loss of entropy.

    One level is the star of all leaves, two levels are the clusters of `best_cut`, three are groups of clusters, and so
    on: a taxonomy for people who do not want a binary tree. Exact by dynamic programming if (levels - 2) times the sum
    of all subtree sizes is at most 3 billion; on larger or deeper trees the levels are chosen one by one from the
    finest up.

    Parameters
    ----------
    tree
        The tree. Its leaf k is vertex k of the graph.
    graph
        A `Graph`, a networkx graph or a symmetric matrix, as for `structural_entropy`.
    n_levels
        Maximum number of levels below the root.

    Returns
    -------
    Tree
        A multiway tree over the same leaves; remaining nodes keep their heights.

    Examples
    --------
    >>> from hypcse import Graph, graph_linkage
    >>> g = Graph.from_edges([0, 0, 1, 2, 3, 3, 4], [1, 2, 2, 3, 4, 5, 5])
    >>> compress(graph_linkage(g), g, n_levels=2).n_nodes
    9
    """
    check_count("n_levels", n_levels, 1)
    graph = in_range(graph_over(tree, graph))
    return keep_nodes(tree, kept_levels(tree, graph, min(n_levels, tree.n_leaves)) > 0)


def keep_nodes(tree: Tree, chosen: Flags) -> Tree:
    """The tree with every internal node contracted except the root and the chosen ones; heights do not change."""
    stays = chosen.copy()
    stays[: tree.n_leaves] = True
    stays[-1] = True
    order = np.argsort(~stays, kind="stable")
    parent, height = renumber(kept_parents(tree.parent, stays), tree.height, order)
    n_nodes = int(stays.sum())
    return replace(tree, parent=parent[:n_nodes], height=height[:n_nodes])


def kept_levels(tree: Tree, graph: Graph, n_levels: int) -> Ids:
    """Level (1 just below the root) of each internal node that `compress` keeps; 0 at all others."""
    if n_levels == 1 or tree.n_leaves < 3:
        return np.zeros(tree.n_nodes, np.int64)
    if is_small(tree, n_levels):
        return LevelTable(tree, graph).kept(n_levels)
    return one_by_one(tree, graph, n_levels)


def is_small(tree: Tree, n_levels: int) -> bool:
    """Whether this many levels are found exactly."""
    return max(n_levels - 2, 0) * int(tree.sizes.sum()) * 2 <= MAX_WORK


class LevelTable:
    """Row b: the highest gain below each node if b levels of internal nodes may be kept there."""

    def __init__(self, tree: Tree, graph: Graph, meeting: Reals | None = None) -> None:
        # Nodes in post-order, and how many nodes each subtree has.
        count = subtree_sums(tree.parent, np.ones(tree.n_nodes)).astype(np.int64)
        self.order = order = np.lexsort((count, tree.first_positions + tree.sizes))
        meeting, inside, bits = node_sums(tree, graph, meeting)
        parent, _ = renumber(tree.parent, tree.height, order)
        self.outline = Outline(parent, count[order], inside[order], bits[order], (meeting > 0)[order])
        self.rows = [np.zeros(tree.n_nodes)]
        self.volume = graph.volume

    def saving(self, n_levels: int) -> float:
        """What the best tree with this many levels below the root saves over the star, in bits."""
        gain = best_gain_at_root(self.outline, self._row(n_levels - 2)) if n_levels > 1 else 0.0
        return 2 * gain / self.volume if self.volume > 0 else 0.0

    def kept(self, n_levels: int) -> Ids:
        """Level of each node to keep, 0 at all others."""
        self._row(n_levels - 2)
        level = np.zeros(self.order.size, np.int64)
        level[self.order] = best_levels(self.outline, np.array(self.rows[: n_levels - 1]))
        return level

    def _row(self, number: int) -> Reals:
        while len(self.rows) <= number:
            self.rows.append(gains_below(self.outline, self.rows[-1]))
        return self.rows[number]


def one_by_one(tree: Tree, graph: Graph, n_levels: int) -> Ids:
    """The levels from the finest up; each is the best cut of what is above the one before."""
    return levels_of_cuts(tree, [chosen for chosen, _ in coarser_cuts(tree, graph, n_levels - 1)])


def levels_of_cuts(tree: Tree, cuts: Sequence[Ids]) -> Ids:
    """Level of each node of some nested cuts, the finest first; 0 at all other nodes."""
    stays = np.zeros(tree.n_nodes, np.bool_)
    stays[np.concatenate([[tree.root], *cuts])] = True
    above = kept_parents(tree.parent, stays)
    level = np.zeros(tree.n_nodes, np.int64)
    for chosen in reversed(cuts):
        level[chosen] = level[above[chosen]] + 1
    return level


def coarser_cuts(tree: Tree, graph: Graph, n_cuts: int, meeting: Reals | None = None) -> Iterator[tuple[Ids, float]]:
    """Nodes of at most `n_cuts` nested cuts, the finest first, and the bits that each saves, the most it can.

    With the clusters c of one cut kept, keeping u above them gains (inside(u) - sum of inside(c)) log2(V / vol(u)).
    """
    meeting, inside, bits = node_sums(tree, graph, meeting)
    base = inside * (bits[-1] - bits)
    covered = np.zeros(tree.n_nodes)
    topmost, floor = np.zeros(tree.n_nodes, np.bool_), np.zeros(tree.n_nodes, np.bool_)
    for _ in range(n_cuts):
        share = np.divide(inside - covered, inside, where=inside > 0, out=np.zeros_like(inside))
        gain = np.where(floor, 0.0, base * np.maximum(share, 0.0))
        chosen = _clusters(tree, gain, meeting > 0)
        if chosen.size == 0:
            break
        yield chosen, 2 * float(gain[chosen].sum()) / graph.volume
        marks = np.arange(tree.n_nodes) == tree.root
        marks[chosen] = True
        below = kept_parents(tree.parent, marks) != tree.root
        topmost = (topmost & ~below) | marks
        topmost[-1] = False
        covered = subtree_sums(tree.parent, np.where(topmost, inside, 0.0))
        floor |= below | marks | (covered == 0)


def _clusters(tree: Tree, gain: Reals, joined: Flags) -> Ids:
    """Internal nodes other than the root that are clusters, with a positive gain, of the best cut."""
    split, _ = best_antichain(tree.parent, gain, joined, np.ones(tree.n_nodes, np.bool_))
    is_cluster = parts_of(tree.parent, split)
    is_cluster[-1] = False
    return np.flatnonzero(is_cluster & (gain > 0))


def cluster_gains(tree: Tree, graph: Graph) -> Reals:
    """How much each node, as a cluster, lowers the entropy, times V / 2: inside weight times log2(V / volume)."""
    _, inside, bits = node_sums(tree, graph)
    return inside * (bits[-1] - bits)


def node_sums(tree: Tree, graph: Graph, meeting: Reals | None = None) -> tuple[Reals, Reals, Reals]:
    """For each node the weight that meets there, if it is not known, the weight inside, and log2 of the volume."""
    meeting = meeting_weights(tree, graph) if meeting is None else meeting
    return meeting, subtree_sums(tree.parent, meeting), bits_of(node_volumes(tree, graph.degrees))
