"""Lowest common ancestors in O(1) per pair, O(n) memory.

Let `gap[p]` be the LCA of the leaves at positions p and p + 1 from left to right. Ids grow towards the root, so the
LCA of the leaves at p < q is the largest id in gap[p .. q-1]: a range maximum. Positions are grouped in blocks of 16
(one cache line); maxima from a position to either end of its block, and a sparse table over blocks, answer any range.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numba import prange

from hypcse.kernels.arrays import Ids, Reals, ShortIds
from hypcse.kernels.compile import helper, kernel, sized_kernel

SERIAL_ENTRIES = 50_000
_SHIFT = 4
_BLOCK = 1 << _SHIFT


class AncestorIndex(NamedTuple):
    """Range maxima over the gaps between neighboring leaves."""

    gap: ShortIds
    to_right: ShortIds
    to_left: ShortIds
    table: ShortIds


@kernel
def ancestor_index(parent: Ids, start: Ids, n_leaves: int) -> AncestorIndex:
    """Build the index from the layout of the tree. O(n)."""
    gap = np.zeros(max(n_leaves - 1, 1), np.int32)
    for node in range(parent.size - 1):
        above = parent[node]
        if start[node] != start[above]:
            gap[start[node] - 1] = above
    n_gaps = gap.size
    to_right = gap.copy()
    to_left = gap.copy()
    for p in range(n_gaps - 2, -1, -1):
        if (p + 1) & (_BLOCK - 1):
            to_right[p] = max(gap[p], to_right[p + 1])
    for p in range(1, n_gaps):
        if p & (_BLOCK - 1):
            to_left[p] = max(gap[p], to_left[p - 1])
    n_blocks = (n_gaps + _BLOCK - 1) >> _SHIFT
    n_rows = 1
    while (1 << n_rows) <= n_blocks:
        n_rows += 1
    table = np.zeros((n_rows, n_blocks), np.int32)
    for block in range(n_blocks):
        table[0, block] = to_right[block << _SHIFT]
    for row in range(1, n_rows):
        for block in range(n_blocks - (1 << row) + 1):
            table[row, block] = max(table[row - 1, block], table[row - 1, block + (1 << (row - 1))])
    return AncestorIndex(gap, to_right, to_left, table)


@helper
def _largest_between(index: AncestorIndex, low: int, high: int) -> int:
    """Largest id in the blocks strictly between two; 0 when there are none."""
    width = high - low - 1
    if width <= 0:
        return 0
    row = 0
    while (2 << row) <= width:
        row += 1
    return max(index.table[row, low + 1], index.table[row, high - (1 << row)])


@helper
def _largest(index: AncestorIndex, first: int, last: int) -> int:
    """Largest id in gap[first .. last], first <= last."""
    low, high = first >> _SHIFT, last >> _SHIFT
    if low == high:
        best = index.gap[first]
        for p in range(first + 1, last + 1):
            best = max(best, index.gap[p])
        return best
    return max(index.to_right[first], index.to_left[last], _largest_between(index, low, high))


@helper
def leaf_ancestor(index: AncestorIndex, p: int, q: int) -> int:
    """LCA of the leaves at two different positions."""
    return _largest(index, p, q - 1) if p < q else _largest(index, q, p - 1)


@sized_kernel(SERIAL_ENTRIES)
def pair_ancestors(index: AncestorIndex, start: Ids, size: Ids, first: Ids, second: Ids) -> Ids:
    """LCA of pairs of nodes, leaves or not."""
    out = np.empty(first.size, np.int64)
    for k in prange(first.size):
        a, b = first[k], second[k]
        low = min(start[a], start[b])
        high = max(start[a] + size[a], start[b] + size[b]) - 1
        out[k] = max(a, b)
        if low < high:
            out[k] = max(out[k], _largest(index, low, high - 1))
    return out


@sized_kernel(SERIAL_ENTRIES)
def weights_by_ancestor(
    index: AncestorIndex, n_nodes: int, n_tasks: int, order: ShortIds, indptr: Ids, indices: ShortIds, weights: Reals
) -> Reals:
    """Sum, at the LCA of the ends of each stored entry (i, j) with i < j of a CSR matrix, of its weight. O(n + m).

    Each task, best as many as there are threads, reads all entries and adds up those of a range of nodes, in order.
    """
    # The position of a leaf and the maxima to either side of it stand together, so that one read brings all of them.
    end = np.empty((order.size, 4), np.int32)
    for p in prange(order.size):
        leaf = order[p]
        end[leaf, 0] = p
        end[leaf, 1] = index.to_left[p - 1] if p > 0 else 0
        end[leaf, 2] = index.to_right[p] if p < order.size - 1 else 0
    meeting = np.empty(indices.size, np.int32)
    for i in prange(order.size):
        for k in range(indptr[i], indptr[i + 1]):
            j = indices[k]
            if j <= i:
                meeting[k] = -1
                continue
            if end[i, 0] < end[j, 0]:
                p, q, best = end[i, 0], end[j, 0] - 1, max(end[i, 2], end[j, 1])
            else:
                p, q, best = end[j, 0], end[i, 0] - 1, max(end[j, 2], end[i, 1])
            if (p >> _SHIFT) == (q >> _SHIFT):
                meeting[k] = _largest(index, p, q)
            else:
                meeting[k] = max(best, _largest_between(index, p >> _SHIFT, q >> _SHIFT))
    total = np.zeros(n_nodes)
    n_inner = n_nodes - order.size
    for task in prange(n_tasks):
        first, above = order.size + task * n_inner // n_tasks, order.size + (task + 1) * n_inner // n_tasks
        for k in range(indices.size):
            if first <= meeting[k] < above:
                total[meeting[k]] += weights[k]
    return total
