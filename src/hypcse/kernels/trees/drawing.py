"""What drawings of trees need: an order of leaves with short jumps, arcs in the disk, and middles of children."""

from __future__ import annotations

import numpy as np

from hypcse.kernels.arrays import Ids, Reals, ShortIds
from hypcse.kernels.compile import helper, kernel


@helper
def _squared_distance(X: Reals, i: int, j: int) -> float:
    """Squared distance of two rows."""
    total = 0.0
    for k in range(X.shape[1]):
        total += (X[i, k] - X[j, k]) ** 2
    return total


@kernel
def flipped_order(children: Ids, X: Reals) -> Ids:
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
    size = np.ones(n_leaves + n_joins, np.int64)
    for join in range(n_joins):
        size[n_leaves + join] = size[children[join, 0]] + size[children[join, 1]]
    start, mirrored = np.zeros(size.size, np.int64), np.zeros(size.size, np.bool_)
    for join in range(n_joins - 1, -1, -1):
        mirror = mirrored[n_leaves + join]
        first = 1 if mirror else 0
        start[children[join, first]] = start[n_leaves + join]
        start[children[join, 1 - first]] = start[n_leaves + join] + size[children[join, first]]
        for side in range(2):
            mirrored[children[join, side]] = turn[join, side] != mirror
    order = np.empty(n_leaves, np.int64)
    for leaf in range(n_leaves):
        order[start[leaf]] = leaf
    return order


@helper
def _other_side(start: int, middle: int, stop: int, leaf: int) -> tuple[int, int]:
    """Where the far end of an order that begins with `leaf` can lie: the child's other part, or the leaf itself."""
    if stop - start == 1:
        return start, stop
    return (middle, stop) if leaf < middle else (start, middle)


@helper
def _settle(left: Ids, right: Ids, way: Reals, cost: Reals, inner: ShortIds) -> None:
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
def optimal_positions(spans: Ids, sides: Ids, way: Reals) -> Ids:
    """Positions of the leaves in the best order. O(n^3) time at worst, O(n^2) memory.

    spans : (n_nodes, 3) start, middle and stop of each node over positions, children before parents.
    sides : (n_nodes - n, 2) left and right child of each internal node.
    way   : (n, n) distances by position.
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


@helper
def _unfold(inner: ShortIds, first: int, last: int) -> Ids:
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


@kernel
def covering_arcs(parent: Ids, angle: Reals) -> tuple[Reals, Reals]:
    """Middle and half the width of the smallest arc that covers the angles, one per leaf, under each node. O(n).

    Exact where the leaves fit into half a circle; a wider arc may be wider than it must be.
    """
    n_leaves = angle.size
    middle = np.zeros(parent.size)
    half = np.full(parent.size, -1.0)
    for leaf in range(n_leaves):
        middle[leaf], half[leaf] = angle[leaf], 0.0
    for node in range(parent.size - 1):
        above = parent[node]
        if half[above] < 0:
            middle[above], half[above] = middle[node], half[node]
            continue
        # The nearer way around from the arc so far to the one that joins it.
        turn = (middle[node] - middle[above] + np.pi) % (2 * np.pi) - np.pi
        low = min(-half[above], turn - half[node])
        high = max(half[above], turn + half[node])
        middle[above] += (low + high) / 2
        half[above] = min((high - low) / 2, np.pi)
    return middle, half


@kernel
def child_middles(parent: Ids, position: Reals) -> Reals:
    """Position of every node, given those of the leaves: halfway between its first and its last child. O(n)."""
    n_leaves = position.size
    low = np.full(parent.size, np.inf)
    high = np.full(parent.size, -np.inf)
    for leaf in range(n_leaves):
        low[leaf] = high[leaf] = position[leaf]
    middle = np.empty(parent.size)
    for node in range(parent.size):
        middle[node] = (low[node] + high[node]) / 2
        if node < parent.size - 1:
            above = parent[node]
            low[above] = min(low[above], middle[node])
            high[above] = max(high[above], middle[node])
    return middle
