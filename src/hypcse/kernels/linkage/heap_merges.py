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
    degree_of,
    gain,
    is_due,
    join_lists,
    join_neighbours,
    make_hub,
    make_hubs,
    make_room,
    missing_room,
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

    root  : the slot that a vertex's slot was joined to.
    slot  : the slot of each cluster, -1 when it is gone.
    place : scratch of -1.
    """

    root: NDArray[np.int64]
    slot: NDArray[np.int64]
    place: NDArray[np.int64]


class Stretching(NamedTuple):
    """Where the stretching operator stands: `first` and `second` name the clusters of each merge by one vertex.

    `hubs` has the name, which is the number, and the volume of the cluster in each slot.
    status (2,) : how many merges are done, and for how many pairs of hubs there is no room. There are no more merges
                  when the heap is empty.
    """

    heap: Heap
    pool: Pool
    clusters: Clusters
    hubs: Hubs
    first: NDArray[np.int64]
    second: NDArray[np.int64]
    status: NDArray[np.int64]


@helper
def _best_in_list(pool: Pool, slot: int, name: NDArray[np.int64], mass: NDArray[np.float64], whole: float) -> int:
    """The place in a folded list of the older neighbour whose joining lowers entropy most, of equals the oldest.

    -1 if there is none.
    """
    best, least = -1, np.inf
    for k in range(pool.start[slot], pool.start[slot] + pool.length[slot]):
        other = pool.vertex[k]
        if name[other] > name[slot]:
            continue
        change = gain(pool.weight[k], mass[slot] + mass[other], whole)
        if change < least or (change == least and name[other] < name[pool.vertex[best]]):
            best, least = k, change
    return best


@kernel
def start_stretching(
    indptr: NDArray[np.int64],
    indices: NDArray[np.int32],
    weights: NDArray[np.float64],
    degrees: NDArray[np.float64],
) -> Stretching:
    """Every vertex a cluster, with its best neighbour in the heap."""
    n = degrees.size
    pool = make_pool(indptr, indices, weights)
    slot = np.full(2 * n, -1, np.int64)
    slot[:n] = np.arange(n)
    clusters = Clusters(np.arange(n), slot, np.full(n, -1, np.int64))
    hubs = make_hubs(degrees.copy(), np.arange(n), degrees.sum())
    size = 2 * n + 1
    heap = Heap(np.empty(size), np.empty(size, np.int64), np.empty(size, np.int64), np.zeros(1, np.int64))
    at = Stretching(heap, pool, clusters, hubs, np.empty(n, np.int64), np.empty(n, np.int64), np.zeros(2, np.int64))
    for vertex in range(n):
        best = _best_in_list(pool, vertex, hubs.name, hubs.mass, hubs.whole[0])
        if best >= 0:
            other = pool.vertex[best]
            change = gain(pool.weight[best], hubs.mass[vertex] + hubs.mass[other], hubs.whole[0])
            _push(heap, change, other, vertex)
    return at


@kernel
def entropy_merges(at: Stretching, n_merges: int) -> Stretching:
    """The next `n_merges` merges of the stretching operator of HCSE, or as many as are left: of all pairs of adjacent
    clusters, the one that lowers entropy most; of equals, the pair with the oldest cluster, then with the other oldest.

    A pair belongs to the younger of its two clusters. The heap holds one entry a cluster, the best of its pairs when it
    was last looked at. What joining two clusters gains never changes while both live, so that is a bound on all its
    pairs. An entry whose older cluster is gone is looked at again when it comes up. Memory O(n + m).
    """
    end = at.status[0] + n_merges
    _stretch(at, end)
    while at.status[1] > 0:
        hubs = make_room(at.hubs, at.status[1])
        at = Stretching(at.heap, at.pool, at.clusters, hubs, at.first, at.second, at.status)
        _stretch(at, end)
    return at


@helper
def _stretch(at: Stretching, end: int) -> None:
    """Merge until so many merges are done, none is left, or there is no room."""
    # Each array by itself: to pass a tuple of many to a function would take longer than most merges.
    pool, hubs, hub_root, n_hubs, heap = at.pool, at.hubs, at.hubs.root, at.hubs.count, at.heap
    name, mass, whole, spent = at.hubs.name, at.hubs.mass, at.hubs.whole[0], at.hubs.spent
    slot, root, place, n = at.clusters.slot, at.clusters.root, at.clusters.place, at.clusters.root.size
    done, wanted = at.status[0], 0
    while heap.used[0] > 0 and done < end and wanted == 0:
        older, younger = heap.a[0], heap.b[0]
        keeper, gone = slot[younger], slot[older]
        if keeper >= 0 and gone >= 0:
            degrees = pool.length[keeper], pool.length[gone]
            if n_hubs[0] > 0:
                for one in (keeper, gone):
                    if hub_root[one] == LIST:
                        fold_segments(pool, one, root, place)
                degrees = degree_of(hubs, pool, keeper), degree_of(hubs, pool, gone)
                wanted = missing_room(hubs, min(degrees))
                if wanted > 0:
                    break
            if degrees[0] < degrees[1]:
                keeper, gone = gone, keeper
            root[gone], name[keeper] = keeper, n + done
            mass[keeper] += mass[gone]
            if n_hubs[0] == 0:
                join_lists(spent, pool, keeper, gone)
            else:
                join_neighbours(hubs, pool, keeper, gone)
                if hub_root[keeper] != LIST:
                    wake(hubs, keeper)
            at.first[done], at.second[done] = keeper, gone
            slot[older] = slot[younger] = -1
            slot[n + done] = keeper
            done += 1
        _pop(heap)
        if keeper < 0:
            continue
        if n_hubs[0] > 0 and hub_root[keeper] != LIST:
            best, change = best_of_hub(hubs, keeper)
            if best >= 0:
                _push(heap, change, name[best], name[keeper])
            continue
        fold_segments(pool, keeper, root, place)
        k = _best_in_list(pool, keeper, name, mass, whole)
        if k >= 0:
            other = pool.vertex[k]
            _push(heap, gain(pool.weight[k], mass[keeper] + mass[other], whole), name[other], name[keeper])
        if is_due(spent, keeper, pool.length[keeper]):
            wanted = missing_room(hubs, pool.length[keeper])
            if wanted == 0:
                make_hub(hubs, pool, keeper)
    at.status[0], at.status[1] = done, wanted
