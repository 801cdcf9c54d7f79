"""Agglomeration of a sparse graph by nearest-neighbor chains."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from hypcse.kernels.arrays import Flags, Ids, Reals, ShortIds
from hypcse.kernels.compile import helper, kernel
from hypcse.kernels.linkage.adjacency import Clusters, Pool, fold_segments, join_segments, single_clusters
from hypcse.kernels.linkage.hubs import PATIENCE, Pairs, join_pairs, nearest_pair, pairs_of_lists
from hypcse.kernels.linkage.merges import first_ranks
from hypcse.kernels.linkage.reciprocal import reciprocal_merges

# From this many vertices, most merges are made in rounds, by all threads.
MIN_ROUNDS = 100_000
# States of a cluster: free, on the chain, or stuck, because its chain ends at a cluster that must not merge.
_FREE, _ON_CHAIN, _STUCK = 0, 1, 2


@helper
def _nearest(pool: Pool, begin: int, end: int, mass: Reals, rank: Ids) -> int:
    """Return the neighbor with the largest weight over mass, -1 if none; the lower rank wins ties."""
    nearest, best = -1, -1.0
    for k in range(begin, end):
        other = pool.vertex[k]
        closeness = pool.weight[k] / mass[other]
        if closeness > best or (closeness == best and rank[other] < rank[nearest]):
            nearest, best = other, closeness
    return nearest


class Chain(NamedTuple):
    """The state of the search.

    chain (n,)  : clusters, each nearest to the one before; `state` says whether a cluster is among them.
    status (3,) : the length of the chain, the number of merges, the next vertex to begin at.
    """

    clusters: Clusters
    chain: Ids
    state: NDArray[np.int8]
    status: Ids


def chain_merges(
    indptr: Ids,
    indices: ShortIds,
    weights: Reals,
    mass: Reals,
    patience: int = PATIENCE,
    *,
    rank: Ids | None = None,
    frozen: Flags | None = None,
) -> tuple[Ids, Ids]:
    """Return the merges of the linkage cut(A, B) / (mass A mass B), parts before wholes.

    Unit masses give average linkage, degrees Paris linkage. Each merge names its clusters by one member. About
    O(m log n) in lists; once these have cost `patience` times n + m, heaps take over, which make the same merges if
    sums of weights are exact, as those that `shorten` made are. O(n + m) memory.

    rank   : of each vertex, all different, by which ties are broken; `first_ranks` by default.
    frozen : vertices that must not merge, numbered after all others, whose rows are empty. Then the merges are those
             that are certain whatever becomes of these vertices, and of their other neighbors.
    """
    n = mass.size
    state = np.zeros(n, np.int8) if frozen is None else np.where(frozen, np.int8(_STUCK), np.int8(_FREE))
    clusters = single_clusters(indptr, indices, weights, mass, first_ranks(n) if rank is None else rank)
    # The pool has a copy; what the caller does not hold need not stay.
    del weights
    limit = patience * (n + indices.size)
    n_merges, n_scanned = reciprocal_merges(clusters, limit) if n >= MIN_ROUNDS else (0, 0)
    at = Chain(clusters, np.empty(n, np.int64), state, np.array([0, n_merges, 0]))
    if not follow_chain(at, None, limit - n_scanned):
        # Which cluster of two keeps its name goes on to depend on the degrees when they were last visited.
        lengths = clusters.pool.length.copy()
        pairs = pairs_of_lists(clusters, 0.0)
        clusters.pool.length[:] = lengths
        # Compiled anew for heaps: most graphs do without, and need not wait for that.
        follow_chain(at, pairs, 0)
    n_merges = at.status[1]
    return clusters.first[:n_merges], clusters.second[:n_merges]


@kernel
def follow_chain(at: Chain, pairs: Pairs | None, limit: int) -> bool:
    """Follow the chain in lists until `limit` entries were scanned, or in pairs; return whether it is at its end."""
    # Each array by itself: to pass a tuple of many to a function would take longer than most merges.
    clusters, pool, root, mass = at.clusters, at.clusters.pool, at.clusters.root, at.clusters.mass
    rank, place, first, second = clusters.name, clusters.place, clusters.first, clusters.second
    chain, state, n = at.chain, at.state, root.size
    length, n_merges, next_vertex = at.status[0], at.status[1], at.status[2]
    n_scanned = 0
    while n_scanned <= limit:
        if length == 0:
            while next_vertex < n and (root[next_vertex] != next_vertex or state[next_vertex] == _STUCK):
                next_vertex += 1
            if next_vertex == n:
                break
            chain[0], length = next_vertex, 1
            state[next_vertex] = _ON_CHAIN
            next_vertex += 1
        top = chain[length - 1]
        below = chain[length - 2] if length > 1 else -1
        if pairs is None:
            begin, end = fold_segments(pool, top, root, place)
            nearest = _nearest(pool, begin, end, mass, rank)
            n_scanned += end - begin
        else:
            nearest, pool.length[top] = nearest_pair(pairs, top), pairs.degree[top]
        if nearest >= 0 and state[nearest] == _ON_CHAIN:
            # Further down the chain nothing is nearer, except for sums of equal weights that differ in their last bit.
            nearest = below
        if nearest < 0:
            length -= 1
            state[top] = _FREE
        elif state[nearest] == _STUCK:
            # Each waits for the next one, to the end: nothing that merges elsewhere comes nearer.
            for k in range(length):
                state[chain[k]] = _STUCK
            length = 0
        elif nearest != below:
            chain[length] = nearest
            length += 1
            state[nearest] = _ON_CHAIN
        else:
            keeper, gone = (top, below) if pool.length[top] >= pool.length[below] else (below, top)
            root[gone] = keeper
            mass[keeper] += mass[gone]
            rank[keeper] = max(rank[keeper], rank[gone])
            if pairs is None:
                join_segments(pool, keeper, gone)
            else:
                join_pairs(pairs, keeper, gone)
            first[n_merges], second[n_merges] = keeper, gone
            n_merges += 1
            length -= 2
            state[top] = state[below] = _FREE
            if length == 0:
                # The component goes on from here: its other vertices may all lie behind.
                chain[0], length = keeper, 1
                state[keeper] = _ON_CHAIN
    at.status[0], at.status[1], at.status[2] = length, n_merges, next_vertex
    return n_scanned <= limit
