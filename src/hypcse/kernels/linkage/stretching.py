"""Agglomeration of a sparse graph by the stretching operator of HCSE, which chains cannot follow."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from hypcse.kernels.arrays import Ids, Reals, ShortIds
from hypcse.kernels.compile import helper, kernel
from hypcse.kernels.linkage.adjacency import Clusters, Pool, fold_segments, join_segments, single_clusters
from hypcse.kernels.linkage.hubs import (
    PATIENCE,
    Pairs,
    best_pair,
    join_pairs,
    joining_change,
    pairs_of_lists,
    wake_pairs,
)

# Merges between two reports of progress.
_PART = 10_000
# The cost of a look beside the entries that it scans, in entries.
_LOOK = 8
# Weights are skipped that could not be the best by so much more than what logarithms are off by.
_SLACK = 1 + 1e-9
# The best pair of a cluster: the change of entropy, infinite if there is no pair, and the names that settle ties.
BEST = np.dtype([("change", np.float64), ("first", np.int64), ("second", np.int64), ("cluster", np.int64)])


class Stretching(NamedTuple):
    """The state of the linkage: a tournament of the best pairs of all clusters.

    best (2 n,)  : records of `BEST`: that of cluster k - n at k from n on, else the better of those at 2 k and 2 k + 1.
    owner (2 n,) : the cluster of each name, -1 once it is gone; names count up as clusters are made.
    status (2,)  : the number of merges, and how many more entries may be scanned in lists.
    """

    clusters: Clusters
    best: NDArray[Any]
    owner: Ids
    status: Ids


@helper
def _enter(best: NDArray[Any], cluster: int, change: float, first: int, second: int) -> None:
    """Enter the best pair of a cluster in place of its last one. O(log n)."""
    place = best.size // 2 + cluster
    best[place].change, best[place].first, best[place].second = change, first, second
    while place > 1:
        least = place ^ 1 if _before(best, place ^ 1, place) else place
        place >>= 1
        if best[least].cluster != cluster and best[place].cluster == best[least].cluster:
            return
        best[place] = best[least]


@helper
def _before(best: NDArray[Any], i: int, j: int) -> bool:
    if best[i].change != best[j].change:
        return best[i].change < best[j].change
    if best[i].first != best[j].first:
        return best[i].first < best[j].first
    return best[i].second < best[j].second


@helper
def _enter_best(at: Stretching, pool: Pool, cluster: int, name: Ids, volume: Reals, whole: float) -> None:
    """Enter a cluster, its list folded, with the neighbor whose joining lowers entropy most; of equals, the older."""
    if pool.length[cluster] == 0:
        _enter(at.best, cluster, np.inf, 0, 0)
        return
    oldest, least = -1, np.inf
    # Joining any neighbor changes entropy by no less than its weight times this.
    floor = min(0.0, joining_change(1.0, volume[cluster], whole)) * _SLACK
    for k in range(pool.start[cluster], pool.start[cluster] + pool.length[cluster]):
        if pool.weight[k] * floor > least:
            continue
        other = pool.vertex[k]
        change = joining_change(pool.weight[k], volume[cluster] + volume[other], whole)
        if change < least or (change == least and name[other] < oldest):
            oldest, least = name[other], change
    _enter(at.best, cluster, least, name[cluster], oldest)


@helper
def _enter_best_pair(at: Stretching, pairs: Pairs, cluster: int) -> None:
    """Enter a cluster with the best of its older neighbors, whose name then comes first."""
    other, change = best_pair(pairs, cluster)
    _enter(at.best, cluster, change, pairs.name[other], pairs.name[cluster])


def start_stretching(indptr: Ids, indices: ShortIds, weights: Reals, degrees: Reals, patience: int) -> Stretching:
    """Return every vertex as a cluster with its best neighbor. For `patience` see `entropy_merges`."""
    n = degrees.size
    best, lowest = np.zeros(2 * n, BEST), np.maximum(np.arange(2 * n), 1)
    while (lowest < n).any():
        lowest = np.where(lowest < n, 2 * lowest, lowest)
    best["change"], best["cluster"] = np.inf, lowest - n
    at = Stretching(
        clusters=single_clusters(indptr, indices, weights, degrees, np.arange(n)),
        best=best,
        owner=np.append(np.arange(n), np.full(n, -1)),
        status=np.array([0, patience * (n + indices.size)]),
    )
    _enter_all(at, None, degrees.sum())
    return at


@kernel
def _enter_all(at: Stretching, pairs: Pairs | None, whole: float) -> None:
    for cluster in range(at.owner.size // 2):
        if at.clusters.root[cluster] == cluster:
            if pairs is None:
                _enter_best(at, at.clusters.pool, cluster, at.clusters.name, at.clusters.mass, whole)
            else:
                _enter_best_pair(at, pairs, cluster)


def entropy_merges(
    indptr: Ids,
    indices: ShortIds,
    weights: Reals,
    degrees: Reals,
    patience: int = PATIENCE,
    tell: Callable[[int, int], object] | None = None,
) -> tuple[Ids, Ids]:
    """Return the merges of the stretching operator of HCSE: of all pairs of adjacent clusters, again and again the one
    that lowers the entropy most. Each merge names its clusters by one vertex.

    The tournament holds the best neighbor of each cluster when it was last looked at; a cluster whose best neighbor is
    gone is looked at again when it wins. Once the scans of lists have cost `patience` times n + m, switches to heaps.
    There a cluster looks at older ones alone, and of equal gains the pair with the oldest cluster is joined. O(n + m)
    memory. `tell` is called regularly with the number of merges, and of all that a connected graph needs.
    """
    whole, n_merges = degrees.sum(), 0
    at, pairs = start_stretching(indptr, indices, weights, degrees, patience), None
    while stretch(at, pairs, whole, n_merges + _PART):
        if at.status[1] < 0 and pairs is None:
            pairs = start_pairs(at, whole)
        n_merges = int(at.status[0])
        if tell is not None:
            tell(n_merges, degrees.size - 1)
    n_merges = at.status[0]
    return at.clusters.first[:n_merges], at.clusters.second[:n_merges]


def start_pairs(at: Stretching, whole: float) -> Pairs:
    """Return the pairs of the clusters as they are now, and enter all clusters anew."""
    pairs = pairs_of_lists(at.clusters, whole)
    _enter_all(at, pairs, whole)
    return pairs


@kernel
def stretch(at: Stretching, pairs: Pairs | None, whole: float, end: int) -> bool:
    """Merge until there are `end` merges, or lists have cost too much; return whether any pair is left."""
    # Each array by itself: to pass a tuple of many to a function would take longer than most merges.
    best, pool, root, owner = at.best, at.clusters.pool, at.clusters.root, at.owner
    name, volume, place = at.clusters.name, at.clusters.mass, at.clusters.place
    first, second, n = at.clusters.first, at.clusters.second, at.clusters.root.size
    n_merges, left = at.status[0], at.status[1]
    while best[1].change < np.inf and n_merges < end and (pairs is not None or left >= 0):
        keeper = best[1].cluster
        gone = owner[best[1].second if pairs is None else best[1].first]
        if gone >= 0:
            owner[name[keeper]] = owner[name[gone]] = -1
            one, other = pool.length[keeper], pool.length[gone]
            if pairs is not None:
                one, other = pairs.degree[keeper], pairs.degree[gone]
            if one < other:
                keeper, gone = gone, keeper
            root[gone], name[keeper], owner[n + n_merges] = keeper, n + n_merges, keeper
            volume[keeper] += volume[gone]
            if pairs is None:
                join_segments(pool, keeper, gone)
            else:
                join_pairs(pairs, keeper, gone)
                wake_pairs(pairs, keeper)
            first[n_merges], second[n_merges] = keeper, gone
            n_merges += 1
            _enter(best, gone, np.inf, 0, 0)
        if pairs is None:
            fold_segments(pool, keeper, root, place)
            _enter_best(at, pool, keeper, name, volume, whole)
            left -= pool.length[keeper] + _LOOK
        else:
            _enter_best_pair(at, pairs, keeper)
    at.status[0], at.status[1] = n_merges, left
    return best[1].change < np.inf
