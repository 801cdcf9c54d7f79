"""Ward's method on centroids, in memory linear in the points."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from hypcse.kernels._compile import kernel


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
def ward_merges(
    X: NDArray[np.float64],
) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.float64]]:
    """Merges (members a and b, height) of Ward's method in the order that nearest-neighbour chains find them.

    The height sqrt(2 |A| |B| / (|A| + |B|)) |c_A - c_B| is SciPy's. O(n^2 d) time, O(n d) memory.
    """
    n = X.shape[0]
    center, size = X.copy(), np.ones(n)
    active, place, n_active = np.arange(n), np.arange(n), n
    first, second, height = np.empty(n - 1, np.int64), np.empty(n - 1, np.int64), np.empty(n - 1)
    chain, length, done = np.empty(n, np.int64), 0, 0
    while done < n - 1:
        if length == 0:
            chain[0], length = active[0], 1
        top = chain[length - 1]
        below = chain[length - 2] if length > 1 else -1
        nearest, gap = _nearest(top, below, active, n_active, center, size)
        if nearest != below:
            chain[length] = nearest
            length += 1
            continue
        first[done], second[done], height[done] = below, top, np.sqrt(gap)
        center[below] = (size[below] * center[below] + size[top] * center[top]) / (size[below] + size[top])
        size[below] += size[top]
        n_active = _drop(active, place, n_active, top)
        length -= 2
        done += 1
    return first, second, height
