"""Agglomeration in rounds: all pairs of clusters that are nearest to each other merge at once, side by side."""

from __future__ import annotations

from typing import Any

import numpy as np
from numba import prange
from numpy.typing import NDArray

from hypcse.kernels.arrays import Flags, Ids, Reals, ShortIds
from hypcse.kernels.compile import helper, parallel_kernel
from hypcse.kernels.linkage.adjacency import Clusters, Pool, compact

# Rounds end when fewer than 1 / this many of the clusters merge in one: chains do the rest.
FEWEST = 64
# Clusters that one task works on, and the room of its table at first.
_TASK, _TABLE = 256, 1024
# What `nearest` says of clusters that have none, and of those that have just merged.
_NONE, _MERGED = -1, -2
# A cluster that is gone or has no neighbors, one that waits, and one that looks for its nearest in the next round.
_ENDED, _WAITING, _STALE = 0, 1, 2


def reciprocal_merges(clusters: Clusters, limit: int) -> tuple[int, int]:
    """Merge clusters in rounds, until about `limit` entries were scanned; the numbers of merges and of scanned entries.

    A linkage that is reducible joins any two clusters that are nearest to each other sooner or later. After a round,
    only clusters that merged, and those whose nearest has, look for their nearest anew. The merges are those of chains
    if sums of weights are exact, as those that `shorten` made are; in any case the same at any number of threads.
    """
    pool, n = clusters.pool, clusters.root.size
    nearest, fresh = np.full(n, _NONE, np.int32), np.zeros(n, np.bool_)
    active = stale = np.flatnonzero(pool.length)
    n_merges = n_scanned = 0
    while n_scanned <= limit:
        n_entries = _entries(pool, stale)
        n_scanned += int(n_entries.sum())
        if not _find_all_nearest(clusters, stale, n_entries, nearest, fresh):
            break
        partner = _partners(stale, nearest, fresh)
        keeper = stale[partner >= 0]
        gone = partner[partner >= 0]
        end = n_merges + keeper.size
        first, second = clusters.first[n_merges:end], clusters.second[n_merges:end]
        _merge(*clusters[:4], keeper, gone, nearest, first, second)
        n_merges = end
        if FEWEST * keeper.size < active.size or not keeper.size:
            break
        fresh[stale] = False
        state = _states(active, clusters.root, nearest)
        active, stale = active[state != _ENDED], active[state == _STALE]
    return n_merges, n_scanned


def _find_all_nearest(clusters: Clusters, stale: Ids, n_entries: Ids, nearest: ShortIds, fresh: Flags) -> bool:
    """Find the nearest of each stale cluster; False if there is no room for a list."""
    pool = clusters.pool
    needed = np.where(pool.follows[stale] < 0, 0, n_entries)
    ends = np.append(0, np.cumsum(needed))
    done, full = 0, False
    while done < stale.size:
        end = int(np.searchsorted(ends, ends[done] + pool.top[1] - pool.top[0], side="right")) - 1
        if end <= done:
            if full:
                return False
            compact(pool)
            full = True
            continue
        begins = pool.top[0] + ends[done:end] - ends[done]
        _find_nearest(pool, *clusters[1:4], stale[done:end], begins, nearest, fresh)
        pool.top[0] += ends[end] - ends[done]
        done, full = end, False
    return True


@parallel_kernel
def _entries(pool: Pool, stale: Ids) -> Ids:
    """Return how many entries the segments of each cluster have."""
    length, follows = pool.length, pool.follows
    n_entries = np.zeros(stale.size, np.int64)
    for k in prange(stale.size):
        s = stale[k]
        while s >= 0:
            n_entries[k] += length[s]
            s = follows[s]
    return n_entries


@helper
def _place_of(table: Ids, cluster: int | np.int64, other: int | np.int64) -> Any:
    """Return where in a table the place of (cluster, other) is or belongs; pairs of other clusters do not count."""
    key = (cluster << 32) | other
    slot = ((other * 0x9E3779B1) >> 8) & (table.size - 1)
    while table[slot] >> 32 == cluster and table[slot] != key:
        slot = (slot + 1) & (table.size - 1)
    return slot


