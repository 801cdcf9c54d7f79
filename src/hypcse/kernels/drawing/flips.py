"""Turning the two sides of every join of a binary tree."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from hypcse.kernels._compile import kernel


@kernel
def _squared_distance(X: NDArray[np.float64], i: int, j: int) -> float:
    total = 0.0
    for k in range(X.shape[1]):
        total += (X[i, k] - X[j, k]) ** 2
    return total


@kernel
def flipped_order(children: NDArray[np.int64], X: NDArray[np.float64]) -> NDArray[np.int64]:
    """Leaf order after turning, from the first join to the last, the sides of each so that the nearest ends meet."""
    n_joins = children.shape[0]
    n_leaves = n_joins + 1
    ends = np.empty((n_leaves + n_joins, 2), np.int64)
    turn = np.zeros((n_joins, 2), np.bool_)
    for leaf in range(n_leaves):
        ends[leaf] = leaf
    for join in range(n_joins):
        left, right = children[join, 0], children[join, 1]
        best = np.inf
        for a in range(2):
            for b in range(2):
                gap = _squared_distance(X, ends[left, a], ends[right, b])
                if gap < best:
                    best = gap
                    # The left side meets with its last leaf, the right side with its first.
                    turn[join, 0] = a == 0
                    turn[join, 1] = b == 1
        ends[n_leaves + join, 0] = ends[left, 1 if turn[join, 0] else 0]
        ends[n_leaves + join, 1] = ends[right, 0 if turn[join, 1] else 1]
    return _walk(children, turn)


@kernel
def _walk(children: NDArray[np.int64], turn: NDArray[np.bool_]) -> NDArray[np.int64]:
    """Leaves from left to right, each join's sides turned as asked."""
    n_leaves = children.shape[0] + 1
    order = np.empty(n_leaves, np.int64)
    stack = np.empty(n_leaves, np.int64)
    mirrored = np.zeros(n_leaves, np.bool_)
    stack[0] = 2 * n_leaves - 2
    depth, filled = 1, 0
    while depth > 0:
        depth -= 1
        node, mirror = stack[depth], mirrored[depth]
        if node < n_leaves:
            order[filled] = node
            filled += 1
            continue
        join = node - n_leaves
        first = 1 if mirror else 0
        for side in (1 - first, first):
            stack[depth] = children[join, side]
            mirrored[depth] = turn[join, side] != mirror
            depth += 1
    return order
