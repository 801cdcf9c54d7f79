"""Agglomeration of a sparse graph by a heap, for linkages that chains cannot follow."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from hypcse.kernels._compile import kernel
from hypcse.kernels.linkage.chains import Pool, fold_segments, join_segments, make_pool


class Heap(NamedTuple):
    """A binary heap of pairs, least (key, a, b) first; `used[0]` of the entries are in use."""

    key: NDArray[np.float64]
    a: NDArray[np.int64]
    b: NDArray[np.int64]
    used: NDArray[np.int64]


@kernel
def _before(heap: Heap, i: int, j: int) -> bool:
    if heap.key[i] != heap.key[j]:
        return heap.key[i] < heap.key[j]
    if heap.a[i] != heap.a[j]:
        return heap.a[i] < heap.a[j]
    return heap.b[i] < heap.b[j]


@kernel
def _swap(heap: Heap, i: int, j: int) -> None:
    heap.key[i], heap.key[j] = heap.key[j], heap.key[i]
    heap.a[i], heap.a[j] = heap.a[j], heap.a[i]
    heap.b[i], heap.b[j] = heap.b[j], heap.b[i]


@kernel
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


@kernel
def _push(heap: Heap, key: float, a: int, b: int) -> None:
    i = heap.used[0]
    heap.key[i], heap.a[i], heap.b[i] = key, a, b
    heap.used[0] += 1
    while i > 0 and _before(heap, i, (i - 1) // 2):
        _swap(heap, i, (i - 1) // 2)
        i = (i - 1) // 2


@kernel
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


@kernel
def _push_best(heap: Heap, pool: Pool, clusters: Clusters, cluster: int, whole: float) -> None:
    """Push a cluster with the neighbour whose joining lowers entropy most; of equals, the older one."""
    slot = clusters.slot[cluster]
    begin, end = fold_segments(pool, slot, clusters.root, clusters.place)
    best, least = -1, np.inf
    for k in range(begin, end):
        other = pool.vertex[k]
        # The change of entropy, times V, when two children of the root are joined.
        change = 2 * pool.weight[k] * np.log2((clusters.volume[slot] + clusters.volume[other]) / whole)
        if change < least or (change == least and clusters.name[other] < best):
            best, least = clusters.name[other], change
    if best >= 0:
        _push(heap, least, cluster, best)


class Stretching(NamedTuple):
    """Where the stretching operator stands: `first` and `second` name the clusters of each merge by one vertex.

    status (1,) : how many merges are done. There are no more when the heap is empty.
    """

    heap: Heap
    pool: Pool
    clusters: Clusters
    first: NDArray[np.int64]
    second: NDArray[np.int64]
    status: NDArray[np.int64]


@kernel
def start_stretching(
    indptr: NDArray[np.int64],
    indices: NDArray[np.int32],
    weights: NDArray[np.float64],
    degrees: NDArray[np.float64],
) -> Stretching:
    """Every vertex a cluster, with its best neighbour in the heap."""
    n, whole = degrees.size, degrees.sum()
    pool = make_pool(indptr, indices, weights)
    slot = np.full(2 * n, -1, np.int64)
    slot[:n] = np.arange(n)
    clusters = Clusters(np.arange(n), slot, np.arange(n), degrees.copy(), np.full(n, -1, np.int64))
    size = 2 * n + 1
    heap = Heap(np.empty(size), np.empty(size, np.int64), np.empty(size, np.int64), np.zeros(1, np.int64))
    for vertex in range(n):
        _push_best(heap, pool, clusters, vertex, whole)
    return Stretching(heap, pool, clusters, np.empty(n, np.int64), np.empty(n, np.int64), np.zeros(1, np.int64))


@kernel
def entropy_merges(at: Stretching, whole: float, n_merges: int) -> None:
    """The next `n_merges` merges of the stretching operator of HCSE, or as many as are left: of all pairs of adjacent
    clusters, the one that lowers the entropy of a graph of volume `whole` most.

    The heap holds one entry a cluster, its best neighbour when it was last looked at. What joining two clusters gains
    never changes while both live, so that is a bound on all its pairs with older ones; a younger neighbour brings the
    pair in its own entry. An entry whose neighbour is gone is looked at again when it comes up. Memory O(n + m).
    """
    heap, pool, clusters = at.heap, at.pool, at.clusters
    slot, n, done = clusters.slot, clusters.root.size, at.status[0]
    end = done + n_merges
    while heap.used[0] > 0 and done < end:
        a, b = _pop(heap)
        if slot[a] < 0:
            continue
        if slot[b] < 0:
            _push_best(heap, pool, clusters, a, whole)
            continue
        keeper, gone = slot[a], slot[b]
        if pool.length[keeper] < pool.length[gone]:
            keeper, gone = gone, keeper
        clusters.root[gone] = keeper
        clusters.volume[keeper] += clusters.volume[gone]
        join_segments(pool, keeper, gone)
        at.first[done], at.second[done] = keeper, gone
        slot[a] = slot[b] = -1
        slot[n + done], clusters.name[keeper] = keeper, n + done
        done += 1
        _push_best(heap, pool, clusters, n + done - 1, whole)
    at.status[0] = done
