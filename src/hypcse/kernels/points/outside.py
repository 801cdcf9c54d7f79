"""The nearest points outside a point's own part of a partition, by a k-d tree with or without cores.

The points of one leaf are searched for together. A node is passed over where its box lies farther from them than all
that they look for, where all its cores are larger than that, or where all its points are of their own part.
"""

from __future__ import annotations

import numpy as np
from numba import prange

from hypcse.kernels.arrays import Flags, Ids, Reals
from hypcse.kernels.compile import helper, kernel, parallel_kernel
from hypcse.kernels.points.kdtree import PointTree, point_distance
from hypcse.kernels.points.leaves import leaf_distances

# Below so many comparisons of two leaves, about ten milliseconds, threads may take longer to start than they save.
_FEW_VISITS = 2000


@helper
def _gap(low: Reals, high: Reals, a: int, tree: PointTree, node: int) -> float:
    """Squared distance between box a and a node, summed as `point_distance`: no pair of points comes out closer."""
    total = 0.0
    d = low.shape[1]
    whole = d - d % 4
    for c in range(0, whole, 4):
        e = max(low[a, c] - tree.high[node, c], tree.low[node, c] - high[a, c], 0.0)
        f = max(low[a, c + 1] - tree.high[node, c + 1], tree.low[node, c + 1] - high[a, c + 1], 0.0)
        g = max(low[a, c + 2] - tree.high[node, c + 2], tree.low[node, c + 2] - high[a, c + 2], 0.0)
        h = max(low[a, c + 3] - tree.high[node, c + 3], tree.low[node, c + 3] - high[a, c + 3], 0.0)
        total += (e * e + f * f) + (g * g + h * h)
    for c in range(whole, d):
        e = max(low[a, c] - tree.high[node, c], tree.low[node, c] - high[a, c], 0.0)
        total += e * e
    return total


@helper
def _before(tree: PointTree, p: int, q: int, other: int) -> bool:
    """Whether the edge from p to q comes before the equally long one to another point, -1 for none."""
    if other < 0:
        return True
    gap, rival = point_distance(tree.points, p, q), point_distance(tree.points, p, other)
    return gap < rival or (gap == rival and tree.ids[q] < tree.ids[other])


@helper
def insert(tree: PointTree, squared: Reals, neighbors: Ids, p: int, length: float, q: int) -> None:
    """Insert (squared length, position q) into the sorted row p, whose last entry falls out. O(k)."""
    slot = neighbors.shape[1] - 1
    while slot > 0:
        other, before = neighbors[p, slot - 1], squared[p, slot - 1]
        if before < length or (before == length and not _before(tree, p, q, other)):
            break
        squared[p, slot], neighbors[p, slot] = before, other
        slot -= 1
    squared[p, slot], neighbors[p, slot] = length, q


@helper
def _scan_leaf(tree: PointTree, part: Ids, p: int, leaf: int, squared: Reals, neighbors: Ids, out: Reals) -> None:
    """Offer the points of a leaf that lie outside the part of p to its list."""
    leaf_distances(tree.points[p], tree.blocks, leaf, out)
    first, last = tree.start[leaf], neighbors.shape[1] - 1
    limit, n_near = squared[p, last], 0
    for r in range(out.size):
        n_near += 1 if out[r] <= limit else 0
    if n_near == 0:
        return
    for r in range(tree.start[leaf + 1] - first):
        q = first + r
        if out[r] > squared[p, last] or part[q] == part[p]:
            continue
        length = max(out[r], tree.core[p], tree.core[q])
        # An empty place holds the limit: a length equal to it is still wanted.
        if length < squared[p, last] or (length == squared[p, last] and _before(tree, p, q, neighbors[p, last])):
            insert(tree, squared, neighbors, p, length, q)


@helper
def _query_box(tree: PointTree, leaf: int, wanted: Flags) -> tuple[Reals, Reals]:
    """Return the box around the wanted points of a leaf."""
    d = tree.points.shape[1]
    low, high = np.full((1, d), np.inf), np.full((1, d), -np.inf)
    for p in range(tree.start[leaf], tree.start[leaf + 1]):
        if wanted[p]:
            for c in range(d):
                low[0, c] = min(low[0, c], tree.points[p, c])
                high[0, c] = max(high[0, c], tree.points[p, c])
    return low, high


@helper
def _visit(
    tree: PointTree, part: Ids, own: int, wanted: Flags, leaf: int, squared: Reals, neighbors: Ids, out: Reals
) -> float:
    """Offer a leaf to all wanted points of the leaf `own`; return the largest length that any of them still needs."""
    node, last = (tree.start.size - 2) + leaf, neighbors.shape[1] - 1
    reach = -1.0
    for p in range(tree.start[own], tree.start[own + 1]):
        if wanted[p]:
            limit = squared[p, last]
            if tree.least_core[node] <= limit and _gap(tree.points, tree.points, p, tree, node) <= limit:
                _scan_leaf(tree, part, p, leaf, squared, neighbors, out)
            reach = max(reach, squared[p, last])
    return reach


def _search_leaves(
    tree: PointTree, part: Ids, node_part: Ids, queries: Ids, wanted: Flags, squared: Reals, neighbors: Ids
) -> Ids:
    visits = np.zeros(queries.size, np.int64)
    n_leaves = tree.start.size - 1
    for b in prange(queries.size):
        own = queries[b]
        low, high = _query_box(tree, own, wanted)
        out = np.empty(tree.blocks.shape[2])
        stack, gaps = np.empty(64, np.int64), np.empty(64)
        only = node_part[n_leaves - 1 + own]
        reach = _visit(tree, part, own, wanted, own, squared, neighbors, out)
        stack[0], gaps[0], top = 0, 0.0, 1
        while top > 0:
            top -= 1
            node = stack[top]
            if gaps[top] > reach or (only >= 0 and node_part[node] == only):
                continue
            if node >= n_leaves - 1:
                if node != n_leaves - 1 + own:
                    visits[b] += 1
                    reach = _visit(tree, part, own, wanted, node - (n_leaves - 1), squared, neighbors, out)
                continue
            near, far = 2 * node + 1, 2 * node + 2
            near_gap, far_gap = _gap(low, high, 0, tree, near), _gap(low, high, 0, tree, far)
            if far_gap < near_gap:
                near, far, near_gap, far_gap = far, near, far_gap, near_gap
            stack[top], gaps[top] = far, max(far_gap, tree.least_core[far])
            stack[top + 1], gaps[top + 1] = near, max(near_gap, tree.least_core[near])
            top += 2
    return visits


_search_leaves_alone = kernel(_search_leaves)
_search_leaves_together = parallel_kernel(_search_leaves)


def nearest_outside(
    tree: PointTree,
    part: Ids,
    node_part: Ids,
    queries: Ids,
    wanted: Flags,
    lists: tuple[Reals, Ids],
    n_visits: float = np.inf,
) -> Ids:
    """Find the points nearest to each wanted point of the leaves `queries` among those of other parts.

    `part` (n,) is the part of each position, `node_part` that of each node, -1 where it has several. The lists, squared
    lengths and positions (n, k), come with the largest length of interest and -1, and are left sorted by (length,
    distance, id). Returns how many leaves each query leaf was compared with; `n_visits` of them are expected.
    """
    few = queries.size * (1 + n_visits) < _FEW_VISITS
    search = _search_leaves_alone if few else _search_leaves_together
    return search(tree, part, node_part, queries, wanted, *lists)
