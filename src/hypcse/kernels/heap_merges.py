"""Agglomeration of a sparse graph by a heap, for linkages that chains cannot follow."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from hypcse.kernels._compile import kernel
from hypcse.kernels.chains import fold_segments, join_segments, make_pool


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
def _push(heap: Heap, key: float, a: int, b: int) -> Heap:
    """Add a pair; the heap is replaced by one of twice the room when it is full."""
    i = heap.used[0]
    if i == heap.key.size:
        grown = Heap(np.empty(2 * i), np.empty(2 * i, np.int64), np.empty(2 * i, np.int64), heap.used)
        grown.key[:i], grown.a[:i], grown.b[:i] = heap.key, heap.a, heap.b
        heap = grown
    heap.key[i], heap.a[i], heap.b[i] = key, min(a, b), max(a, b)
    heap.used[0] += 1
    while i > 0 and _before(heap, i, (i - 1) // 2):
        _swap(heap, i, (i - 1) // 2)
        i = (i - 1) // 2
    return heap


@kernel
def _pop(heap: Heap) -> tuple[int, int]:
    a, b = heap.a[0], heap.b[0]
    heap.used[0] -= 1
    _swap(heap, 0, heap.used[0])
    _sink(heap, 0)
    return a, b


@kernel
def _join_gain(cut: float, volume: float, whole: float) -> float:
    """Change of entropy, times V, when two children of the root with that cut and joint volume are joined."""
    return 2 * cut * np.log2(volume / whole)


@kernel
def entropy_merges(
    indptr: NDArray[np.int64],
    indices: NDArray[np.int32],
    weights: NDArray[np.float64],
    degrees: NDArray[np.float64],
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Merges of the stretching operator of HCSE: of all pairs of adjacent clusters, the one that lowers entropy most.

    The gain of a pair depends on that pair alone, so entries with a cluster that is gone are skipped when they come up.
    Each merge names its clusters by one vertex. O(sum of the degrees at merges, times log m) time.
    """
    n = degrees.size
    whole = degrees.sum()
    pool = make_pool(indptr, indices, weights)
    # `root` maps a slot of the pool to the slot of its cluster; `name` gives that cluster's number, `slot` goes back.
    root, place = np.arange(n), np.full(n, -1, np.int64)
    name, slot = np.arange(n), np.full(2 * n, -1, np.int64)
    slot[:n] = np.arange(n)
    volume = degrees.copy()
    size = max(indices.size, 1)
    heap = Heap(np.empty(size), np.empty(size, np.int64), np.empty(size, np.int64), np.zeros(1, np.int64))
    for i in range(n):
        for k in range(indptr[i], indptr[i + 1]):
            if i < indices[k]:
                heap = _push(heap, _join_gain(weights[k], volume[i] + volume[indices[k]], whole), i, indices[k])
    first, second, done = np.empty(n, np.int64), np.empty(n, np.int64), 0
    while heap.used[0] > 0:
        a, b = _pop(heap)
        if slot[a] < 0 or slot[b] < 0:
            continue
        keeper, gone = slot[a], slot[b]
        root[gone] = keeper
        volume[keeper] += volume[gone]
        join_segments(pool, keeper, gone)
        first[done], second[done] = keeper, gone
        slot[a] = slot[b] = -1
        name[keeper] = n + done
        slot[n + done] = keeper
        done += 1
        begin, end = fold_segments(pool, keeper, root, place)
        for k in range(begin, end):
            other = pool.vertex[k]
            heap = _push(
                heap, _join_gain(pool.weight[k], volume[keeper] + volume[other], whole), name[keeper], name[other]
            )
    return first[:done], second[:done]
