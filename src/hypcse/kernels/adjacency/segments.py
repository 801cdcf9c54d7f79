"""Adjacency lists of clusters that merge.

Every cluster owns a list of adjacency segments in one pool. Joining two clusters joins their lists in O(1); when a
cluster is next visited its segments are folded into one, neighbours looked up by union-find and doubles added up. Live
entries never grow, so a pool of twice the edges is enough: when it is full the live segments are moved together.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from hypcse.kernels._compile import helper
from hypcse.kernels.linkage.merges import find


class Pool(NamedTuple):
    """Adjacency segments: segment s is entries start[s] .. start[s] + length[s] - 1, followed by segment follows[s]."""

    vertex: NDArray[np.int32]
    weight: NDArray[np.float64]
    start: NDArray[np.int64]
    length: NDArray[np.int64]
    follows: NDArray[np.int64]
    last: NDArray[np.int64]
    top: NDArray[np.int64]


def make_pool(indptr: NDArray[np.int64], indices: NDArray[np.int32], weights: NDArray[np.float64]) -> Pool:
    """One segment a vertex, with as much room again."""
    n, size = indptr.size - 1, indices.size
    vertex, weight = np.empty(2 * size, np.int32), np.empty(2 * size)
    vertex[:size], weight[:size] = indices, weights
    ids = np.arange(n)
    return Pool(vertex, weight, indptr[:-1].copy(), np.diff(indptr), np.full(n, -1), ids, np.array([size]))


@helper
def join_segments(pool: Pool, keeper: int, gone: int) -> None:
    """Append the segments of one cluster to those of another."""
    pool.follows[pool.last[keeper]] = gone
    pool.last[keeper] = pool.last[gone]


@helper
def _move_together(pool: Pool) -> None:
    """Move all live segments to the front, in the order of their places."""
    owner = np.zeros(pool.vertex.size, np.int32)
    for s in range(pool.start.size):
        if pool.length[s] > 0:
            owner[pool.start[s]] = s + 1
    top = begin = 0
    while begin < owner.size:
        s = owner[begin] - 1
        if s < 0:
            begin += 1
            continue
        length = pool.length[s]
        for k in range(length):
            pool.vertex[top + k] = pool.vertex[begin + k]
            pool.weight[top + k] = pool.weight[begin + k]
        pool.start[s] = top
        top += length
        begin += length
    pool.top[0] = top


@helper
def fold_segments(pool: Pool, cluster: int, root: NDArray[np.int64], place: NDArray[np.int64]) -> tuple[int, int]:
    """Fold the segments of a cluster into one of distinct neighbouring clusters; where it begins and ends.

    `place` is scratch of -1, one per vertex, left as it was found.
    """
    total = 0
    s = cluster
    while s >= 0:
        total += pool.length[s]
        s = pool.follows[s]
    alone = pool.follows[cluster] < 0
    if not alone and pool.top[0] + total > pool.vertex.size:
        _move_together(pool)
    begin = pool.start[cluster] if alone else pool.top[0]
    end = begin
    s = cluster
    while s >= 0:
        for k in range(pool.start[s], pool.start[s] + pool.length[s]):
            other, weight = find(root, pool.vertex[k]), pool.weight[k]
            if other == cluster:
                continue
            if place[other] < 0:
                place[other] = end
                pool.vertex[end], pool.weight[end] = other, weight
                end += 1
            else:
                pool.weight[place[other]] += weight
        pool.length[s] = 0
        s = pool.follows[s]
    for k in range(begin, end):
        place[pool.vertex[k]] = -1
    pool.start[cluster], pool.length[cluster] = begin, end - begin
    pool.follows[cluster], pool.last[cluster] = -1, cluster
    if not alone:
        pool.top[0] = end
    return begin, end
