"""A k-d tree over points, which breaks ties by id and can look for the nearest point outside a part.

The tree is complete: node v has the children 2 v + 1 and 2 v + 2, and its leaves hold n / n_leaves points each, up to
rounding. Points are named by *position*, their place in the order of the leaves.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numba import prange

from hypcse.kernels.arrays import Floating, Ids, Reals
from hypcse.kernels.compile import helper, kernel, parallel_kernel

# Points in a leaf, at most. All distances to a leaf are computed together, by vector instructions.
LEAF = 64
# Points of a node that show its widest column.
_SAMPLE = 256


class PointTree(NamedTuple):
    """Points in the order of the leaves.

    ids (n,)                     : the point at each position
    points (n, d)                : its coordinates
    start (n_leaves + 1,)        : the positions of a leaf are start[k] .. start[k + 1] - 1
    low, high (n_nodes, d)       : the box around the points of a node
    blocks (n_leaves, d, width)  : the coordinates once more, those of a leaf column by column
    core (n,)                    : squared; no edge at a position is shorter, wherever its other end is. 0 at first
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


def build_tree(X: Floating, leaf: int = LEAF) -> PointTree:
    """Split at the median of the widest column until a leaf has at most `leaf` points. O(n d log n)."""
    n_leaves = 1
    while n_leaves * leaf < len(X):
        n_leaves *= 2
    start = np.arange(n_leaves + 1) * len(X) // n_leaves
    ids, values, width = np.arange(len(X)), np.empty(len(X), X.dtype), n_leaves
    while width > 1:
        _split(X, ids, values, start[::width], start[width // 2 :: width])
        width //= 2
    points: Any = X[ids]
    low, high = per_node(np.minimum, points, start), per_node(np.maximum, points, start)
    core = np.zeros(len(X))
    return PointTree(ids, points, start, low, high, blocks_of(points, start), core, np.zeros(2 * n_leaves - 1))


@parallel_kernel
def _split(X: Floating, ids: Ids, values: Floating, start: Ids, middle: Ids) -> None:
    """Put the half of each run of points with the smaller values first, in the column that is widest in a sample."""
    for run in prange(middle.size):
        begin, end = start[run], start[run + 1]
        some = X[ids[begin : end : max(1, (end - begin) // _SAMPLE)]]
        column, widest = 0, 0.0
        for c in range(X.shape[1]):
            width = some[:, c].max() - some[:, c].min()
            if width > widest:
                column, widest = c, width
        for k in range(begin, end):
            values[k] = X[ids[k], column]
        _part(values[begin:end], ids[begin:end], middle[run] - begin)


@helper
def _part(values: Floating, ids: Ids, middle: int) -> None:
    """Reorder so that no value before the middle is larger than one from there on."""
    low, high = 0, ids.size - 1
    while low < high:
        a, b, c = values[low], values[(low + high) // 2], values[high]
        pivot = max(min(a, b), min(max(a, b), c))
        i, j = low, high
        while i <= j:
            while values[i] < pivot:
                i += 1
            while values[j] > pivot:
                j -= 1
            if i <= j:
                values[i], values[j] = values[j], values[i]
                ids[i], ids[j] = ids[j], ids[i]
                i, j = i + 1, j - 1
        if middle <= j:
            high = j
        elif middle >= i:
            low = i
        else:
            return


def with_cores(tree: PointTree, core: Reals) -> PointTree:
    """Return the tree with squared cores, whose edges are max(core_p, core_q, |x_p - x_q|^2) long."""
    return tree._replace(core=core, least_core=per_node(np.minimum, core, tree.start))


def per_node(extreme: np.ufunc, values: Reals, start: Ids) -> Reals:
    """Return the extreme over the positions of each node."""
    levels = [extreme.reduceat(values, start[:-1])]
    while len(levels[-1]) > 1:
        levels.append(extreme(levels[-1][::2], levels[-1][1::2]))
    return np.concatenate(levels[::-1])


def blocks_of(values: Reals, start: Ids, fill: float = 0.0) -> Reals:
    """Return the rows of each leaf as columns of a block, filled up to whole vectors of eight: a loop has no rest."""
    sizes = np.diff(start)
    blocks = np.full((sizes.size, values.shape[1], -(-sizes.max() // 8) * 8), fill, values.dtype)
    blocks[np.repeat(np.arange(sizes.size), sizes), :, np.arange(len(values)) - np.repeat(start[:-1], sizes)] = values
    return blocks


@helper
def point_distance(points: Reals, i: int, j: int) -> float:
    """Return |x_i - x_j|^2, to the last bit what the search in leaves gives, in both directions. O(d)."""
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
    """Return the squared length of the edge between two positions."""
    return max(point_distance(tree.points, p, q), tree.core[p], tree.core[q])


@kernel
def pair_distances(points: Reals, first: Ids, second: Ids) -> Reals:
    """Return the squared distances of pairs of points."""
    squared = np.empty(first.size)
    for e in range(first.size):
        squared[e] = point_distance(points, first[e], second[e])
    return squared
