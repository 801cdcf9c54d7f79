"""Linkage in rounds: the nearest neighbor of every vertex, groups that merge apart, and linkage of distances."""

from __future__ import annotations

import numpy as np

from hypcse.kernels.arrays import Flags, Ids, Reals
from hypcse.kernels.compile import helper, kernel
from hypcse.kernels.union_find import find


@kernel
def nearest_in_rows(indptr: Ids, targets: Ids, closeness: Reals, rank: Ids) -> tuple[Ids, Reals]:
    """Return the target of the largest closeness in each row, ties to the lower rank, and it; -1 and 0 for none."""
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
def group_vertices(order: Ids, nearest: Ids, load: Ids, limit: int) -> Ids:
    """Join vertices, in `order`, to their nearest while the load of a group allows; the group of each, -1 if alone."""
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


@helper
def _nearest(D: Reals, cluster: int, preferred: int, alive: Flags) -> int:
    """Return the nearest other cluster; `preferred`, then the smaller id, wins ties."""
    best, least = -1, np.inf
    for other in range(alive.size):
        if alive[other] and other != cluster and (best < 0 or D[cluster, other] < least):
            best, least = other, D[cluster, other]
    if preferred >= 0 and D[cluster, preferred] <= least:
        best = preferred
    return best


@kernel
def mean_merges(D: Reals, sizes: Reals) -> tuple[Ids, Ids, Reals]:
    """Return the merges of average linkage, each cluster named by its smallest member, and the mean distances.

    A cluster begins with `sizes` points. Nearest-neighbor chains, O(n^2); D (n, n) is overwritten.
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
