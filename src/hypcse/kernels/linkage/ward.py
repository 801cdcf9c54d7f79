"""Ward's method on centroids: nearest-neighbor chains over a k-d tree of centroids that move, in memory O(n d).

Ward's distance 2 s t / (s + t) |c - c'|^2 grows with the sizes s and t, so no cluster of a node is nearer than its box
with its least size. Rounding is monotone: the answer is, to the last bit, that of all comparisons.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from hypcse.kernels.arrays import Ids, Reals
from hypcse.kernels.compile import helper, kernel, summing_helper
from hypcse.kernels.points.kdtree import blocks_of, build_tree, per_node

# Clusters in a leaf, at most.
_LEAF = 128
# Columns summed up before a leaf is skipped if all its clusters are too far already.
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
    """Return the tree over the clusters `ids`. O(n d log n)."""
    tree = build_tree(center[ids], _LEAF)
    ids, sizes, n_leaves = ids[tree.ids], np.diff(tree.start), tree.start.size - 1
    leaf, place = np.full(len(center), -1), np.full(len(center), -1)
    leaf[ids] = np.repeat(np.arange(n_leaves), sizes)
    place[ids] = np.arange(ids.size) - np.repeat(tree.start[:-1], sizes)
    blocks = blocks_of(tree.points, tree.start, np.inf)
    member, own = np.full((n_leaves, blocks.shape[2]), -1), (leaf[ids], place[ids])
    member[own] = ids
    member_sizes = np.full(member.shape, np.inf)
    member_sizes[own] = size[ids]
    least = per_node(np.minimum, size[ids], tree.start)
    return Cells(leaf, place, member, member_sizes, blocks, tree.low, tree.high, least, np.empty(blocks.shape[2]))


@helper
def remove_cluster(cells: Cells, own: int) -> None:
    """Remove a cluster. Boxes stay as they are."""
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


@summing_helper
def _box_distance(cells: Cells, center: Reals, own: int, node: int) -> float:
    total = 0.0
    for c in range(center.shape[1]):
        gap = max(center[own, c] - cells.high[node, c], cells.low[node, c] - center[own, c], 0.0)
        total += gap * gap
    return total


@helper
def _bound(cells: Cells, center: Reals, own: int, size: float, node: int) -> float:
    """Return a distance below which no cluster of a node is; infinity if it has none."""
    if cells.least[node] == np.inf:
        return np.inf
    # A sum in any order is quicker, but rounds in another way than distances do.
    rounding = 1 - center.shape[1] * _ROUNDING
    return _box_distance(cells, center, own, node) * _weight(size, cells.least[node]) * rounding


@helper
def _leaf_gaps(cells: Cells, center: Reals, own: int, leaf: int, limit: float) -> bool:
    """Write squared distances to the centers of a leaf, summed column by column; False once all exceed the limit."""
    gaps, blocks = cells.gaps, cells.blocks
    d, width = blocks.shape[1], blocks.shape[2]
    for r in range(width):
        gaps[r] = 0.0
    for begin in range(0, d, _COLUMNS):
        for c in range(begin, min(begin + _COLUMNS, d)):
            x = center[own, c]
            for r in range(width):
                gap = x - blocks[leaf, c, r]
                gaps[r] += gap * gap
        n_near = 0
        for r in range(width):
            n_near += 1 if gaps[r] <= limit else 0
        if n_near == 0:
            return False
    return True


@helper
def nearest_cluster(cells: Cells, center: Reals, size: Reals, own: int, preferred: int) -> tuple[int, float]:
    """Return the cluster of the least Ward's distance, and its square; `preferred`, then the smaller id, wins ties."""
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
    """Return the better of the best so far and the clusters of a leaf."""
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


class WardChain(NamedTuple):
    """The state of Ward's method; a cluster is named by one of its points.

    center (n, d), size (n,)  : of each cluster.
    active, place (n,)        : the clusters, of which only the first `status[0]` count; the place of each among them.
    chain (n,)                : clusters, each nearest to the one before.
    first, second, height (n - 1,) : the merges.
    status (3,)               : the number of clusters, the length of the chain, the number of merges.
    """

    center: Reals
    size: Reals
    active: Ids
    place: Ids
    chain: Ids
    first: Ids
    second: Ids
    height: Reals
    status: Ids


def start_ward(X: Reals) -> WardChain:
    """Return every point as a cluster."""
    n = len(X)
    ids = np.arange(n)
    merges = np.empty(n - 1, np.int64), np.empty(n - 1, np.int64), np.empty(n - 1)
    # One copy, in rows: the kernel moves the centers.
    center = np.array(X, np.float64, order="C")
    return WardChain(center, np.ones(n), ids, ids.copy(), np.empty(n, np.int64), *merges, np.array([n, 0, 0]))


def cells_of(at: WardChain) -> Cells:
    """Return a k-d tree over the clusters as they are now."""
    return make_cells(at.center, at.size, np.sort(at.active[: at.status[0]]))


@kernel
def _drop(active: Ids, place: Ids, n_active: int, gone: int) -> int:
    last = active[n_active - 1]
    active[place[gone]] = last
    place[last] = place[gone]
    return n_active - 1


@kernel
def ward_merges(at: WardChain, cells: Cells, n_steps: int, n_least: int) -> None:
    """Take the next `n_steps` steps of a nearest-neighbor chain, at most until `n_least` clusters are left.

    The height sqrt(2 |A| |B| / (|A| + |B|)) |c_A - c_B| is SciPy's. A step is O(n d) at worst.
    """
    n_active, length, done = at.status
    center, size, chain = at.center, at.size, at.chain
    while n_active > max(n_least, 1) and n_steps > 0:
        n_steps -= 1
        if length == 0:
            chain[0], length = at.active[0], 1
        top = chain[length - 1]
        below = chain[length - 2] if length > 1 else -1
        nearest, gap = nearest_cluster(cells, center, size, top, below)
        if nearest != below:
            chain[length] = nearest
            length += 1
            continue
        at.first[done], at.second[done], at.height[done] = below, top, np.sqrt(gap)
        center[below] = (size[below] * center[below] + size[top] * center[top]) / (size[below] + size[top])
        size[below] += size[top]
        remove_cluster(cells, top)
        move_cluster(cells, center, below, size[below])
        n_active = _drop(at.active, at.place, n_active, top)
        length -= 2
        done += 1
    at.status[0], at.status[1], at.status[2] = n_active, length, done
