"""The best cuts of a tree: flat ones, for every number of clusters and along a rising threshold, and nested ones."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from hypcse.kernels.arrays import Flags, Ids, Reals, ShortIds
from hypcse.kernels.compile import helper, kernel

Span = tuple[int, int]


@kernel
def best_antichain(parent: Ids, gain: Reals, joined: Flags, large: Flags) -> tuple[Flags, float]:
    """The cut whose clusters' gains sum highest: nodes to split, and the sum. O(n).

    Only `large` nodes are clusters. On a tie the larger cluster wins if it is `joined`, that is, if an edge meets at
    its node. A gain of -inf forbids a node as a cluster.
    """
    n_nodes = parent.size
    below = np.zeros(n_nodes)
    holds = np.zeros(n_nodes, np.bool_)
    split = np.zeros(n_nodes, np.bool_)
    for node in range(n_nodes):
        if not holds[node]:
            below[node] = -np.inf
        split[node] = holds[node] and (below[node] > gain[node] or (below[node] == gain[node] and not joined[node]))
        if node < n_nodes - 1 and large[node]:
            below[parent[node]] += max(below[node], gain[node])
            holds[parent[node]] = True
    total = max(below[n_nodes - 1], gain[n_nodes - 1])
    for node in range(n_nodes - 2, -1, -1):
        split[node] = split[node] and split[parent[node]]
    return split, total


@helper
def _table_offsets(size: Ids, limit: int, least: int) -> Ids:
    """Where the table of each node begins: as many entries as it can have clusters of `least` leaves, up to `limit`."""
    offset = np.zeros(size.size + 1, np.int64)
    for node in range(size.size):
        offset[node + 1] = offset[node] + min(size[node] // least, limit)
    return offset


@helper
def _merge_tables(best: Reals, taken: ShortIds, at: int, end: int, left: Span, right: Span) -> None:
    """Fill the table at .. end from those of two children: best[at + c - 1] for c clusters, and the part of one."""
    if left[0] == left[1] or right[0] == right[1]:
        only, part = (right, 0) if left[0] == left[1] else (left, 1)
        for c in range(only[1] - only[0]):
            best[at + c], taken[at + c] = best[only[0] + c], part * (c + 1)
        return
    for a in range(left[1] - left[0]):
        for b in range(min(right[1] - right[0], end - at - 1 - a)):
            value = best[left[0] + a] + best[right[0] + b]
            if value > best[at + a + b + 1]:
                best[at + a + b + 1], taken[at + a + b + 1] = value, a + 1


@kernel
def antichain_tables(children: Ids, gain: Reals, size: Ids, limit: int, least: int) -> tuple[Reals, ShortIds]:
    """Best sums of gains for 1, 2, ... clusters under every node of a binary tree, and the first child's part of them.

    `children` is (n - 1, 2), children before parents. Nodes of fewer than `least` leaves do not matter. The tables of
    all nodes follow one another. O(n limit / least) time and memory.
    """
    n_leaves = children.shape[0] + 1
    offset = _table_offsets(size, limit, least)
    best = np.full(offset[size.size], -np.inf)
    taken = np.zeros(offset[size.size], np.int32)
    for node in range(size.size):
        begin, end = offset[node], offset[node + 1]
        if begin == end:
            continue
        if node >= n_leaves:
            a, b = children[node - n_leaves, 0], children[node - n_leaves, 1]
            left, right = (offset[a], offset[a + 1]), (offset[b], offset[b + 1])
            _merge_tables(best, taken, begin, end, left, right)
        best[begin] = gain[node]
    return best, taken


@kernel
def best_antichain_of(children: Ids, gain: Reals, size: Ids, n_clusters: int, least: int) -> tuple[Flags, Flags, float]:
    """Nodes to split, the best `n_clusters` of at least `least` leaves, and the sum of their gains; -inf if none."""
    n_leaves = children.shape[0] + 1
    n_nodes = size.size
    offset = _table_offsets(size, n_clusters, least)
    best, taken = antichain_tables(children, gain, size, n_clusters, least)
    split = np.zeros(n_nodes, np.bool_)
    chosen = np.zeros(n_nodes, np.bool_)
    if offset[n_nodes] - offset[n_nodes - 1] < n_clusters or best[offset[n_nodes] - 1] == -np.inf:
        return split, chosen, -np.inf
    wanted = np.zeros(n_nodes, np.int64)
    wanted[n_nodes - 1] = n_clusters
    for node in range(n_nodes - 1, -1, -1):
        if wanted[node] == 1:
            chosen[node] = True
        elif wanted[node] > 1:
            split[node] = True
            left, right = children[node - n_leaves, 0], children[node - n_leaves, 1]
            wanted[left] = taken[offset[node] + wanted[node] - 1]
            wanted[right] = wanted[node] - wanted[left]
    return split, chosen, best[offset[n_nodes] - 1]


@kernel
def split_thresholds(parent: Ids, value: Reals, large: Flags, apart: Flags) -> Reals:
    """The least limit c at which each node is split in the finest cut whose large parts have values of at most c. O(n).

    A node can be split at c when each of its `large` children can stay whole or be split itself; a node with one large
    child is split when that child is. Nodes `apart` are never parts. Infinite where a node is never split.
    """
    n_nodes = parent.size
    threshold = np.full(n_nodes, np.inf)
    n_large = np.zeros(n_nodes, np.int64)
    hardest = np.zeros(n_nodes)
    for node in range(n_nodes):
        if n_large[node] > 1:
            threshold[node] = hardest[node]
        above = parent[node]
        if above >= 0 and large[node]:
            n_large[above] += 1
            needed = hardest[node] if apart[node] else min(value[node], threshold[node])
            hardest[above] = max(hardest[above], needed)
            # Holds while this is the only large child; with a second one `hardest` takes its place.
            threshold[above] = threshold[node]
    return threshold


@kernel
def from_above(parent: Ids, threshold: Reals, apart: Flags, least: float) -> Reals:
    """The limit from which on each node is split: none before the node above it, those apart together with it. O(n)."""
    reached = threshold.copy()
    for node in range(parent.size - 1, -1, -1):
        floor = least if parent[node] < 0 else reached[parent[node]]
        reached[node] = floor if apart[node] else max(threshold[node], floor)
    return reached


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
