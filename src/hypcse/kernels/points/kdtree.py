"""A k-d tree over points, and the nearest points outside a point's own part of a partition.

The tree is complete: node v has the children 2 v + 1 and 2 v + 2, and its leaves hold n / n_leaves points each, up to
rounding. Points are named by *position*, their place in the order of the leaves. Ties go to the smaller id.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numba import prange
from numpy.typing import NDArray

from hypcse.kernels._compile import kernel, parallel_kernel

Ids = NDArray[np.int64]
Reals = NDArray[np.float64]
Flags = NDArray[np.bool_]

# Points in a leaf, at most. All distances to a leaf are computed together, by vector instructions.
LEAF = 32


class PointTree(NamedTuple):
    """Points in the order of the leaves.

    ids (n,)                     : the point at each position
    points (n, d)                : its coordinates
    start (n_leaves + 1,)        : the positions of a leaf are start[k] .. start[k + 1] - 1
    low, high (n_nodes, d)       : the box around the points of a node
    blocks (n_leaves, d, LEAF)   : the coordinates once more, those of a leaf column by column
    """

    ids: Ids
    points: Reals
    start: Ids
    low: Reals
    high: Reals
    blocks: Reals


def build_tree(X: Reals) -> PointTree:
    """The tree that splits at the median of the widest column. O(n d log n)."""
    n_leaves = 1
    while n_leaves * LEAF < len(X):
        n_leaves *= 2
    start = np.arange(n_leaves + 1) * len(X) // n_leaves
    ids = np.arange(len(X))
    n_nodes = 1
    while n_nodes < n_leaves:
        _split_level(X, ids, start, n_nodes)
        n_nodes *= 2
    points = X[ids]
    return PointTree(ids, points, start, *_boxes(points, start), _blocks(points, start))


@kernel
def _select(keys: Reals, ids: Ids, rank: int) -> None:
    """Reorder so that no key before `rank` is above any from it on. O(n) on average."""
    low, high = 0, keys.size - 1
    while low < high:
        a, b, c = keys[low], keys[(low + high) // 2], keys[high]
        pivot = max(min(a, b), min(max(a, b), c))
        i, j = low, high
        while i <= j:
            while keys[i] < pivot:
                i += 1
            while keys[j] > pivot:
                j -= 1
            if i <= j:
                keys[i], keys[j] = keys[j], keys[i]
                ids[i], ids[j] = ids[j], ids[i]
                i += 1
                j -= 1
        if rank <= j:
            high = j
        elif rank >= i:
            low = i
        else:
            return


@kernel
def _widest(X: Reals, ids: Ids) -> int:
    low, high = X[ids[0]].copy(), X[ids[0]].copy()
    for i in ids:
        for c in range(X.shape[1]):
            low[c] = min(low[c], X[i, c])
            high[c] = max(high[c], X[i, c])
    return int(np.argmax(high - low))


@parallel_kernel
def _split_level(X: Reals, ids: Ids, start: Ids, n_nodes: int) -> None:
    """Split each of the nodes of one level in two, in place."""
    width = (start.size - 1) // n_nodes
    for k in prange(n_nodes):
        begin, middle, end = start[k * width], start[k * width + width // 2], start[(k + 1) * width]
        own = ids[begin:end]
        column = _widest(X, own)
        keys = np.empty(own.size)
        for p in range(own.size):
            keys[p] = X[own[p], column]
        _select(keys, own, middle - begin)


@kernel
def _boxes(points: Reals, start: Ids) -> tuple[Reals, Reals]:
    n_leaves, d = start.size - 1, points.shape[1]
    low, high = np.full((2 * n_leaves - 1, d), np.inf), np.full((2 * n_leaves - 1, d), -np.inf)
    for leaf in range(n_leaves):
        node = n_leaves - 1 + leaf
        for p in range(start[leaf], start[leaf + 1]):
            for c in range(d):
                low[node, c] = min(low[node, c], points[p, c])
                high[node, c] = max(high[node, c], points[p, c])
    for node in range(2 * n_leaves - 2, 0, -1):
        above = (node - 1) // 2
        for c in range(d):
            low[above, c] = min(low[above, c], low[node, c])
            high[above, c] = max(high[above, c], high[node, c])
    return low, high


@parallel_kernel
def _blocks(points: Reals, start: Ids) -> Reals:
    n_leaves, d = start.size - 1, points.shape[1]
    blocks = np.zeros((n_leaves, d, LEAF))
    for leaf in prange(n_leaves):
        for p in range(start[leaf], start[leaf + 1]):
            for c in range(d):
                blocks[leaf, c, p - start[leaf]] = points[p, c]
    return blocks


@kernel
def point_distance(points: Reals, i: int, j: int) -> float:
    """|x_i - x_j|^2, to the last bit what `_leaf_distances` gives, in both directions. O(d)."""
    total = 0.0
    d = points.shape[1]
    whole = d - d % 4
    for c in range(0, whole, 4):
        a, b = points[i, c] - points[j, c], points[i, c + 1] - points[j, c + 1]
        e, f = points[i, c + 2] - points[j, c + 2], points[i, c + 3] - points[j, c + 3]
        total += (a * a + b * b) + (e * e + f * f)
    for c in range(whole, d):
        a = points[i, c] - points[j, c]
        total += a * a
    return total


@kernel
def pair_distances(points: Reals, first: Ids, second: Ids) -> Reals:
    """Squared distances of pairs of points."""
    squared = np.empty(first.size)
    for e in range(first.size):
        squared[e] = point_distance(points, first[e], second[e])
    return squared


@kernel
def _leaf_distances(points: Reals, p: int, blocks: Reals, leaf: int, out: Reals) -> None:
    """Squared distances from a point to those of a leaf, (LEAF,)."""
    d = points.shape[1]
    whole = d - d % 4
    for r in range(LEAF):
        out[r] = 0.0
    for g in range(whole // 4):
        c = 4 * g
        x0, x1, x2, x3 = points[p, c], points[p, c + 1], points[p, c + 2], points[p, c + 3]
        for r in range(LEAF):
            a, b = x0 - blocks[leaf, c, r], x1 - blocks[leaf, c + 1, r]
            e, f = x2 - blocks[leaf, c + 2, r], x3 - blocks[leaf, c + 3, r]
            out[r] += (a * a + b * b) + (e * e + f * f)
    for c in range(whole, d):
        x0 = points[p, c]
        for r in range(LEAF):
            a = x0 - blocks[leaf, c, r]
            out[r] += a * a


@kernel
def _gap(low: Reals, high: Reals, tree: PointTree, node: int) -> float:
    """Squared distance between a box and that of a node.

    Summed in the order of `point_distance`: as rounding is monotone, no pair of points comes out closer.
    """
    total = 0.0
    d = low.size
    whole = d - d % 4
    for c in range(0, whole, 4):
        a = max(low[c] - tree.high[node, c], tree.low[node, c] - high[c], 0.0)
        b = max(low[c + 1] - tree.high[node, c + 1], tree.low[node, c + 1] - high[c + 1], 0.0)
        e = max(low[c + 2] - tree.high[node, c + 2], tree.low[node, c + 2] - high[c + 2], 0.0)
        f = max(low[c + 3] - tree.high[node, c + 3], tree.low[node, c + 3] - high[c + 3], 0.0)
        total += (a * a + b * b) + (e * e + f * f)
    for c in range(whole, d):
        a = max(low[c] - tree.high[node, c], tree.low[node, c] - high[c], 0.0)
        total += a * a
    return total


@kernel
def _insert(squared: Reals, found: Ids, distance: float, q: int, ids: Ids) -> None:
    """Put (distance, position q) in its place among the sorted rows; the last one falls out. O(k)."""
    slot = found.size - 1
    while slot > 0 and (
        squared[slot - 1] > distance
        or (squared[slot - 1] == distance and (found[slot - 1] < 0 or ids[found[slot - 1]] > ids[q]))
    ):
        squared[slot], found[slot] = squared[slot - 1], found[slot - 1]
        slot -= 1
    squared[slot], found[slot] = distance, q


@kernel
def _scan_leaf(tree: PointTree, part: Ids, p: int, leaf: int, squared: Reals, found: Ids, out: Reals) -> None:
    """Offer the points of a leaf that lie outside the part of p to its list."""
    _leaf_distances(tree.points, p, tree.blocks, leaf, out)
    first, last = tree.start[leaf], found.size - 1
    near = 0
    for r in range(LEAF):
        near += 1 if out[r] <= squared[last] else 0
    if near == 0:
        return
    for r in range(tree.start[leaf + 1] - first):
        q = first + r
        if out[r] > squared[last] or part[q] == part[p]:
            continue
        # An empty place holds the limit: a distance equal to it is still wanted.
        if out[r] < squared[last] or found[last] < 0 or tree.ids[q] < tree.ids[found[last]]:
            _insert(squared, found, out[r], q, tree.ids)


@kernel
def _query_box(tree: PointTree, leaf: int, wanted: Flags) -> tuple[Reals, Reals]:
    """The box around the wanted points of a leaf."""
    d = tree.points.shape[1]
    low, high = np.full(d, np.inf), np.full(d, -np.inf)
    for p in range(tree.start[leaf], tree.start[leaf + 1]):
        if wanted[p]:
            for c in range(d):
                low[c] = min(low[c], tree.points[p, c])
                high[c] = max(high[c], tree.points[p, c])
    return low, high


@kernel
def _visit(
    tree: PointTree, part: Ids, own: int, wanted: Flags, leaf: int, squared: Reals, found: Ids, out: Reals
) -> float:
    """Offer a leaf to all wanted points of the leaf `own`; the largest distance that any of them still looks for."""
    node = (tree.start.size - 2) + leaf
    reach = -1.0
    for p in range(tree.start[own], tree.start[own + 1]):
        if wanted[p]:
            k = found.shape[1] - 1
            if _gap(tree.points[p], tree.points[p], tree, node) <= squared[p, k]:
                _scan_leaf(tree, part, p, leaf, squared[p], found[p], out)
            reach = max(reach, squared[p, k])
    return reach


@parallel_kernel
def nearest_outside(
    tree: PointTree, part: Ids, node_part: Ids, queries: Ids, wanted: Flags, squared: Reals, found: Ids
) -> Ids:
    """Lists of the points nearest to each wanted point of the leaves `queries` among those of other parts.

    `part` (n,) is the part of each position, `node_part` that of each node, -1 where it has several. Rows of `found`
    and `squared` (n, k) must come as -1 and the largest squared distance of interest, itself included; they are
    left with positions and squared distances by (distance, id). Returns how many leaves each query leaf was
    compared with.
    """
    visits = np.zeros(queries.size, np.int64)
    n_leaves = tree.start.size - 1
    for b in prange(queries.size):
        own = queries[b]
        low, high = _query_box(tree, own, wanted)
        out = np.empty(LEAF)
        stack, gaps = np.empty(64, np.int64), np.empty(64)
        only = node_part[n_leaves - 1 + own]
        reach = _visit(tree, part, own, wanted, own, squared, found, out)
        stack[0], gaps[0], top = 0, 0.0, 1
        while top > 0:
            top -= 1
            node = stack[top]
            if gaps[top] > reach or (only >= 0 and node_part[node] == only):
                continue
            if node >= n_leaves - 1:
                if node != n_leaves - 1 + own:
                    visits[b] += 1
                    reach = _visit(tree, part, own, wanted, node - (n_leaves - 1), squared, found, out)
                continue
            near, far = 2 * node + 1, 2 * node + 2
            near_gap, far_gap = _gap(low, high, tree, near), _gap(low, high, tree, far)
            if far_gap < near_gap:
                near, far, near_gap, far_gap = far, near, far_gap, near_gap
            stack[top], gaps[top] = far, far_gap
            stack[top + 1], gaps[top + 1] = near, near_gap
            top += 2
    return visits
