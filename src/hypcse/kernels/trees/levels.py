"""Which nodes to keep when a tree may have only so many levels."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from hypcse.kernels.arrays import Flags, Ids, Reals
from hypcse.kernels.compile import helper, kernel


class Outline(NamedTuple):
    """A tree in post-order, the root last.

    parent  : of each node.
    n_under : nodes under each node, itself included; they are the last so many up to it.
    inside  : weight of the edges with both ends under it.
    bits    : log2 of its volume.
    joined  : whether an edge meets at it.
    """

    parent: Ids
    n_under: Ids
    inside: Reals
    bits: Reals
    joined: Flags


@helper
def _gain(tree: Outline, node: int, top: int, deeper: Reals) -> float:
    """The gain of a node as a child of `top`: its inside weight times the bits it saves, and the gains below it."""
    # A node where no edge meets never gains more than its children.
    if not tree.joined[node]:
        return 0.0
    return tree.inside[node] * (tree.bits[top] - tree.bits[node]) + deeper[node]


@helper
def _best_below(tree: Outline, top: int, deeper: Reals, best: Reals) -> float:
    """Highest gain of separate nodes under `top`, as its children; best[v] is that of v or nodes under it."""
    first = top - tree.n_under[top] + 1
    best[first : top + 1] = 0.0
    for node in range(first, top):
        best[node] = max(best[node], _gain(tree, node, top, deeper))
        best[tree.parent[node]] += best[node]
    return best[top]


@kernel
def best_gain_at_root(tree: Outline, deeper: Reals) -> float:
    """Highest gain of a level below the root. O(n)."""
    return _best_below(tree, tree.parent.size - 1, deeper, np.zeros(tree.parent.size))


@kernel
def gains_below(tree: Outline, deeper: Reals) -> Reals:
    """Highest gain below every node with one level more than `deeper` allows. O(sum of all counts)."""
    best = np.zeros(tree.parent.size)
    gains = np.zeros(tree.parent.size)
    for node in range(tree.parent.size):
        gains[node] = _best_below(tree, node, deeper, best)
    return gains


@helper
def _keep_below(tree: Outline, top: int, deeper: Reals, best: Reals, level: Ids) -> None:
    """Mark the children that `_best_below` chooses for `top` with their level; larger nodes win ties."""
    _best_below(tree, top, deeper, best)
    node = top - 1
    while node > top - tree.n_under[top]:
        gain = _gain(tree, node, top, deeper)
        if gain > 0.0 and gain >= best[node]:
            level[node] = level[top] + 1
            node -= tree.n_under[node]
        else:
            node -= 1


@kernel
def best_levels(tree: Outline, deeper: Reals) -> Ids:
    """Level of every node to keep, from 1 under the root, and 0 at others; deeper[b] are gains below with b levels."""
    n_nodes, n_rows = tree.parent.size, deeper.shape[0]
    best = np.zeros(n_nodes)
    level = np.zeros(n_nodes, np.int64)
    _keep_below(tree, n_nodes - 1, deeper[n_rows - 1], best, level)
    for depth in range(2, n_rows + 1):
        for top in range(n_nodes):
            if level[top] == depth - 1:
                _keep_below(tree, top, deeper[n_rows - depth], best, level)
    return level
