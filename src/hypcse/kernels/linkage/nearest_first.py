"""Single linkage of points by Prim's algorithm, in SciPy's order of ties."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from hypcse.kernels._compile import kernel

Ids = NDArray[np.int64]
Reals = NDArray[np.float64]


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
