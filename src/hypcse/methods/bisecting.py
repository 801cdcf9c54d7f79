"""Bisecting k-means; and trees built from the top down, or from parts."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import numpy as np
from numpy.typing import NDArray

from hypcse._checks import check_count
from hypcse._random import generator
from hypcse.kernels.points.two_means import Bisection, Effort, bisect, start_bisection
from hypcse.kernels.trees.sweep import lift_heights
from hypcse.methods.options import Clock, Inputs
from hypcse.tree import Tree
from hypcse.tree.numbering import renumber

Ids = NDArray[np.int64]

# Points processed, counted once per cluster, between two progress reports.
_PART = 10_000


def bisecting_kmeans(
    inputs: Inputs, *, n_init: int = 10, max_iter: int = 300, tol: float = 1e-4, max_seconds: float | None = None
) -> Tree:
    """Split all points in two by 2-means, and each part again, down to single points.

    2-means is the best of `n_init` runs of Lloyd's algorithm from k-means++; a run ends when no point changes its side,
    after `max_iter` rounds, or when the centres move by at most `tol` times the variance, as in scikit-learn.
    Copies of one point are halved. The height of a node is the root of the sum of squared distances to its mean,
    which never decreases upwards.

    The order of splitting does not matter: the tree is complete. scikit-learn's `BisectingKMeans` stops before copies
    are separated, and does not expose its tree. O(n d) memory; O(n d) time per round of a run and level of the tree.
    Pen-digits, 10,992 points: about 1 s on one core. After `max_seconds` it raises TimeoutError.
    """
    check_count("n_init", n_init, 1)
    check_count("max_iter", max_iter, 1)
    if not tol >= 0:
        raise ValueError(f"tol={tol} must be at least 0.")
    clock = Clock("bisecting-kmeans", inputs.callback, max_seconds)
    X = np.ascontiguousarray(inputs.features)
    if len(X) == 1:
        return Tree.single()
    draw = generator(inputs.random_state, "bisecting k-means")
    # Copies are halved at random: data often come sorted by class, and the order of the rows would leak it.
    at = start_bisection(draw.permutation(len(X)))
    while at.status[0] > 0:
        bisect(X, at, draw, Effort(n_init, max_iter, tol), _PART)
        clock.check("splits", int(at.status[1]), len(X) - 1)
    return _tree(at)


def _tree(at: Bisection) -> Tree:
    """The tree of a finished bisection; leaf k of its splits is the point order[k]."""
    n = at.order.size
    parent = split_parents(at.left_sizes)
    height = lift_heights(parent, np.concatenate([np.zeros(n), np.sqrt(at.spread[::-1])]))
    place = np.argsort(at.order)
    return Tree(*renumber(parent, height, np.concatenate([place, np.arange(n, 2 * n - 1)])))


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
