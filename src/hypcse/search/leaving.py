"""How much weight leaves the parts of a tree, and where almost none does."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from hypcse.entropy import node_volumes
from hypcse.entropy.volumes import cuts_from_weights, meeting_weights
from hypcse.graph import Graph
from hypcse.graph.convert import in_range, unit_exponent
from hypcse.kernels.trees.cuts import from_above, split_thresholds
from hypcse.tree import Tree
from hypcse.tree.flat import is_mixed, parts_of

LEAST_PART = 0.25
"""A part smaller than this number times the square root of the number of leaves is no reason to split."""


class Leaving(NamedTuple):
    """How a limit on the weight that leaves a part splits a tree.

    threshold : (n_nodes,) the limit from which on a node is split in the finest partition into parts that count.
    finer     : (n_nodes,) the same if nodes without two parts that count may fall apart into smaller ones.
    large     : (n_nodes,) which nodes are parts that count.
    meeting   : (n_nodes,) weight of the edges that meet at each node.
    """

    threshold: NDArray[np.float64]
    finer: NDArray[np.float64]
    large: NDArray[np.bool_]
    meeting: NDArray[np.float64]


def leaving_parts(tree: Tree, graph: Graph, least: float | None = None) -> Leaving:
    """Limits on cut(u) V / (vol(u) (V - vol(u))) of a part u at which nodes split, from `least` or `least_limit` on.

    This is the weight that leaves a part, relative to what would if edges depended only on degrees. Nodes at which no
    edge meets are always split. O(n + m).
    """
    meeting = meeting_weights(tree, graph)
    alike, exponent = in_range(graph), unit_exponent(graph)
    volume, total = node_volumes(tree, alike.degrees), alike.volume
    chance = volume * np.maximum(total - volume, 0.0)
    cuts = cuts_from_weights(tree, alike, np.ldexp(meeting, exponent))
    value = np.divide(cuts * total, chance, where=chance > 0, out=np.zeros(tree.n_nodes))
    apart = (meeting == 0) & (tree.n_children > 0)
    large = tree.sizes >= max(2.0, LEAST_PART * np.sqrt(tree.n_leaves))
    threshold = split_thresholds(tree.parent, value, large, apart)
    smaller = split_thresholds(tree.parent, value, tree.sizes > 1, apart)
    finer = np.where(np.isfinite(threshold), threshold, smaller)
    least = least_limit(tree.n_leaves) if least is None else least
    threshold, finer = (from_above(tree.parent, limits, apart, least) for limits in (threshold, finer))
    return Leaving(threshold, finer, large, meeting)


def least_limit(n_leaves: int) -> float:
    """The limit below which almost nothing leaves a part: the share of one vertex's edges, and at most 0.1 %."""
    return min(1 / n_leaves, 0.001)


def barely_joined(tree: Tree, threshold: NDArray[np.float64]) -> NDArray[np.bool_]:
    """The nodes that are split at the lowest limit: almost no edges hold their children together."""
    split = threshold <= least_limit(tree.n_leaves)
    split[: tree.n_leaves] = False
    return split


def joined_by_distance(
    tree: Tree, graph: Graph, leaving: Leaving | None = None, *, foreign: bool = True
) -> NDArray[np.bool_]:
    """The nodes with distances as heights: the top of the tree, or none. `leaving` are the `leaving_parts`, if known.

    They count if the graph has almost no edges across them. In a tree that was not searched, if `foreign` trees count,
    these are the nodes above the components, if the components are nodes of the tree.
    """
    above = tree.joined_by_distance
    if above.any():
        meeting = meeting_weights(tree, graph) if leaving is None else leaving.meeting
        # Parts that leak at most the lowest limit leave at most that share of all weight to the top.
        if 2 * meeting[above].sum() <= least_limit(tree.n_leaves) * graph.volume * (1 + 1e-9):
            return above
    none = np.zeros(tree.n_nodes, np.bool_)
    if tree.unit == "volume" or not foreign:
        return none
    components = graph.components()
    mixed = is_mixed(tree.parent, components)
    n_parts = np.count_nonzero(parts_of(tree.parent, mixed))
    return mixed if n_parts == components.max() + 1 else none
