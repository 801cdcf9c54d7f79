"""Pairs of adjacent clusters, each found by its two ends in O(1)."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from hypcse.kernels.compile import bare_helper, helper
from hypcse.kernels.linkage.merges import find

Ids = NDArray[np.int64]
Reals = NDArray[np.float64]
Links = NDArray[np.int32]

NONE = -1
# Columns of `value`: the weight of the pair; what it is ordered by, as it was when last looked at; the largest rank and
# the least mass of the subtree.
WEIGHT, RANK, MASS, MOST, LEAST = 0, 1, 2, 3, 4
# Columns of `link`, which lie behind those: the cluster at the other end; the place in the search tree of `order.py`;
# the name by which ties are settled, as it was when last looked at; the least name of the subtree.
OTHER, UP, LEFT, RIGHT, NAME, OLDEST = 10, 11, 12, 13, 14, 15
# Columns of `tree`: the root of the search tree of a cluster; the first of its ends that are at rest instead, linked by
# LEFT and RIGHT; its number of neighbours.
ROOT, RESTING, DEGREE = 0, 1, 2
# Columns of `table`.
_KEY, _PAIR = 0, 1
_LINE = 64
_SPREAD = 0x1E3779B97F4A7C15


class Pairs(NamedTuple):
    """All pairs of adjacent clusters. Pair p has two ends, 2 p and 2 p + 1, one in the search tree of each cluster.

    value, link (2 m, 8 and 16) : what is known of an end, in one cache line: two views of the same memory.
    table (size, 2)             : open addressing: the two clusters of a pair as one number, and the pair.
    used (1,)                   : how many places of the table are taken.
    tree (n, 3)                 : what is known of a cluster.
    mass, name (n,)             : of each cluster; the linkage keeps them.
    whole (1,)                  : the volume of the graph where pairs are ordered for what joining them gains, or 0
                                  where they are ordered by weight over mass.
    """

    value: Reals
    link: Links
    table: Ids
    used: Ids
    tree: Ids
    mass: Reals
    name: Ids
    whole: Reals


def make_pairs(n_pairs: int, mass: Reals, name: Ids, whole: float) -> Pairs:
    """Room for so many pairs, of which none is there yet."""
    room = np.empty((2 * n_pairs + 1) * _LINE // 8)
    begin = -room.ctypes.data % _LINE // 8
    value = room[begin : begin + 2 * n_pairs * _LINE // 8].reshape(2 * n_pairs, 8)
    tree = np.full((mass.size, 3), NONE)
    tree[:, DEGREE] = 0
    table = np.full((1 << max(3 * n_pairs, 7).bit_length(), 2), NONE)
    return Pairs(value, value.view(np.int32), table, np.zeros(1, np.int64), tree, mass, name, np.array([whole]))


@bare_helper
def _place(pairs: Pairs, one: int, other: int) -> tuple[int, int]:
    """The number of two clusters, and where it is in the table or would be."""
    key = min(one, other) * pairs.tree.shape[0] + max(one, other)
    mask = pairs.table.shape[0] - 1
    spread = key * _SPREAD
    place = (spread ^ (spread >> 32)) & mask
    while pairs.table[place, _KEY] != key and pairs.table[place, _KEY] != NONE:
        place = (place + 1) & mask
    return key, place


@bare_helper
def find_end(pairs: Pairs, one: int, other: int) -> int:
    """The end of a pair that is with `one`, NONE where they are not adjacent."""
    _, place = _place(pairs, one, other)
    if pairs.table[place, _KEY] == NONE:
        return NONE
    end = 2 * pairs.table[place, _PAIR]
    return end if pairs.link[end, OTHER] == other else end + 1


@bare_helper
def note_pair(pairs: Pairs, pair: int) -> None:
    """Enter a pair, whose ends are set, into the table.

    Nothing is ever taken out: of a pair that is gone one cluster is, too, and nobody asks for it again. A table that
    has filled up is written anew.
    """
    size = pairs.table.shape[0]
    if 4 * (pairs.used[0] + 1) > 3 * size:
        for place in range(size):
            pairs.table[place, _KEY] = NONE
        pairs.used[0] = 0
        for k in range(pairs.link.shape[0] // 2):
            if k != pair and pairs.link[2 * k, OTHER] != NONE:
                _enter(pairs, k)
    _enter(pairs, pair)


@bare_helper
def _enter(pairs: Pairs, pair: int) -> None:
    key, place = _place(pairs, pairs.link[2 * pair + 1, OTHER], pairs.link[2 * pair, OTHER])
    pairs.table[place, _KEY], pairs.table[place, _PAIR] = key, pair
    pairs.used[0] += 1


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
