"""Builds trees from the top down, or from parts."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import numpy as np
from numpy.typing import NDArray

Ids = NDArray[np.int64]


def split_parents(left_sizes: Ids) -> Ids:
    """Parents of the binary tree over positions 0 .. n - 1 with splits given from the top, left side first.

    Each split cuts a run of positions; `left_sizes` (n - 1,) has the length of its left part, in pre-order. Split k is
    node 2 n - 2 - k, so that children come before their parents.

    >>> split_parents(np.array([1, 1])).tolist()
    [4, 3, 3, 4, -1]
    """
    n = left_sizes.size + 1
    split = np.arange(n - 1)
    size, begin = _runs(left_sizes)
    right_sizes = size - left_sizes
    left = np.where(left_sizes == 1, begin, 2 * n - 2 - (split + 1))
    right = np.where(right_sizes == 1, begin + left_sizes, 2 * n - 2 - (split + left_sizes))
    parent = np.full(2 * n - 1, -1, np.int64)
    parent[left] = parent[right] = 2 * n - 2 - split
    return parent


def _runs(left_sizes: Ids) -> tuple[Ids, Ids]:
    """Length and first position of the run that each split cuts."""
    size, begin = np.empty_like(left_sizes), np.empty_like(left_sizes)
    stack = [(0, left_sizes.size + 1)]
    for k, left in enumerate(left_sizes.tolist()):
        start, length = stack.pop()
        size[k], begin[k] = length, start
        stack += [run for run in ((start + left, length - left), (start, left)) if run[1] > 1]
    return size, begin


def halved_parents(n: int) -> Ids:
    """Parents of the tree that halves the positions 0 .. n - 1 repeatedly, with the larger half on the right."""
    left_sizes, stack = [], [n] if n > 1 else []
    while stack:
        size = stack.pop()
        left_sizes.append(size // 2)
        stack += [half for half in (size - size // 2, size // 2) if half > 1]
    return split_parents(np.array(left_sizes, np.int64))


def join_parts(parts: Sequence[tuple[Ids, Ids]], merges: Iterable[tuple[int, int]]) -> Ids:
    """Parents of one binary tree over all leaves, from trees over disjoint sets of leaves and merges of these.

    parts  : the leaves of each part, and the parents of a tree over them; its leaf k is the k-th of these.
    merges : pairs of parts, from the bottom up; the first keeps its number for the joined part.

    >>> join_parts([(np.array([0, 2]), halved_parents(2)), (np.array([1]), halved_parents(1))], [(0, 1)]).tolist()
    [3, 4, 3, 4, -1]
    """
    n = sum(leaves.size for leaves, _ in parts)
    parent = np.full(2 * n - 1, -1, np.int64)
    top, free = [], n
    for leaves, own in parts:
        names = np.concatenate([leaves, np.arange(free, free + own.size - leaves.size)])
        parent[names[:-1]] = names[own[:-1]]
        top.append(int(names[-1]))
        free += own.size - leaves.size
    for first, second in merges:
        parent[top[first]] = parent[top[second]] = free
        top[first] = free
        free += 1
    return parent
