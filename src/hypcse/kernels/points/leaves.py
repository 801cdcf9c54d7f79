"""Nearest points of a k-d tree, for blocks of queries that lie close to each other: nodes are opened by their distance
from the box around a block, and queries compare themselves with a leaf by vector instructions.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numba import prange

from hypcse.kernels.arrays import Floating, Ids, ShortIds
from hypcse.kernels.compile import bare_helper, parallel_kernel
from hypcse.kernels.points.kdtree import PointTree


@bare_helper
def _push(gaps: Floating, nodes: ShortIds, size: int, gap: float, node: int | np.int64) -> None:
    """Add a node to a heap of `size` nodes whose root is the nearest."""
    place = size
    while place > 0 and gaps[(place - 1) >> 1] > gap:
        gaps[place], nodes[place] = gaps[(place - 1) >> 1], nodes[(place - 1) >> 1]
        place = (place - 1) >> 1
    gaps[place], nodes[place] = gap, node


@bare_helper
def _remove_root(gaps: Floating, nodes: ShortIds, size: int) -> None:
    """Remove the root of a heap, of which `size` nodes remain."""
    place = 0
    while 2 * place + 1 < size:
        child = 2 * place + 1
        if child + 1 < size and gaps[child + 1] < gaps[child]:
            child += 1
        if gaps[child] >= gaps[size]:
            break
        gaps[place], nodes[place] = gaps[child], nodes[child]
        place = child
    gaps[place], nodes[place] = gaps[size], nodes[size]


@bare_helper
def _box_gap(low: Floating, high: Floating, tree: PointTree, node: int | np.int64) -> Any:
    """Return the squared distance between a box and that of a node."""
    zero = low.dtype.type(0)
    total = zero
    for c in range(low.size):
        gap = max(low[c] - tree.high[node, c], tree.low[node, c] - high[c], zero)
        total += gap * gap
    return total


@bare_helper
def _query_gaps(columns: Floating, tree: PointTree, node: int | np.int64, out: Floating) -> None:
    """Write the squared distance of each query, a column of (d, m), from the box of a node."""
    zero = out.dtype.type(0)
    for p in range(out.size):
        out[p] = zero
    for c in range(columns.shape[0]):
        low, high = tree.low[node, c], tree.high[node, c]
        for p in range(out.size):
            gap = max(max(low - columns[c, p], columns[c, p] - high), zero)
            out[p] += gap * gap


@bare_helper
def leaf_distances(query: Floating, blocks: Floating, leaf: int | np.int64, out: Floating) -> None:
    """Write the squared distances of a query to the points of a leaf, four columns at a time."""
    d = query.size
    whole = d - d % 4
    for r in range(out.size):
        out[r] = 0.0
    for g in range(whole // 4):
        c = 4 * g
        x0, x1, x2, x3 = query[c], query[c + 1], query[c + 2], query[c + 3]
        for r in range(out.size):
            a, b = x0 - blocks[leaf, c, r], x1 - blocks[leaf, c + 1, r]
            e, f = x2 - blocks[leaf, c + 2, r], x3 - blocks[leaf, c + 3, r]
            out[r] += (a * a + b * b) + (e * e + f * f)
    for c in range(whole, d):
        for r in range(out.size):
            a = query[c] - blocks[leaf, c, r]
            out[r] += a * a


@bare_helper
def insert_sorted(squared: Floating, ids: ShortIds, distance: float, point: int) -> int:
    """Insert into the sorted best so far, whose last entry falls out; return the place."""
    place = squared.size - 1
    while place > 0 and squared[place - 1] > distance:
        squared[place], ids[place] = squared[place - 1], ids[place - 1]
        place -= 1
    squared[place], ids[place] = distance, point
    return place


@bare_helper
def _keep_nearest(out: Floating, size: int, first: int, squared: Floating, ids: ShortIds, hits: Ids) -> None:
    """Insert the points first, first + 1, ... at some distances, if they are nearer than the last so far."""
    limit, n_hits = squared[squared.size - 1], 0
    for r in range(out.size):
        n_hits += 1 if out[r] < limit else 0
    if n_hits == 0:
        return
    # Listed without a branch, which would be guessed wrong.
    n_hits = 0
    for r in range(size):
        hits[n_hits] = r
        n_hits += 1 if out[r] < limit else 0
    for h in range(n_hits):
        if out[hits[h]] < squared[squared.size - 1]:
            insert_sorted(squared, ids, out[hits[h]], first + hits[h])


@parallel_kernel
def search_leaves(
    tree: PointTree, queries: Floating, start: Ids, share: float, most: int, k: int
) -> tuple[ShortIds, Floating]:
    """Return positions (q, k) of the k nearest points of each query, as int32, and squared distances; -1 and inf.

    Block b has the queries start[b] .. start[b + 1] - 1. It looks into at most `most` leaves, nearest first. A box is
    passed over at more than `share` of the squared distance of the k-th point so far: with a share of 1 and all leaves,
    the search is exact up to rounding and ties.
    """
    n_leaves, d = tree.start.size - 1, queries.shape[1]
    ids, squared = np.full((len(queries), k), -1, np.int32), np.full((len(queries), k), np.inf, queries.dtype)
    room = 2 * min(n_leaves, 4 * most) + 2
    for b in prange(start.size - 1):
        first, m = start[b], start[b + 1] - start[b]
        columns = queries[first : first + m].T.copy()
        low, high = np.empty(d, queries.dtype), np.empty(d, queries.dtype)
        for c in range(d):
            low[c], high[c] = columns[c].min(), columns[c].max()
        out, gaps = np.empty(tree.blocks.shape[2], queries.dtype), np.empty(m, queries.dtype)
        hits = np.empty(out.size, np.int64)
        worst, reach = np.full(m, np.inf, queries.dtype), np.inf
        heap_gaps, heap = np.empty(room, queries.dtype), np.empty(room, np.int32)
        heap_gaps[0], heap[0] = 0, 0
        size, visits = 1, 0
        while size > 0 and size + 1 < room and visits < most and heap_gaps[0] <= share * reach:
            node = np.int64(heap[0])
            size -= 1
            _remove_root(heap_gaps, heap, size)
            if node < n_leaves - 1:
                for child in (2 * node + 1, 2 * node + 2):
                    _push(heap_gaps, heap, size, _box_gap(low, high, tree, child), child)
                    size += 1
                continue
            leaf = node - (n_leaves - 1)
            begin, visits = tree.start[leaf], visits + 1
            _query_gaps(columns, tree, node, gaps)
            for p in range(m):
                if gaps[p] <= share * worst[p]:
                    leaf_distances(queries[first + p], tree.blocks, leaf, out)
                    _keep_nearest(out, tree.start[leaf + 1] - begin, begin, squared[first + p], ids[first + p], hits)
                    worst[p] = squared[first + p, k - 1]
            reach = worst.max()
    return ids, squared
