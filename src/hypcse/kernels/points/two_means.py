"""Bisecting k-means: every cluster is split in two by 2-means, down to single points."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from hypcse.kernels.arrays import Flags, Ids, Reals
from hypcse.kernels.compile import kernel


class Bisection(NamedTuple):
    """Where a bisection stands.

    order (n,)           : the points; every cluster is a run of them.
    left_sizes (n - 1,)  : points in the left part of each split, in pre-order.
    spread (n - 1,)      : sum of squared distances to its mean of the cluster that each split cuts.
    stack (n, 2)         : runs still to be split, first position and end.
    status (2,)          : length of the stack, and splits done.
    """

    order: Ids
    left_sizes: Ids
    spread: Reals
    stack: Ids
    status: Ids


class Effort(NamedTuple):
    """How hard 2-means tries: runs, rounds of each, and the movement of the centers, in variances, that ends one."""

    n_init: int
    max_iter: int
    tol: float


def start_bisection(order: Ids) -> Bisection:
    """Return more than one point, none split; copies of one point will be halved in this order."""
    n = order.size
    stack = np.zeros((n, 2), np.int64)
    stack[0, 1] = n
    return Bisection(order.copy(), np.empty(n - 1, np.int64), np.empty(n - 1), stack, np.array([1, 0]))


@kernel
def bisect(X: Reals, at: Bisection, draw: np.random.Generator, effort: Effort, work: int) -> None:
    """Split clusters until about `work` points have been looked at, or all are single."""
    left_side = np.empty(X.shape[0], np.bool_)
    while at.status[0] > 0 and work > 0:
        at.status[0] -= 1
        begin, end = at.stack[at.status[0]]
        ids = at.order[begin:end]
        spread = _spread(X, ids)
        left = _split(X, ids, left_side[: ids.size], spread, draw, effort)
        at.left_sizes[at.status[1]], at.spread[at.status[1]] = left, spread
        at.status[1] += 1
        for first, last in ((begin + left, end), (begin, begin + left)):
            if last - first > 1:
                at.stack[at.status[0], 0], at.stack[at.status[0], 1] = first, last
                at.status[0] += 1
        work -= ids.size


@kernel
def _split(X: Reals, ids: Ids, left_side: Flags, spread: float, draw: np.random.Generator, effort: Effort) -> int:
    """Reorder a cluster so that its left part comes first; the size of that."""
    n = ids.size
    if n == 2:
        return 1
    if spread == 0:
        return n // 2
    best, side = np.inf, np.zeros(n, np.bool_)
    for _ in range(effort.n_init):
        inertia = two_means(X, ids, side, draw, effort.max_iter, effort.tol * spread / (n * X.shape[1]))
        if inertia < best:
            best = inertia
            left_side[:] = side
    before, n_left = ids.copy(), left_side.sum()
    left, right = 0, n_left
    for k in range(n):
        if left_side[k]:
            ids[left] = before[k]
            left += 1
        else:
            ids[right] = before[k]
            right += 1
    return n_left


@kernel
def two_means(X: Reals, ids: Ids, left_side: Flags, draw: np.random.Generator, max_iter: int, tol: float) -> float:
    """Lloyd's 2-means of points that are not all equal, from two centers by k-means++; the sum of squares within.

    `left_side` is filled; neither side is empty. It ends when no point changes its side, when the squared movement of
    the centers is at most `tol`, or after `max_iter` rounds.
    """
    center = _two_centers(X, ids, draw)
    _assign(X, ids, center, left_side)
    for _ in range(max_iter):
        moved = _move_to_means(X, ids, left_side, center)
        changed = _assign(X, ids, center, left_side)
        if changed == 0 or moved <= tol:
            break
    _move_to_means(X, ids, left_side, center)
    total = 0.0
    for k in range(ids.size):
        total += _squared(X, ids[k], center[0 if left_side[k] else 1])
    return total


@kernel
def _squared(X: Reals, i: int, center: Reals) -> float:
    total = 0.0
    for c in range(X.shape[1]):
        total += (X[i, c] - center[c]) ** 2
    return total


@kernel
def _spread(X: Reals, ids: Ids) -> float:
    """Sum of squared distances to the mean; exactly 0 for copies of one point."""
    first, mean = X[ids[0]], np.zeros(X.shape[1])
    for i in ids:
        mean += X[i] - first
    mean = first + mean / ids.size
    total = 0.0
    for i in ids:
        total += _squared(X, i, mean)
    return total


@kernel
def _two_centers(X: Reals, ids: Ids, draw: np.random.Generator) -> Reals:
    """k-means++: a point at random, and another with probability proportional to its squared distance from it."""
    center = np.empty((2, X.shape[1]))
    squared, total = np.empty(ids.size), 0.0
    while total == 0:
        center[0] = X[ids[min(int(draw.random() * ids.size), ids.size - 1)]]
        for k in range(ids.size):
            squared[k] = _squared(X, ids[k], center[0])
            total += squared[k]
    mark, chosen = draw.random() * total, -1
    for k in range(ids.size):
        mark -= squared[k]
        if squared[k] > 0:
            chosen = k
            if mark < 0:
                break
    center[1] = X[ids[chosen]]
    return center


@kernel
def _assign(X: Reals, ids: Ids, center: Reals, left_side: Flags) -> int:
    """Put each point to the nearer center, ties left, and the farthest one on an empty side; how many changed sides."""
    changed, n_left, far, farthest = 0, 0, 0, -1.0
    for k in range(ids.size):
        to_left, to_right = _squared(X, ids[k], center[0]), _squared(X, ids[k], center[1])
        left = to_left <= to_right
        changed += left != left_side[k]
        left_side[k] = left
        n_left += left
        if max(to_left, to_right) > farthest:
            far, farthest = k, max(to_left, to_right)
    if n_left == 0 or n_left == ids.size:
        left_side[far] = n_left == 0
    return changed


@kernel
def _move_to_means(X: Reals, ids: Ids, left_side: Flags, center: Reals) -> float:
    """Move the centers to the means of their sides; the squared distances moved, together."""
    mean, size = np.zeros(center.shape), np.zeros(2)
    for k in range(ids.size):
        side = 0 if left_side[k] else 1
        size[side] += 1
        for c in range(X.shape[1]):
            mean[side, c] += X[ids[k], c]
    moved = 0.0
    for side in range(2):
        for c in range(X.shape[1]):
            value = mean[side, c] / size[side]
            moved += (value - center[side, c]) ** 2
            center[side, c] = value
    return moved
