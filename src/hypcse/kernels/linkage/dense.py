"""Average linkage on a square matrix, of clusters that begin with sizes of their own."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from hypcse.kernels._compile import helper, kernel


@helper
def _nearest(D: NDArray[np.float64], cluster: int, preferred: int, alive: NDArray[np.bool_]) -> int:
    """The nearest other cluster; `preferred`, then the smaller id, wins ties."""
    best, least = -1, np.inf
    for other in range(alive.size):
        if alive[other] and other != cluster and (best < 0 or D[cluster, other] < least):
            best, least = other, D[cluster, other]
    if preferred >= 0 and D[cluster, preferred] <= least:
        best = preferred
    return best


@kernel
def mean_merges(
    D: NDArray[np.float64], sizes: NDArray[np.float64]
) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.float64]]:
    """The merges of average linkage, each cluster named by its smallest member, and the mean distances.

    Again and again the two clusters of least mean distance are joined, a mean over pairs of points: `sizes` says how
    many points a cluster begins with. By nearest-neighbour chains in O(n^2); D (n, n) is overwritten.
    """
    n = sizes.size
    size, alive = sizes.copy(), np.ones(n, np.bool_)
    first, second, distance = np.empty(n - 1, np.int64), np.empty(n - 1, np.int64), np.empty(n - 1)
    chain = np.empty(n, np.int64)
    length, done, lowest = 0, 0, 0
    while done < n - 1:
        if length == 0:
            while not alive[lowest]:
                lowest += 1
            chain[0], length = lowest, 1
        top, below = chain[length - 1], chain[length - 2] if length > 1 else -1
        nearest = _nearest(D, top, below, alive)
        if nearest != below:
            chain[length] = nearest
            length += 1
            continue
        keeper, gone = min(top, below), max(top, below)
        first[done], second[done], distance[done] = keeper, gone, D[top, below]
        whole = size[keeper] + size[gone]
        alive[gone] = False
        for other in range(n):
            if alive[other] and other != keeper:
                D[keeper, other] = (size[keeper] * D[keeper, other] + size[gone] * D[gone, other]) / whole
                D[other, keeper] = D[keeper, other]
        size[keeper] = whole
        length -= 2
        done += 1
    return first, second, distance
