"""The cluster whose union with another adds least variance, by a k-d tree over centroids that move.

Ward's distance between clusters of s and t points is 2 s t / (s + t) |c - c'|^2, which grows with both sizes. So no
cluster of a node is nearer than its box with the least of its sizes. Sizes are whole numbers whose products float64
holds exactly, and rounding is monotone, so that this is true to the last bit: the answer is that of all comparisons.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from hypcse.kernels.compile import helper, kernel
from hypcse.kernels.points.kdtree import build_tree

Ids = NDArray[np.int64]
Reals = NDArray[np.float64]

# Clusters in a leaf, at most.
_LEAF = 128
# Clusters that are compared with all others: the tree would take longer to compile.
_FEW = 1024
# Columns summed up before those of a leaf that are too far already are looked for.
_COLUMNS = 16
# Relative, of a sum a column.
_ROUNDING = 4e-16


class Cells(NamedTuple):
    """Clusters in the leaves of a complete k-d tree; a place without one has center and size at infinity and id -1.

    leaf, place (n,)             : where each cluster is
    member, sizes (n_leaves, width) : the cluster in each place, and its size
    blocks (n_leaves, d, width)  : the centers of a leaf, column by column
    low, high (n_nodes, d)       : the box around the centers of a node
    least (n_nodes,)             : the least size in a node
    gaps (width,)                : room for the distances to a leaf
    """

    leaf: Ids
    place: Ids
    member: Ids
    sizes: Reals
    blocks: Reals
    low: Reals
    high: Reals
    least: Reals
    gaps: Reals


def make_cells(center: Reals, size: Reals, ids: Ids) -> Cells:
    """The tree over some clusters, one leaf where they are few. O(n d log n)."""
    if len(ids) <= _FEW:
        order, start = ids, np.array([0, len(ids)])
        low, high = (bound(center[ids], axis=0, keepdims=True) for bound in (np.min, np.max))
    else:
        tree = build_tree(center[ids], _LEAF)
        order, start, low, high = ids[tree.ids], tree.start, tree.low, tree.high
    n_leaves, d, width = len(start) - 1, center.shape[1], int(-(-np.diff(start).max() // 8) * 8)
    empty = np.full((n_leaves, width), -1), np.full((n_leaves, width), np.inf), np.full((n_leaves, d, width), np.inf)
    boxes = low, high, np.ones(2 * n_leaves - 1), np.empty(width)
    cells = Cells(np.full(len(center), -1), np.full(len(center), -1), *empty, *boxes)
    _fill(cells, center, size, order, start)
    return cells


@kernel
def _fill(cells: Cells, center: Reals, size: Reals, ids: Ids, start: Ids) -> None:
    n_leaves = start.size - 1
    for leaf in range(n_leaves):
        for p in range(start[leaf], start[leaf + 1]):
            own, place = ids[p], p - start[leaf]
            cells.leaf[own], cells.place[own] = leaf, place
            cells.member[leaf, place] = own
            cells.sizes[leaf, place] = size[own]
            for c in range(center.shape[1]):
                cells.blocks[leaf, c, place] = center[own, c]
        cells.least[n_leaves - 1 + leaf] = cells.sizes[leaf].min()
    for node in range(n_leaves - 2, -1, -1):
        cells.least[node] = min(cells.least[2 * node + 1], cells.least[2 * node + 2])


@helper
def remove_cluster(cells: Cells, own: int) -> None:
    """Take a cluster out. Boxes stay as they are."""
    leaf, place = cells.leaf[own], cells.place[own]
    cells.member[leaf, place] = -1
    for c in range(cells.blocks.shape[1]):
        cells.blocks[leaf, c, place] = np.inf
    _resize(cells, leaf, place, np.inf)


@helper
def move_cluster(cells: Cells, center: Reals, own: int, size: float) -> None:
    """Note the new center and size of a cluster, which stays in its leaf; boxes grow with it."""
    leaf, place = cells.leaf[own], cells.place[own]
    for c in range(cells.blocks.shape[1]):
        cells.blocks[leaf, c, place] = center[own, c]
    _resize(cells, leaf, place, size)
    node = cells.member.shape[0] - 1 + leaf
    while node >= 0:
        for c in range(cells.blocks.shape[1]):
            cells.low[node, c] = min(cells.low[node, c], center[own, c])
            cells.high[node, c] = max(cells.high[node, c], center[own, c])
        node = (node - 1) // 2 if node > 0 else -1


@helper
def _resize(cells: Cells, leaf: int, place: int, size: float) -> None:
    cells.sizes[leaf, place] = size
    node = cells.member.shape[0] - 1 + leaf
    cells.least[node] = cells.sizes[leaf].min()
    while node > 0:
        node = (node - 1) // 2
        cells.least[node] = min(cells.least[2 * node + 1], cells.least[2 * node + 2])


@helper
def _weight(own: float, other: float) -> float:
    return 2 * own * other / (own + other)


@helper
def _box_gap(x: float, low: float, high: float) -> float:
    gap = max(x - high, low - x, 0.0)
    return gap * gap


@helper
def _bound(cells: Cells, center: Reals, own: int, size: float, node: int) -> float:
    """No cluster of a node is nearer; infinity where there is none."""
    if cells.least[node] == np.inf:
        return np.inf
    low, high, d = cells.low, cells.high, center.shape[1]
    whole = d - d % 4
    p, q, r, s = 0.0, 0.0, 0.0, 0.0
    for c in range(0, whole, 4):
        p += _box_gap(center[own, c], low[node, c], high[node, c])
        q += _box_gap(center[own, c + 1], low[node, c + 1], high[node, c + 1])
        r += _box_gap(center[own, c + 2], low[node, c + 2], high[node, c + 2])
        s += _box_gap(center[own, c + 3], low[node, c + 3], high[node, c + 3])
    for c in range(whole, d):
        p += _box_gap(center[own, c], low[node, c], high[node, c])
    # Four sums are quicker than one, but round in another way than distances do.
    return ((p + q) + (r + s)) * _weight(size, cells.least[node]) * (1 - d * _ROUNDING)


@helper
def _leaf_gaps(cells: Cells, center: Reals, own: int, leaf: int, limit: float) -> bool:
    """Squared distances to the centers of a leaf, summed from the first column on; False where all exceed the limit."""
    gaps, blocks = cells.gaps, cells.blocks
    d, width = blocks.shape[1], blocks.shape[2]
    for r in range(width):
        gaps[r] = 0.0
    for begin in range(0, d, _COLUMNS):
        end = min(begin + _COLUMNS, d)
        whole = end - (end - begin) % 4
        for c in range(begin, whole, 4):
            x0, x1, x2, x3 = center[own, c], center[own, c + 1], center[own, c + 2], center[own, c + 3]
            for r in range(width):
                e, f = x0 - blocks[leaf, c, r], x1 - blocks[leaf, c + 1, r]
                g, h = x2 - blocks[leaf, c + 2, r], x3 - blocks[leaf, c + 3, r]
                gaps[r] = (((gaps[r] + e * e) + f * f) + g * g) + h * h
        for c in range(whole, end):
            x0 = center[own, c]
            for r in range(width):
                e = x0 - blocks[leaf, c, r]
                gaps[r] += e * e
        near = 0
        for r in range(width):
            near += 1 if gaps[r] <= limit else 0
        if near == 0:
            return False
    return True


@helper
def nearest_cluster(cells: Cells, center: Reals, size: Reals, own: int, preferred: int) -> tuple[int, float]:
    """The cluster whose union with this one adds least variance, and Ward's distance squared.

    `preferred`, -1 for none, then the smaller id, wins ties.
    """
    n_leaves = cells.member.shape[0]
    best, least = -1, np.inf
    if preferred >= 0:
        best, least = preferred, 0.0
        for c in range(center.shape[1]):
            least += (center[own, c] - center[preferred, c]) ** 2
        least *= _weight(size[own], size[preferred])
    best, least = _look_in_leaf(cells, center, size, own, cells.leaf[own], preferred, best, least)
    stack, bounds = np.empty(64, np.int64), np.empty(64)
    stack[0], bounds[0], top = 0, 0.0, 1
    while top > 0:
        top -= 1
        node = stack[top]
        if bounds[top] > least:
            continue
        if node >= n_leaves - 1:
            if node != n_leaves - 1 + cells.leaf[own]:
                best, least = _look_in_leaf(cells, center, size, own, node - (n_leaves - 1), preferred, best, least)
            continue
        near, far = 2 * node + 1, 2 * node + 2
        near_bound = _bound(cells, center, own, size[own], near)
        far_bound = _bound(cells, center, own, size[own], far)
        if far_bound < near_bound:
            near, far, near_bound, far_bound = far, near, far_bound, near_bound
        stack[top], bounds[top] = far, far_bound
        stack[top + 1], bounds[top + 1] = near, near_bound
        top += 2
    return best, least


@helper
def _look_in_leaf(
    cells: Cells, center: Reals, size: Reals, own: int, leaf: int, preferred: int, best: int, least: float
) -> tuple[int, float]:
    """The better of the best so far and those of a leaf."""
    # A little more than the distance at which the smallest cluster here would be as near, for rounding.
    lightest = _weight(size[own], cells.least[cells.member.shape[0] - 1 + leaf])
    if not _leaf_gaps(cells, center, own, leaf, least / lightest * (1 + 1e-12)):
        return best, least
    for place in range(cells.gaps.size):
        other = cells.member[leaf, place]
        if other < 0 or other == own:
            continue
        gap = cells.gaps[place] * _weight(size[own], size[other])
        if gap < least or (gap == least and best != preferred and (other == preferred or other < best)):
            best, least = other, gap
    return best, least
