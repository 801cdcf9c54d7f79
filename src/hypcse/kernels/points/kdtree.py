"""A k-d tree over points.

The tree is complete: node v has the children 2 v + 1 and 2 v + 2, and its leaves hold n / n_leaves points each, up to
rounding. Points are named by *position*, their place in the order of the leaves.

It is ours because those of SciPy and scikit-learn break ties between equal distances by the order of their work, and
cannot look for the nearest point outside a part.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numba import prange
from numpy.typing import NDArray

from hypcse.kernels.compile import helper, kernel, parallel_kernel

Ids = NDArray[np.int64]
Reals = NDArray[np.float64]

# Points in a leaf, at most. All distances to a leaf are computed together, by vector instructions.
LEAF = 64
# Threads build so many subtrees each by itself, where there are enough leaves for threads to pay.
_N_SUBTREES = 16
_MANY_LEAVES = 512


class PointTree(NamedTuple):
    """Points in the order of the leaves.

    ids (n,)                     : the point at each position
    points (n, d)                : its coordinates
    start (n_leaves + 1,)        : the positions of a leaf are start[k] .. start[k + 1] - 1
    low, high (n_nodes, d)       : the box around the points of a node
    blocks (n_leaves, d, width)  : the coordinates once more, those of a leaf column by column
    core (n,)                    : squared; no edge at a position is shorter, however near its other end. 0 at first
    least_core (n_nodes,)        : the least of them in a node
    """

    ids: Ids
    points: Reals
    start: Ids
    low: Reals
    high: Reals
    blocks: Reals
    core: Reals
    least_core: Reals


def build_tree(X: Reals, leaf: int = LEAF) -> PointTree:
    """The tree that splits at the median of the widest column, with so many points in a leaf at most. O(n d log n)."""
    n_leaves = 1
    while n_leaves * leaf < len(X):
        n_leaves *= 2
    start = np.arange(n_leaves + 1) * len(X) // n_leaves
    ids = np.arange(len(X))
    n_roots = _N_SUBTREES if n_leaves >= _MANY_LEAVES else n_leaves
    _split_levels_alone(X, ids, start, 1, n_roots)
    if n_roots < n_leaves:
        _split_levels_together(X, ids, start, n_roots, n_leaves)
    points = X[ids]
    cores = np.zeros(len(X)), np.zeros(2 * n_leaves - 1)
    return PointTree(ids, points, start, *_boxes(points, start), _blocks(points, start), *cores)


def with_cores(tree: PointTree, core: Reals) -> PointTree:
    """The tree whose edges are max(core_p, core_q, |x_p - x_q|^2) long, from the squared core of each position."""
    return tree._replace(core=core, least_core=_least_cores(core, tree.start))


@helper
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


@helper
def _widest(X: Reals, ids: Ids) -> int:
    low, high = X[ids[0]].copy(), X[ids[0]].copy()
    for i in ids:
        for c in range(X.shape[1]):
            low[c] = min(low[c], X[i, c])
            high[c] = max(high[c], X[i, c])
    return int(np.argmax(high - low))


@helper
def _split(X: Reals, ids: Ids, begin: int, middle: int, end: int) -> None:
    own = ids[begin:end]
    column = _widest(X, own)
    keys = np.empty(own.size)
    for p in range(own.size):
        keys[p] = X[own[p], column]
    _select(keys, own, middle - begin)


def _split_levels(X: Reals, ids: Ids, start: Ids, n_roots: int, n_nodes: int) -> None:
    """Split the nodes of the level that has `n_roots` of them, and those below it down to one with `n_nodes`."""
    for root in prange(n_roots):
        inside = 1
        while n_roots * inside < n_nodes:
            width = (start.size - 1) // (n_roots * inside)
            for k in range(root * inside, (root + 1) * inside):
                _split(X, ids, start[k * width], start[k * width + width // 2], start[(k + 1) * width])
            inside *= 2


_split_levels_alone = kernel(_split_levels)
_split_levels_together = parallel_kernel(_split_levels)


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


@kernel
def _blocks(points: Reals, start: Ids) -> Reals:
    n_leaves, d = start.size - 1, points.shape[1]
    # Whole vectors of eight: a loop over a leaf has no rest.
    width = -(-np.diff(start).max() // 8) * 8
    blocks = np.zeros((n_leaves, d, width))
    for leaf in range(n_leaves):
        for p in range(start[leaf], start[leaf + 1]):
            for c in range(d):
                blocks[leaf, c, p - start[leaf]] = points[p, c]
    return blocks


@kernel
def _least_cores(core: Reals, start: Ids) -> Reals:
    n_leaves = start.size - 1
    least = np.full(2 * n_leaves - 1, np.inf)
    for leaf in range(n_leaves):
        for p in range(start[leaf], start[leaf + 1]):
            least[n_leaves - 1 + leaf] = min(least[n_leaves - 1 + leaf], core[p])
    for node in range(2 * n_leaves - 2, 0, -1):
        above = (node - 1) // 2
        least[above] = min(least[above], least[node])
    return least


@helper
def point_distance(points: Reals, i: int, j: int) -> float:
    """|x_i - x_j|^2, to the last bit what the search in leaves gives, in both directions. O(d)."""
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


@helper
def edge_length(tree: PointTree, p: int, q: int) -> float:
    """The squared length of the edge between two positions."""
    return max(point_distance(tree.points, p, q), tree.core[p], tree.core[q])


@kernel
def pair_distances(points: Reals, first: Ids, second: Ids) -> Reals:
    """Squared distances of pairs of points."""
    squared = np.empty(first.size)
    for e in range(first.size):
        squared[e] = point_distance(points, first[e], second[e])
    return squared
