"""Agglomeration of a sparse graph by a heap, for linkages that chains cannot follow."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from hypcse.kernels.compile import helper, kernel
from hypcse.kernels.linkage.adjacency import DEGREE, Pairs, Pool, fold_segments, join_segments, make_pool
from hypcse.kernels.linkage.hubs import PATIENCE, best_pair, join_pairs, joining_change, pairs_of_lists, wake_pairs

# What a look costs beside the entries that it scans, in entries: the heap.
_LOOK = 8
# Weights are passed over that could not be the best by so much more than what logarithms are off by.
_SLACK = 1 + 1e-9


class Heap(NamedTuple):
    """A binary heap of pairs, least (key, a, b) first; `used[0]` of the entries are in use."""

    key: NDArray[np.float64]
    a: NDArray[np.int64]
    b: NDArray[np.int64]
    used: NDArray[np.int64]


@helper
def _before(heap: Heap, i: int, j: int) -> bool:
    if heap.key[i] != heap.key[j]:
        return heap.key[i] < heap.key[j]
    if heap.a[i] != heap.a[j]:
        return heap.a[i] < heap.a[j]
    return heap.b[i] < heap.b[j]


@helper
def _swap(heap: Heap, i: int, j: int) -> None:
    heap.key[i], heap.key[j] = heap.key[j], heap.key[i]
    heap.a[i], heap.a[j] = heap.a[j], heap.a[i]
    heap.b[i], heap.b[j] = heap.b[j], heap.b[i]


@helper
def _sink(heap: Heap, i: int) -> None:
    while True:
        least = i
        for child in (2 * i + 1, 2 * i + 2):
            if child < heap.used[0] and _before(heap, child, least):
                least = child
        if least == i:
            return
        _swap(heap, i, least)
        i = least


@helper
def _push(heap: Heap, key: float, a: int, b: int) -> None:
    i = heap.used[0]
    heap.key[i], heap.a[i], heap.b[i] = key, a, b
    heap.used[0] += 1
    while i > 0 and _before(heap, i, (i - 1) // 2):
        _swap(heap, i, (i - 1) // 2)
        i = (i - 1) // 2


@helper
def _pop(heap: Heap) -> tuple[int, int]:
    a, b = heap.a[0], heap.b[0]
    heap.used[0] -= 1
    _swap(heap, 0, heap.used[0])
    _sink(heap, 0)
    return a, b


class Clusters(NamedTuple):
    """Clusters under way, numbered as they are made; each lives in the slot of one of its vertices.

    root   : the slot that a vertex's slot was joined to.
    slot   : the slot of each cluster, -1 when it is gone.
    name   : the cluster that lives in each slot.
    volume : of the cluster in each slot.
    place  : scratch of -1.
    """

    root: NDArray[np.int64]
    slot: NDArray[np.int64]
    name: NDArray[np.int64]
    volume: NDArray[np.float64]
    place: NDArray[np.int64]


class Stretching(NamedTuple):
    """Where the stretching operator stands: `first` and `second` name the clusters of each merge by one vertex.

    status (2,) : how many merges are done, and how much more may be scanned in lists. There are no more merges when the
                  heap is empty.
    """

    heap: Heap
    pool: Pool
    clusters: Clusters
    first: NDArray[np.int64]
    second: NDArray[np.int64]
    status: NDArray[np.int64]


@helper
def _push_best(
    heap: Heap, pool: Pool, slot: int, name: NDArray[np.int64], volume: NDArray[np.float64], whole: float
) -> None:
    """Push a cluster, its list folded, with the neighbour whose joining lowers entropy most; of equals, the older."""
    if pool.length[slot] == 0:
        return
    best, least = -1, np.inf
    # Joining any neighbour changes entropy by no less than its weight times this.
    floor = min(0.0, joining_change(1.0, volume[slot], whole)) * _SLACK
    for k in range(pool.start[slot], pool.start[slot] + pool.length[slot]):
        if pool.weight[k] * floor > least:
            continue
        other = pool.vertex[k]
        change = joining_change(pool.weight[k], volume[slot] + volume[other], whole)
        if change < least or (change == least and name[other] < best):
            best, least = name[other], change
    _push(heap, least, name[slot], best)


@helper
def _push_best_pair(heap: Heap, pairs: Pairs, slot: int) -> None:
    """The same of older neighbours alone, the neighbour first."""
    best, least = best_pair(pairs, slot)
    if best >= 0:
        _push(heap, least, pairs.name[best], pairs.name[slot])


def start_stretching(
    indptr: NDArray[np.int64],
    indices: NDArray[np.int32],
    weights: NDArray[np.float64],
    degrees: NDArray[np.float64],
    patience: int = PATIENCE,
) -> Stretching:
    """Every vertex a cluster, with its best neighbour in the heap. For `patience` see `entropy_merges`."""
    n, size = degrees.size, 2 * degrees.size + 1
    slot = np.concatenate([np.arange(n), np.full(n, -1)])
    at = Stretching(
        Heap(np.empty(size), np.empty(size, np.int64), np.empty(size, np.int64), np.zeros(1, np.int64)),
        make_pool(indptr, indices, weights),
        Clusters(np.arange(n), slot, np.arange(n), degrees.astype(np.float64), np.full(n, -1)),
        np.empty(n, np.int64),
        np.empty(n, np.int64),
        np.array([0, patience * (n + indices.size)]),
    )
    _push_all(at, None)
    return at


@kernel
def _push_all(at: Stretching, pairs: Pairs | None) -> None:
    """Empty the heap, and push every cluster with its best neighbour."""
    at.heap.used[0], whole = 0, at.clusters.volume.sum()
    for slot in range(at.first.size):
        if at.clusters.root[slot] == slot:
            if pairs is None:
                _push_best(at.heap, at.pool, slot, at.clusters.name, at.clusters.volume, whole)
            else:
                _push_best_pair(at.heap, pairs, slot)


def entropy_merges(at: Stretching, pairs: Pairs | None, whole: float, n_merges: int) -> Pairs | None:
    """The next `n_merges` merges of the stretching operator of HCSE, or as many as are left: of all pairs of adjacent
    clusters, the one that lowers the entropy of a graph of volume `whole` most. Returns the pairs, None at first.

    The heap holds one entry a cluster, its best neighbour when it was last looked at. What joining two clusters gains
    never changes while both live, so that is a bound on all its pairs with older ones; a younger neighbour brings the
    pair in its own entry. An entry whose neighbour is gone is looked at again when it comes up. Memory O(n + m).

    Where to look has cost `patience` times n + m, pairs in search trees take over. There a cluster looks at older ones
    alone, or a star of equal weights would have all its leaves look again after every merge. Of equal gains the pair
    with the oldest cluster is then joined, and of these the one with the other oldest.
    """
    end = int(at.status[0]) + n_merges
    stretch(at, pairs, whole, end)
    if at.heap.used[0] > 0 and pairs is None and at.status[1] < 0:
        clusters = at.clusters
        pairs = pairs_of_lists(at.pool, clusters.root, clusters.place, clusters.volume, clusters.name, whole)
        _push_all(at, pairs)
        stretch(at, pairs, whole, end)
    return pairs


@kernel
def stretch(at: Stretching, pairs: Pairs | None, whole: float, end: int) -> None:
    """Merge until so many merges are done, none is left, or lists have cost too much."""
    # Each array by itself: to pass a tuple of many to a function would take longer than most merges.
    heap, pool, slot, root = at.heap, at.pool, at.clusters.slot, at.clusters.root
    name, volume, place = at.clusters.name, at.clusters.volume, at.clusters.place
    n, done, left = root.size, at.status[0], at.status[1]
    while heap.used[0] > 0 and done < end and (pairs is not None or left >= 0):
        a, b = _pop(heap)
        keeper, gone = slot[a], slot[b]
        if pairs is not None:
            keeper, gone = gone, keeper
        if keeper < 0:
            continue
        if gone >= 0:
            one, other = pool.length[keeper], pool.length[gone]
            if pairs is not None:
                one, other = pairs.tree[keeper, DEGREE], pairs.tree[gone, DEGREE]
            if one < other:
                keeper, gone = gone, keeper
            root[gone], name[keeper] = keeper, n + done
            volume[keeper] += volume[gone]
            if pairs is None:
                join_segments(pool, keeper, gone)
            else:
                join_pairs(pairs, keeper, gone)
                wake_pairs(pairs, keeper)
            at.first[done], at.second[done] = keeper, gone
            slot[a] = slot[b] = -1
            slot[n + done] = keeper
            done += 1
        if pairs is None:
            fold_segments(pool, keeper, root, place)
            _push_best(heap, pool, keeper, name, volume, whole)
            left -= pool.length[keeper] + _LOOK
        else:
            _push_best_pair(heap, pairs, keeper)
    at.status[0], at.status[1] = done, left