@parallel_kernel
def _find_nearest(
    pool: Pool, root: Ids, mass: Reals, rank: Ids, stale: Ids, begins: Ids, nearest: ShortIds, fresh: Flags
) -> None:
    """Fold the segments of each cluster into a list of distinct ones, at the begin or in place; choose the nearest."""
    # Each array by itself: parallel loops of numba lose track of those in a tuple.
    vertex, weights, start, length, follows, last = pool[:6]
    for task in prange((stale.size + _TASK - 1) // _TASK):
        table, places = np.full(_TABLE, -1, np.int64), np.empty(_TABLE, np.int32)
        for k in range(task * _TASK, min(stale.size, (task + 1) * _TASK)):
            cluster = stale[k]
            n_entries, s = 0, cluster
            while s >= 0:
                n_entries += length[s]
                s = follows[s]
            if 2 * n_entries > table.size:
                n_slots = table.size
                while n_slots < 2 * n_entries:
                    n_slots *= 2
                table, places = np.full(n_slots, -1, np.int64), np.empty(n_slots, np.int32)
            begin = start[cluster] if follows[cluster] < 0 else begins[k]
            end, s = begin, cluster
            while s >= 0:
                following = follows[s]
                for entry in range(start[s], start[s] + length[s]):
                    other, weight = np.int64(vertex[entry]), weights[entry]
                    while root[other] != other:
                        other = root[other]
                    if other == cluster:
                        continue
                    slot = _place_of(table, cluster, other)
                    if table[slot] >> 32 != cluster:
                        table[slot], places[slot] = (cluster << 32) | other, end - begin
                        vertex[end], weights[end] = other, weight
                        end += 1
                    else:
                        weights[begin + places[slot]] += weight
                length[s] = 0
                s = following
            start[cluster], length[cluster] = begin, end - begin
            follows[cluster], last[cluster] = -1, cluster
            best, closeness = _NONE, -1.0
            for entry in range(begin, end):
                other = vertex[entry]
                near = weights[entry] / mass[other]
                if near > closeness or (near == closeness and rank[other] < rank[best]):
                    best, closeness = other, near
            nearest[cluster], fresh[cluster] = best, True


@parallel_kernel
def _partners(stale: Ids, nearest: ShortIds, fresh: Flags) -> Ids:
    """Return the other of each pair of clusters nearest to each other, once per pair; -1 for the others."""
    partner = np.full(stale.size, -1, np.int64)
    for k in prange(stale.size):
        cluster, other = stale[k], nearest[stale[k]]
        if other >= 0 and nearest[other] == cluster and (cluster < other or not fresh[other]):
            partner[k] = other
    return partner


@parallel_kernel
def _merge(
    pool: Pool, root: Ids, mass: Reals, rank: Ids, one: Ids, other: Ids, nearest: ShortIds, first: Ids, second: Ids
) -> None:
    """Merge pairs and record them; the one of more mass stays, so that ways to a root are short."""
    follows, last = pool.follows, pool.last
    for k in prange(one.size):
        keeper, gone = one[k], other[k]
        if mass[gone] > mass[keeper]:
            keeper, gone = gone, keeper
        root[gone] = keeper
        mass[keeper] += mass[gone]
        rank[keeper] = max(rank[keeper], rank[gone])
        follows[last[keeper]], last[keeper] = gone, last[gone]
        first[k], second[k] = keeper, gone
        nearest[keeper] = nearest[gone] = _MERGED


@parallel_kernel
def _states(active: Ids, root: Ids, nearest: ShortIds) -> NDArray[np.int8]:
    """Return what each cluster does next."""
    state = np.empty(active.size, np.int8)
    for k in prange(active.size):
        cluster, near = active[k], nearest[active[k]]
        if root[cluster] != cluster or near == _NONE:
            state[k] = _ENDED
        elif near == _MERGED or nearest[near] == _MERGED:
            state[k] = _STALE
        else:
            state[k] = _WAITING
    return state
