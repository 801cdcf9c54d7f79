"""The best flat cuts of a tree, for every number of clusters, and the cuts that a rising threshold goes through."""

from __future__ import annotations

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
    """Fill the table at .. end from those of two children: best[at + c - 1] for c clusters, and the first child's part.

    A child without a table takes none. The node may have room for one more cluster than its children together.
    """
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
    """The nodes of a binary tree, none above another, that are so many clusters whose gains sum highest.

    Every cluster has at least `least` leaves. Returns nodes to split, clusters, and the sum: -inf if there are none.
    """
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
