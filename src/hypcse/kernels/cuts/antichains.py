"""Best antichains of a tree: flat cuts that gain most."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from hypcse.kernels._compile import kernel


@kernel
def best_antichain(
    parent: NDArray[np.int64], gain: NDArray[np.float64], joined: NDArray[np.bool_], n_leaves: int
) -> tuple[NDArray[np.bool_], float]:
    """The cut whose clusters' gains sum highest: nodes to split, and the sum.

    On a tie the larger cluster wins if it is `joined`, that is, if an edge meets at its node. A gain of -inf forbids a
    node as a cluster. One sweep up, one down: O(n).
    """
    n_nodes = parent.size
    below = np.zeros(n_nodes)
    below[:n_leaves] = -np.inf
    split = np.zeros(n_nodes, np.bool_)
    for node in range(n_nodes):
        split[node] = below[node] > gain[node] or (below[node] == gain[node] and not joined[node])
        if node < n_nodes - 1:
            below[parent[node]] += max(below[node], gain[node])
    total = max(below[n_nodes - 1], gain[n_nodes - 1])
    for node in range(n_nodes - 2, -1, -1):
        split[node] = split[node] and split[parent[node]]
    return split, total


@kernel
def _merge_tables(
    first: NDArray[np.float64], second: NDArray[np.float64], limit: int
) -> tuple[NDArray[np.float64], NDArray[np.int32]]:
    """Best sums for c clusters over two parts, c up to `limit`, and how many of them the first part takes.

    Entry c - 1 of a table is the best for c clusters.
    """
    size = min(first.size + second.size, limit)
    best = np.full(size, -np.inf)
    taken = np.zeros(size, np.int32)
    for a in range(first.size):
        for b in range(min(second.size, size - 1 - a)):
            value = first[a] + second[b]
            if value > best[a + b + 1]:
                best[a + b + 1], taken[a + b + 1] = value, a + 1
    return best, taken


@kernel
def table_offsets(size: NDArray[np.int64], limit: int) -> NDArray[np.int64]:
    """Where the table of each node begins: as many entries as it can have clusters, up to `limit`."""
    offset = np.zeros(size.size + 1, np.int64)
    for node in range(size.size):
        offset[node + 1] = offset[node] + min(size[node], limit)
    return offset


@kernel
def antichain_tables(
    children: NDArray[np.int64], gain: NDArray[np.float64], size: NDArray[np.int64], limit: int
) -> tuple[NDArray[np.float64], NDArray[np.int32]]:
    """Best sums of gains for 1, 2, ... clusters under every node of a binary tree, and the first child's part of them.

    `children` is (n - 1, 2), children before parents. The table of a node begins at its `table_offsets`; tables are
    merged from the leaves up: O(n limit) time and memory.
    """
    n_leaves = children.shape[0] + 1
    offset = table_offsets(size, limit)
    best = np.full(offset[size.size], -np.inf)
    taken = np.zeros(offset[size.size], np.int32)
    for node in range(size.size):
        begin, end = offset[node], offset[node + 1]
        if node >= n_leaves:
            left, right = children[node - n_leaves, 0], children[node - n_leaves, 1]
            value, part = _merge_tables(
                best[offset[left] : offset[left + 1]], best[offset[right] : offset[right + 1]], limit
            )
            best[begin:end], taken[begin:end] = value, part
        best[begin] = gain[node]
    return best, taken


@kernel
def best_antichain_of(
    children: NDArray[np.int64], gain: NDArray[np.float64], size: NDArray[np.int64], n_clusters: int
) -> tuple[NDArray[np.bool_], float]:
    """The cut of a binary tree into exactly so many clusters whose gains sum highest: nodes to split, and the sum."""
    n_leaves = children.shape[0] + 1
    n_nodes = size.size
    offset = table_offsets(size, n_clusters)
    best, taken = antichain_tables(children, gain, size, n_clusters)
    split = np.zeros(n_nodes, np.bool_)
    wanted = np.zeros(n_nodes, np.int64)
    wanted[n_nodes - 1] = n_clusters
    for node in range(n_nodes - 1, n_leaves - 1, -1):
        if wanted[node] > 1:
            split[node] = True
            left, right = children[node - n_leaves, 0], children[node - n_leaves, 1]
            wanted[left] = taken[offset[node] + wanted[node] - 1]
            wanted[right] = wanted[node] - wanted[left]
    return split, best[offset[n_nodes - 1] + n_clusters - 1]
