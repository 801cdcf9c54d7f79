"""Single linkage: of points by Prim's algorithm, in SciPy's order of ties; of a graph by Kruskal's spanning forest."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from hypcse.kernels.arrays import Ids, Reals, ShortIds
from hypcse.kernels.compile import kernel
from hypcse.kernels.linkage.merges import Merges, merge_parents
from hypcse.kernels.union_find import find


class NearestFirst(NamedTuple):
    """The state of Prim's algorithm: points join one by one, each time the one nearest to those that have.

    order (n,)      : the points as they joined.
    height (n - 1,) : the distance at which each but the first did.
    rest (n - 1,)   : the others; only the first of them, as many as are left, count.
    gap (n,)        : the distance of each of the others to those that have joined.
    status (1,)     : how many joined the first.

    Neighbors in `order`, merged by height, give single linkage: below any height its clusters are runs of the order.
    """

    order: Ids
    height: Reals
    rest: Ids
    gap: Reals
    status: Ids


def start_nearest_first(n: int) -> NearestFirst:
    """Return point 0 alone, of n > 1 points."""
    return NearestFirst(
        np.zeros(n, np.int64), np.empty(n - 1), np.arange(1, n), np.full(n, np.inf), np.zeros(1, np.int64)
    )


@kernel
def _distance(X: Reals, i: int, j: int) -> float:
    """Return |x_i - x_j| summed from the first feature on, and with the root, as SciPy does: ties are the same."""
    total = 0.0
    for column in range(X.shape[1]):
        gap = X[i, column] - X[j, column]
        total += gap * gap
    return np.sqrt(total)


@kernel
def join_nearest(X: Reals, at: NearestFirst, n_steps: int) -> None:
    """Let the next `n_steps` points join, or as many as are left; of equally near ones the first. O(n d) each."""
    n = X.shape[0]
    for step in range(at.status[0], min(at.status[0] + n_steps, n - 1)):
        newest, chosen, nearest, least = at.order[step], 0, n, np.inf
        for k in range(n - 1 - step):
            p = at.rest[k]
            gap = min(at.gap[p], _distance(X, newest, p))
            at.gap[p] = gap
            if gap < least or (gap == least and p < nearest):
                chosen, nearest, least = k, p, gap
        at.order[step + 1], at.height[step] = nearest, least
        at.rest[chosen] = at.rest[n - 2 - step]
        at.status[0] = step + 1


def heaviest_forest(first: ShortIds, second: ShortIds, n_vertices: int) -> Merges:
    """Return the edges, of those listed from best to worst, that form a spanning forest (Kruskal). O(m)."""
    edges = _forest_edges(first, second, n_vertices)
    return first[edges].astype(np.int64), second[edges].astype(np.int64)


def partition_tree(first: Ids, second: Ids, order: Ids, n_vertices: int) -> tuple[Ids, Ids]:
    """Return parents, -1 at roots, of the tree of Kruskal's merges, edges taken in `order`; and these edges. O(m)."""
    edges = order[_forest_edges(first[order], second[order], n_vertices)]
    return merge_parents(first[edges], second[edges], n_vertices), edges


@kernel
def _forest_edges(first: Ids | ShortIds, second: Ids | ShortIds, n_vertices: int) -> Ids:
    """Return the places of the edges that join two parts, which take all earlier such edges as joined."""
    root, size = np.arange(n_vertices), np.ones(n_vertices, np.int64)
    edges, n_edges = np.empty(n_vertices, np.int64), 0
    for k in range(first.size):
        a, b = find(root, first[k]), find(root, second[k])
        if a != b:
            if size[a] < size[b]:
                a, b = b, a
            root[b] = a
            size[a] += size[b]
            edges[n_edges] = k
            n_edges += 1
            if n_edges == n_vertices - 1:
                break
    return edges[:n_edges]
