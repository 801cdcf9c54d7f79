"""Agglomeration of a sparse graph by nearest-neighbour chains.

Every cluster owns a list of adjacency segments in one pool. Joining two clusters joins their lists in O(1); when a
cluster is next visited its segments are folded into one, neighbours looked up by union-find and doubles added up. Live
entries never grow, so a pool of twice the edges is enough: when it is full the live segments are moved together.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from hypcse.kernels._compile import helper, kernel, read_only
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


@helper
def make_pool(indptr: NDArray[np.int64], indices: NDArray[np.int32], weights: NDArray[np.float64]) -> Pool:
    """One segment a vertex, with as much room again."""
    n, size = indptr.size - 1, indices.size
    vertex, weight = np.empty(2 * size, np.int32), np.empty(2 * size)
    for k in range(size):
        vertex[k], weight[k] = indices[k], weights[k]
    start, length = np.empty(n, np.int64), np.empty(n, np.int64)
    follows, last, top = np.empty(n, np.int64), np.empty(n, np.int64), np.empty(1, np.int64)
    for v in range(n):
        start[v], length[v] = indptr[v], indptr[v + 1] - indptr[v]
        follows[v], last[v] = -1, v
    top[0] = size
    return Pool(vertex, weight, start, length, follows, last, top)


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

    `place` is scratch of -1, one a vertex, left as it was found.
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


@helper
def _nearest(pool: Pool, begin: int, end: int, total: NDArray[np.float64], preferred: int) -> int:
    """The neighbour with the largest weight over mass; `preferred`, then the smaller id, wins ties; -1 if none."""
    nearest, best = -1, -1.0
    for k in range(begin, end):
        other = pool.vertex[k]
        closeness = pool.weight[k] / total[other]
        if closeness > best or (closeness == best and nearest != preferred and (other == preferred or other < nearest)):
            nearest, best = other, closeness
    return nearest


def chain_merges(
    indptr: NDArray[np.int64],
    indices: NDArray[np.int32],
    weights: NDArray[np.float64],
    mass: NDArray[np.float64],
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Merges of the linkage cut(A, B) / (mass A mass B), largest first, in the order that the chains find them.

    Unit masses give average linkage, degrees give Paris linkage; both are reducible, so chains find the exact tree.
    Each merge names its clusters by one member. There are n minus the number of components of them. About O(m log n)
    time, O(n + m) memory.
    """
    return _chain_merges(*read_only(indptr, indices, weights, mass))


@kernel
def _chain_merges(
    indptr: NDArray[np.int64], indices: NDArray[np.int32], weights: NDArray[np.float64], mass: NDArray[np.float64]
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    n = mass.size
    pool = make_pool(indptr, indices, weights)
    root, place = np.arange(n), np.full(n, -1, np.int64)
    total = mass.copy()
    first, second = np.empty(n, np.int64), np.empty(n, np.int64)
    chain, length, done = np.empty(n, np.int64), 0, 0
    on_chain = np.zeros(n, np.bool_)
    next_vertex = 0
    while True:
        if length == 0:
            while next_vertex < n and root[next_vertex] != next_vertex:
                next_vertex += 1
            if next_vertex == n:
                break
            chain[0], length = next_vertex, 1
            on_chain[next_vertex] = True
            next_vertex += 1
        top = chain[length - 1]
        below = chain[length - 2] if length > 1 else -1
        begin, end = fold_segments(pool, top, root, place)
        nearest = _nearest(pool, begin, end, total, below)
        if nearest >= 0 and on_chain[nearest]:
            # Further down the chain nothing is nearer, but for sums of equal weights that differ in their last bit.
            nearest = below
        if nearest < 0:
            length -= 1
            on_chain[top] = False
        elif nearest != below:
            chain[length] = nearest
            length += 1
            on_chain[nearest] = True
        else:
            keeper, gone = (top, below) if pool.length[top] >= pool.length[below] else (below, top)
            root[gone] = keeper
            total[keeper] += total[gone]
            join_segments(pool, keeper, gone)
            first[done], second[done] = keeper, gone
            done += 1
            length -= 2
            on_chain[top] = on_chain[below] = False
            if length == 0:
                # The component goes on from here: its other vertices may all lie behind.
                chain[0], length = keeper, 1
                on_chain[keeper] = True
    return first[:done], second[:done]
