"""The order of leaves with the least way from neighbour to neighbour (Bar-Joseph, Gifford, Jaakkola 2001)."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from hypcse.kernels._compile import kernel


@kernel
def _other_side(start: int, middle: int, stop: int, leaf: int) -> tuple[int, int]:
    """Where the far end of an order that begins with `leaf` can lie: the child's other part, or the leaf itself."""
    if stop - start == 1:
        return start, stop
    return (middle, stop) if leaf < middle else (start, middle)


@kernel
def _settle(
    left: NDArray[np.int64],
    right: NDArray[np.int64],
    way: NDArray[np.float64],
    cost: NDArray[np.float64],
    inner: NDArray[np.int32],
) -> None:
    """Least costs of one join for every pair of outer ends; `left` and `right` are (start, middle, stop) of the sides.

    cost[u, w] is for u the first and w the last leaf; inner[u, w] is the leaf of u's side at the seam.
    """
    reach = np.empty((left[2] - left[0], right[2] - right[0]))
    seam = np.empty(reach.shape, np.int32)
    for u in range(left[0], left[2]):
        low, high = _other_side(left[0], left[1], left[2], u)
        for k in range(right[0], right[2]):
            best, at = np.inf, low
            for m in range(low, high):
                if cost[u, m] + way[m, k] < best:
                    best, at = cost[u, m] + way[m, k], m
            reach[u - left[0], k - right[0]], seam[u - left[0], k - right[0]] = best, at
    for w in range(right[0], right[2]):
        low, high = _other_side(right[0], right[1], right[2], w)
        for u in range(left[0], left[2]):
            best, at = np.inf, low
            for k in range(low, high):
                if reach[u - left[0], k - right[0]] + cost[k, w] < best:
                    best, at = reach[u - left[0], k - right[0]] + cost[k, w], k
            cost[u, w] = cost[w, u] = best
            inner[w, u], inner[u, w] = at, seam[u - left[0], at - right[0]]


@kernel
def optimal_positions(
    spans: NDArray[np.int64], sides: NDArray[np.int64], way: NDArray[np.float64]
) -> NDArray[np.int64]:
    """Positions of the leaves in the best order.

    spans : (n_nodes, 3) start, middle and stop of each node over positions, children before parents.
    sides : (n_nodes - n, 2) left and right child of each internal node.
    way   : (n, n) distances by position.

    O(n^3) time at worst, O(n^2) memory.
    """
    n = way.shape[0]
    cost = np.zeros((n, n))
    inner = np.zeros((n, n), np.int32)
    for join in range(sides.shape[0]):
        _settle(spans[sides[join, 0]], spans[sides[join, 1]], way, cost, inner)
    root = spans[spans.shape[0] - 1]
    first, last, best = 0, 0, np.inf
    for u in range(root[0], root[1]):
        for w in range(root[1], root[2]):
            if cost[u, w] < best:
                first, last, best = u, w, cost[u, w]
    return _unfold(inner, first, last)


@kernel
def _unfold(inner: NDArray[np.int32], first: int, last: int) -> NDArray[np.int64]:
    """The order between two outer ends, from the seams."""
    n = inner.shape[0]
    order = np.empty(n, np.int64)
    stack = np.empty((n, 2), np.int64)
    stack[0, 0], stack[0, 1] = first, last
    depth, filled = 1, 0
    while depth > 0:
        depth -= 1
        u, w = stack[depth, 0], stack[depth, 1]
        if u == w:
            order[filled] = u
            filled += 1
            continue
        m, k = inner[u, w], inner[w, u]
        stack[depth, 0], stack[depth, 1] = k, w
        stack[depth + 1, 0], stack[depth + 1, 1] = u, m
        depth += 2
    return order
