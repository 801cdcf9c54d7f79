"""Ward's method on centroids, in memory linear in the points."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from hypcse.kernels._compile import kernel


class WardChain(NamedTuple):
    """Where Ward's method stands; a cluster is named by one of its points.

    center (n, d), size (n,)  : of each cluster.
    active, place (n,)        : the clusters, only as many as there are; and where each is among them.
    chain (n,)                : nearest neighbours, each of the one before.
    first, second, height (n - 1,) : the merges.
    status (3,)               : how many clusters there are, how long the chain is, how many merges are done.
    """

    center: NDArray[np.float64]
    size: NDArray[np.float64]
    active: NDArray[np.int64]
    place: NDArray[np.int64]
    chain: NDArray[np.int64]
    first: NDArray[np.int64]
    second: NDArray[np.int64]
    height: NDArray[np.float64]
    status: NDArray[np.int64]


def start_ward(X: NDArray[np.float64]) -> WardChain:
    """Every point a cluster."""
    n = len(X)
    ids = np.arange(n)
    merges = np.empty(n - 1, np.int64), np.empty(n - 1, np.int64), np.empty(n - 1)
    # One copy, in rows: the kernel moves the centers.
    center = np.array(X, np.float64, order="C")
    return WardChain(center, np.ones(n), ids, ids.copy(), np.empty(n, np.int64), *merges, np.array([n, 0, 0]))


@kernel
def _nearest(
    cluster: int,
    preferred: int,
    active: NDArray[np.int64],
    n_active: int,
    center: NDArray[np.float64],
    size: NDArray[np.float64],
) -> tuple[int, float]:
    """The cluster whose union with this one adds least variance; `preferred`, then the smaller id, wins ties."""
    best, least = -1, np.inf
    for k in range(n_active):
        other = active[k]
        if other == cluster:
            continue
        gap = 0.0
        for column in range(center.shape[1]):
            gap += (center[cluster, column] - center[other, column]) ** 2
        gap *= 2 * size[cluster] * size[other] / (size[cluster] + size[other])
        if gap < least or (gap == least and best != preferred and (other == preferred or other < best)):
            best, least = other, gap
    return best, least


@kernel
def _drop(active: NDArray[np.int64], place: NDArray[np.int64], n_active: int, gone: int) -> int:
    last = active[n_active - 1]
    active[place[gone]] = last
    place[last] = place[gone]
    return n_active - 1


@kernel
def ward_merges(at: WardChain, n_steps: int) -> None:
    """Take the next `n_steps` steps of a nearest-neighbour chain, or as many as are left; about three make a merge.

    The height sqrt(2 |A| |B| / (|A| + |B|)) |c_A - c_B| is SciPy's. A step is O(n d).
    """
    n_active, length, done = at.status
    center, size, chain = at.center, at.size, at.chain
    while done < at.first.size and n_steps > 0:
        n_steps -= 1
        if length == 0:
            chain[0], length = at.active[0], 1
        top = chain[length - 1]
        below = chain[length - 2] if length > 1 else -1
        nearest, gap = _nearest(top, below, at.active, n_active, center, size)
        if nearest != below:
            chain[length] = nearest
            length += 1
            continue
        at.first[done], at.second[done], at.height[done] = below, top, np.sqrt(gap)
        center[below] = (size[below] * center[below] + size[top] * center[top]) / (size[below] + size[top])
        size[below] += size[top]
        n_active = _drop(at.active, at.place, n_active, top)
        length -= 2
        done += 1
    at.status[0], at.status[1], at.status[2] = n_active, length, done
