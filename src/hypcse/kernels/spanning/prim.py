"""The minimum spanning tree of points under mutual reachability, by Prim's algorithm.

Edges are ordered by (mutual reachability, distance, smaller id, larger id). No two are equal, so the tree is unique;
and where no two distances are equal, it does not depend on the order of the points. All distances are squared here.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from hypcse.kernels._compile import helper, kernel
from hypcse.kernels.spanning.kdtree import Ids, Reals, point_distance


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
