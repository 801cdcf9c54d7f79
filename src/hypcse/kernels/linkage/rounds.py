"""Linkage in rounds: the nearest neighbour of every vertex, and groups of vertices that are merged apart."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from hypcse.kernels._compile import kernel
from hypcse.kernels.linkage.merges import find


@kernel
def nearest_in_rows(
    indptr: NDArray[np.int64],
    targets: NDArray[np.int64],
    closeness: NDArray[np.float64],
    rank: NDArray[np.int64],
) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
    """The target of the largest closeness in each row, of equals that of lower rank, and the closeness.

    closeness, rank : of each entry. A row without entries has target -1 and closeness 0.
    """
    n = indptr.size - 1
    nearest, best = np.full(n, -1, np.int64), np.zeros(n)
    for row in range(n):
        chosen = -1
        for k in range(indptr[row], indptr[row + 1]):
            better = chosen < 0 or closeness[k] > closeness[chosen]
            if better or (closeness[k] == closeness[chosen] and rank[k] < rank[chosen]):
                chosen = k
        if chosen >= 0:
            nearest[row], best[row] = targets[chosen], closeness[chosen]
    return nearest, best


@kernel
def group_vertices(
    order: NDArray[np.int64], nearest: NDArray[np.int64], load: NDArray[np.int64], limit: int
) -> NDArray[np.int64]:
    """Group of each vertex, -1 for none: joined to their nearest, in `order`, as long as the load of a group allows.

    Small groups are put together. Vertices that are joined to nothing are in no group. O(n).
    """
    n = nearest.size
    root, total, size = np.arange(n), load.copy(), np.ones(n, np.int64)
    for vertex in order:
        if nearest[vertex] < 0:
            continue
        a, b = find(root, vertex), find(root, nearest[vertex])
        if a != b and total[a] + total[b] <= limit:
            a, b = min(a, b), max(a, b)
            root[b] = a
            total[a] += total[b]
            size[a] += size[b]
    group = np.full(n, -1, np.int64)
    current, filled = -1, limit
    for vertex in range(n):
        # The least member of a group comes first.
        top = find(root, vertex)
        if size[top] > 1:
            if top == vertex:
                if filled + total[top] > limit or current < 0:
                    current, filled = current + 1, 0
                filled += total[top]
                group[vertex] = current
            else:
                group[vertex] = group[top]
    return group
