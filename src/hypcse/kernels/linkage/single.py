"""Single linkage: of points by Prim's algorithm, in SciPy's order of ties; of a graph by its heaviest forest."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from hypcse.kernels.compile import helper, kernel
from hypcse.kernels.linkage.merges import find
from hypcse.kernels.points.kdtree import Ids, Reals, point_distance


class NearestFirst(NamedTuple):
    """Where Prim's algorithm stands: points join one by one, each time the one nearest to those that have.

    order (n,)      : the points as they joined.
    height (n - 1,) : the distance at which each but the first did.
    rest (n - 1,)   : the others; only the first of them, as many as are left, count.
    gap (n,)        : the distance of each of the others to those that have joined.
    status (1,)     : how many joined the first.

    Neighbours in `order`, merged by height, give single linkage: below any height its clusters are runs of the order.
    """

    order: Ids
    height: Reals
    rest: Ids
    gap: Reals
    status: Ids


def start_nearest_first(n: int) -> NearestFirst:
    """Point 0 alone, of n > 1 points."""
    return NearestFirst(
        np.zeros(n, np.int64), np.empty(n - 1), np.arange(1, n), np.full(n, np.inf), np.zeros(1, np.int64)
    )


@kernel
def _distance(X: Reals, i: int, j: int) -> float:
    """|x_i - x_j| summed from the first feature on, and with the root, as SciPy does: equal there, equal here."""
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


class Growth(NamedTuple):
    """Where Prim's algorithm stands: a tree, which grows by one point a step, and the rest.

    rest (n - 1,)        : the points outside; only the first of them, as many as are left, count.
    reach, gap (n,)      : of each point outside, mutual reachability and distance of its best edge to the tree.
    joint (n,)           : the end of that edge in the tree.
    ends (n - 1, 2)      : the edges taken.
    weights (n - 1, 2)   : their mutual reachabilities and distances.
    status (2,)          : edges taken, and the point that was joined last.
    """

    rest: Ids
    reach: Reals
    gap: Reals
    joint: Ids
    ends: Ids
    weights: Reals
    status: Ids


def start_growth(n: int) -> Growth:
    """The tree of point 0 alone, of n > 1 points."""
    far = np.full((2, n), np.inf)
    ends, weights = np.empty((n - 1, 2), np.int64), np.empty((n - 1, 2))
    return Growth(np.arange(1, n), far[0], far[1], np.zeros(n, np.int64), ends, weights, np.array([0, 0]))


@helper
def _before(first: tuple[float, float, int, int], second: tuple[float, float, int, int]) -> bool:
    """Whether an edge (reach, gap, end, end) comes before another, ends in either order."""
    if first[0] != second[0]:
        return first[0] < second[0]
    if first[1] != second[1]:
        return first[1] < second[1]
    low, other = min(first[2], first[3]), min(second[2], second[3])
    if low != other:
        return low < other
    return max(first[2], first[3]) < max(second[2], second[3])


@kernel
def grow(X: Reals, core: Reals, at: Growth, n_steps: int) -> None:
    """Take the next `n_steps` edges, or as many as are left. O(n d) each."""
    n = X.shape[0]
    for step in range(at.status[0], min(at.status[0] + n_steps, n - 1)):
        newest, chosen = at.status[1], 0
        for k in range(n - 1 - step):
            p = at.rest[k]
            gap = point_distance(X, newest, p)
            reach = max(gap, core[newest], core[p])
            if _before((reach, gap, newest, p), (at.reach[p], at.gap[p], at.joint[p], p)):
                at.reach[p], at.gap[p], at.joint[p] = reach, gap, newest
            q = at.rest[chosen]
            if _before((at.reach[p], at.gap[p], at.joint[p], p), (at.reach[q], at.gap[q], at.joint[q], q)):
                chosen = k
        p = at.rest[chosen]
        at.ends[step, 0], at.ends[step, 1] = min(p, at.joint[p]), max(p, at.joint[p])
        at.weights[step, 0], at.weights[step, 1] = at.reach[p], at.gap[p]
        at.rest[chosen] = at.rest[n - 2 - step]
        at.status[0], at.status[1] = step + 1, p


@kernel
def heaviest_forest(
    first: NDArray[np.int32], second: NDArray[np.int32], n_vertices: int
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Edges, of those given from best to worst, that join two parts (Kruskal): a spanning forest. O(m)."""
    root = np.arange(n_vertices)
    size = np.ones(n_vertices, np.int64)
    taken_first, taken_second = np.empty(n_vertices, np.int64), np.empty(n_vertices, np.int64)
    done = 0
    for k in range(first.size):
        a, b = find(root, first[k]), find(root, second[k])
        if a != b:
            if size[a] < size[b]:
                a, b = b, a
            root[b] = a
            size[a] += size[b]
            taken_first[done], taken_second[done] = first[k], second[k]
            done += 1
    return taken_first[:done], taken_second[:done]


@kernel
def partition_tree(
    first: NDArray[np.int64], second: NDArray[np.int64], order: NDArray[np.int64], n_vertices: int
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Kruskal's merges, edges taken in `order`: merge k makes node n + k. Parents, -1 at roots, and the edges. O(m)."""
    root = np.arange(2 * n_vertices)
    parent = np.full(2 * n_vertices, -1, np.int64)
    edge = np.empty(n_vertices, np.int64)
    done = 0
    for k in order:
        a, b = find(root, first[k]), find(root, second[k])
        if a != b:
            made = n_vertices + done
            root[a] = root[b] = parent[a] = parent[b] = made
            edge[done] = k
            done += 1
            if done == n_vertices - 1:
                break
    return parent[: n_vertices + done], edge[:done]
