"""Clusters under way and their adjacency lists, whose entries name vertices and are folded into clusters on a visit."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from hypcse.kernels.arrays import Ids, Reals, ShortIds
from hypcse.kernels.compile import helper, kernel
from hypcse.kernels.union_find import find


class Pool(NamedTuple):
    """Adjacency segments: segment s is entries start[s] .. start[s] + length[s] - 1, followed by segment follows[s].

    New ones begin at top[0]; the pool is compacted before they would pass top[1].
    """

    vertex: ShortIds
    weight: Reals
    start: Ids
    length: Ids
    follows: Ids
    last: Ids
    top: Ids


class Clusters(NamedTuple):
    """Clusters under way, each at the index of one of its vertices, and the merges so far.

    root          : the cluster that a cluster was joined to.
    mass, name    : of each cluster; names break ties.
    place         : scratch of -1.
    first, second : the two clusters of each merge.
    """

    pool: Pool
    root: Ids
    mass: Reals
    name: Ids
    place: Ids
    first: Ids
    second: Ids


def single_clusters(indptr: Ids, indices: ShortIds, weights: Reals, mass: Reals, name: Ids) -> Clusters:
    """Return one cluster per vertex; the pool of adjacency lists has as much room again, seldom used to the end."""
    n, size = mass.size, indices.size
    vertex, weight = np.empty(2 * size, np.int32), np.empty(2 * size)
    vertex[:size], weight[:size] = indices, weights
    segments = indptr[:-1].copy(), np.diff(indptr), np.full(n, -1), np.arange(n)
    # Memory that is not touched is not taken: three quarters will do, but for a cluster with most of all entries.
    pool = Pool(vertex, weight, *segments, np.array([size, 3 * (vertex.size // 4)]))
    merges = np.empty(n, np.int64), np.empty(n, np.int64)
    return Clusters(pool, np.arange(n), mass.astype(np.float64), name.astype(np.int64), np.full(n, -1), *merges)


@helper
def join_segments(pool: Pool, keeper: int, gone: int) -> None:
    """Append the segments of one cluster to those of another."""
    pool.follows[pool.last[keeper]] = gone
    pool.last[keeper] = pool.last[gone]


@kernel
def compact(pool: Pool) -> None:
    """Move all live segments to the front, in the order of their places."""
    owner = np.zeros(pool.top[0], np.int32)
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
def fold_segments(pool: Pool, cluster: int, root: Ids, place: Ids) -> tuple[int, int]:
    """Fold the segments of a cluster into one of distinct neighboring clusters; return where it begins and ends."""
    total = 0
    s = cluster
    while s >= 0:
        total += pool.length[s]
        s = pool.follows[s]
    alone = pool.follows[cluster] < 0
    if not alone and pool.top[0] + total > pool.top[1]:
        compact(pool)
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
