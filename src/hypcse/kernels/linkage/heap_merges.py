"""Agglomeration of a sparse graph by a heap, for linkages that chains cannot follow."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from hypcse.kernels._compile import helper, kernel
from hypcse.kernels.adjacency.hubs import (
    LIST,
    Hubs,
    best_of_hub,
    by_degree,
    degree_of,
    is_due,
    join_lists,
    joining_change,
    make_hub,
    make_hubs,
    make_room,
    missing_room,
    note_merge,
    wake,
)
from hypcse.kernels.adjacency.segments import Pool, fold_segments, make_pool


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

    spent (n,)  : entries scanned, of clusters with long lists (`is_due`).
    status (2,) : how many merges are done, and for how many pairs of hubs there must be room before it goes on. There
                  are no more merges when the heap is empty.
    """

    heap: Heap
    pool: Pool
    clusters: Clusters
    spent: NDArray[np.int64]
    first: NDArray[np.int64]
    second: NDArray[np.int64]
    status: NDArray[np.int64]


@helper
def _push_best(
    heap: Heap, pool: Pool, slot: int, name: NDArray[np.int64], volume: NDArray[np.float64], whole: float
) -> None:
    """Push a cluster, its list folded, with the older neighbour whose joining lowers entropy most; of equals, the
    oldest.
    """
    best, least = -1, np.inf
    for k in range(pool.start[slot], pool.start[slot] + pool.length[slot]):
        other = pool.vertex[k]
        if name[other] < name[slot]:
            change = joining_change(pool.weight[k], volume[slot] + volume[other], whole)
            if change < least or (change == least and name[other] < best):
                best, least = name[other], change
    if best >= 0:
        _push(heap, least, best, name[slot])


def start_stretching(
    indptr: NDArray[np.int64],
    indices: NDArray[np.int32],
    weights: NDArray[np.float64],
    degrees: NDArray[np.float64],
    whole: float,
) -> Stretching:
    """Every vertex a cluster, with its best older neighbour in the heap; `whole` is the sum of the degrees."""
    n, size = degrees.size, 2 * degrees.size + 1
    slot = np.concatenate([np.arange(n), np.full(n, -1)])
    at = Stretching(
        Heap(np.empty(size), np.empty(size, np.int64), np.empty(size, np.int64), np.zeros(1, np.int64)),
        make_pool(indptr, indices, weights),
        Clusters(np.arange(n), slot, np.arange(n), degrees.copy(), np.full(n, -1)),
        spent=np.zeros(n, np.int64),
        first=np.empty(n, np.int64),
        second=np.empty(n, np.int64),
        status=np.zeros(2, np.int64),
    )
    _push_all(at, whole)
    return at


@kernel
def _push_all(at: Stretching, whole: float) -> None:
    for vertex in range(at.first.size):
        _push_best(at.heap, at.pool, vertex, at.clusters.name, at.clusters.volume, whole)


def entropy_merges(at: Stretching, hubs: Hubs | None, whole: float, n_merges: int) -> Hubs | None:
    """The next `n_merges` merges of the stretching operator of HCSE, or as many as are left: of all pairs of adjacent
    clusters, the one that lowers the entropy of a graph of volume `whole` most; of equals, the pair with the oldest
    cluster, then with the other oldest. Returns the hubs, None where there are none yet.

    A pair belongs to the younger of its two clusters. The heap holds one entry a cluster, the best of its pairs when it
    was last looked at. What joining two clusters gains never changes while both live, so that is a bound on all its
    pairs. An entry whose older cluster is gone is looked at again when it comes up. Memory O(n + m).
    """
    end = int(at.status[0]) + n_merges
    stretch(at, hubs, whole, end)
    while at.status[1] > 0:
        hubs = make_hubs(at.clusters.volume, at.clusters.name, whole) if hubs is None else hubs
        hubs = make_room(hubs, int(at.status[1]))
        stretch(at, hubs, whole, end)
    return hubs


@kernel
def stretch(at: Stretching, hubs: Hubs | None, whole: float, end: int) -> None:
    """Merge until so many merges are done, none is left, or a hub needs room."""
    # Each array by itself: to pass a tuple of many to a function would take longer than most merges.
    heap, pool, spent, slot, root = at.heap, at.pool, at.spent, at.clusters.slot, at.clusters.root
    name, volume, place = at.clusters.name, at.clusters.volume, at.clusters.place
    n, done, wanted = at.clusters.root.size, at.status[0], 0
    while heap.used[0] > 0 and done < end and wanted == 0:
        older, younger = heap.a[0], heap.b[0]
        keeper, gone = slot[younger], slot[older]
        if keeper >= 0 and gone >= 0:
            if pool.length[keeper] < pool.length[gone]:
                keeper, gone = gone, keeper
            if hubs is not None:
                keeper, gone = _fold_by_degree(hubs, pool, root, place, keeper, gone)
                wanted = missing_room(hubs, degree_of(hubs, pool, gone))
                if wanted > 0:
                    break
            root[gone], name[keeper] = keeper, n + done
            volume[keeper] += volume[gone]
            if hubs is not None:
                note_merge(hubs, pool, spent, keeper, gone)
                wake(hubs, keeper)
            join_lists(spent, pool, keeper, gone)
            at.first[done], at.second[done] = keeper, gone
            slot[older] = slot[younger] = -1
            slot[n + done] = keeper
            done += 1
        _pop(heap)
        listed = keeper >= 0
        if hubs is not None and keeper >= 0:
            listed = hubs.root[keeper] == LIST
            if not listed:
                best, change = best_of_hub(hubs, keeper)
                if best >= 0:
                    _push(heap, change, name[best], name[keeper])
        if listed:
            fold_segments(pool, keeper, root, place)
            _push_best(heap, pool, keeper, name, volume, whole)
            if is_due(spent, keeper, pool.length[keeper]):
                wanted = pool.length[keeper]
                if hubs is not None:
                    wanted = missing_room(hubs, pool.length[keeper])
                    if wanted == 0:
                        make_hub(hubs, pool, keeper)
    at.status[0], at.status[1] = done, wanted


@helper
def _fold_by_degree(
    hubs: Hubs, pool: Pool, root: NDArray[np.int64], place: NDArray[np.int64], one: int, other: int
) -> tuple[int, int]:
    """Two clusters, their lists folded, the one of more neighbours first."""
    for cluster in (one, other):
        if hubs.root[cluster] == LIST:
            fold_segments(pool, cluster, root, place)
    return by_degree(hubs, pool, one, other)
