"""Clusters that two trees share, by intervals (Day 1985)."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from hypcse.kernels._compile import kernel


@kernel
def shared_clades(
    parent: NDArray[np.int64],
    size: NDArray[np.int64],
    start: NDArray[np.int64],
    other: NDArray[np.int64],
    rank: NDArray[np.int64],
) -> int:
    """Number of clusters, leaves and root left out, that both trees have.

    In the order of the first tree's leaves (`rank`) its clusters are intervals. Nodes that start at one position form
    a chain of first children, of which only the highest is none itself: it is filed by its start. First children are
    filed by their end, where by the same argument no two meet. O(n).
    """
    n_leaves = rank.size
    end_of_start = np.full(n_leaves, -1, np.int64)
    start_of_end = np.full(n_leaves, -1, np.int64)
    for node in range(n_leaves, parent.size - 1):
        end = start[node] + size[node] - 1
        if start[node] == start[parent[node]]:
            start_of_end[end] = start[node]
        else:
            end_of_start[start[node]] = end
    low = np.full(other.size, n_leaves, np.int64)
    high = np.full(other.size, -1, np.int64)
    count = np.zeros(other.size, np.int64)
    low[:n_leaves] = rank
    high[:n_leaves] = rank
    count[:n_leaves] = 1
    shared = 0
    for node in range(other.size - 1):
        above = other[node]
        low[above] = min(low[above], low[node])
        high[above] = max(high[above], high[node])
        count[above] += count[node]
        if node >= n_leaves and high[node] - low[node] + 1 == count[node]:
            known = end_of_start[low[node]] == high[node] or start_of_end[high[node]] == low[node]
            shared += 1 if known else 0
    return shared
