"""Agglomeration of a sparse graph by nearest-neighbour chains."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from hypcse.kernels.compile import helper, kernel
from hypcse.kernels.linkage.adjacency import DEGREE, Pairs, Pool, fold_segments, join_segments, make_pool
from hypcse.kernels.linkage.hubs import PATIENCE, join_pairs, nearest_pair, pairs_of_lists
from hypcse.kernels.linkage.merges import first_ranks

# What a cluster is: free, on the chain, or stuck, because its chain ends at a cluster that must not merge.
_FREE, _ON_CHAIN, _STUCK = 0, 1, 2


@helper
def _nearest(pool: Pool, begin: int, end: int, total: NDArray[np.float64], rank: NDArray[np.int64]) -> int:
    """The neighbour with the largest weight over mass; the lower rank wins ties; -1 if none."""
    nearest, best = -1, -1.0
    for k in range(begin, end):
        other = pool.vertex[k]
        closeness = pool.weight[k] / total[other]
        if closeness > best or (closeness == best and rank[other] < rank[nearest]):
            nearest, best = other, closeness
    return nearest


class Chain(NamedTuple):
    """Where nearest-neighbour chains stand; a cluster is named by one of its vertices.

    root (n,)          : the cluster that a cluster was joined to.
    total, rank (n,)   : the mass of each, and the rank by which ties are broken.
    place (n,)         : scratch of -1.
    chain (n,)         : clusters, each nearest to the one before; `state` tells whether a cluster is among them.
    first, second (n,) : the merges.
    status (3,)        : the length of the chain, merges done, the next vertex to begin at.
    """

    pool: Pool
    root: NDArray[np.int64]
    total: NDArray[np.float64]
    rank: NDArray[np.int64]
    place: NDArray[np.int64]
    chain: NDArray[np.int64]
    state: NDArray[np.int8]
    first: NDArray[np.int64]
    second: NDArray[np.int64]
    status: NDArray[np.int64]


def chain_merges(
    indptr: NDArray[np.int64],
    indices: NDArray[np.int32],
    weights: NDArray[np.float64],
    mass: NDArray[np.float64],
    patience: int = PATIENCE,
    *,
    rank: NDArray[np.int64] | None = None,
    frozen: NDArray[np.bool_] | None = None,
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Merges of the linkage cut(A, B) / (mass A mass B), largest first, in the order that the chains find them.

    Unit masses give average linkage, degrees give Paris linkage; both are reducible, so chains find the exact tree.
    Each merge names its clusters by one member. There are n minus the number of components of them. About O(m log n)
    time in lists; where these have cost `patience` times n + m, in search trees from there on, which makes no other
    merges, but for sums of weights that differ in their last bit: those that `shorten` made do not. O(n + m) memory.

    rank   : of each vertex, all different, by which ties are broken; `first_ranks` by default.
    frozen : vertices that must not merge, numbered after all others, whose rows are empty; none by default. Then the
             merges are those that are certain whatever becomes of these vertices, and of their other neighbours.
    """
    n = mass.size
    at = Chain(
        pool=make_pool(indptr, indices, weights),
        root=np.arange(n),
        total=mass.astype(np.float64),
        rank=first_ranks(n) if rank is None else rank.astype(np.int64),
        place=np.full(n, -1),
        chain=np.empty(n, np.int64),
        state=np.zeros(n, np.int8) if frozen is None else np.where(frozen, np.int8(_STUCK), np.int8(_FREE)),
        first=np.empty(n, np.int64),
        second=np.empty(n, np.int64),
        status=np.zeros(3, np.int64),
    )
    if not follow_chain(at, None, patience * (n + indices.size)):
        # Which cluster of two keeps its name goes on to depend on the degrees when they were last visited.
        lengths = at.pool.length.copy()
        pairs = pairs_of_lists(at.pool, at.root, at.place, at.total, at.rank, 0.0)
        at.pool.length[:] = lengths
        # Compiled anew for search trees: most graphs do without, and need not wait for that.
        follow_chain(at, pairs, 0)
    done = at.status[1]
    return at.first[:done], at.second[:done]


@kernel
def follow_chain(at: Chain, pairs: Pairs | None, limit: int) -> bool:
    """Follow the chain in lists, or in pairs; whether to the end, or until so many entries of lists were scanned."""
    # Each array by itself: to pass a tuple of many to a function would take longer than most merges.
    pool, root, total, rank, place = at.pool, at.root, at.total, at.rank, at.place
    chain, state, n = at.chain, at.state, at.root.size
    length, done, next_vertex = at.status[0], at.status[1], at.status[2]
    scanned = 0
    while scanned <= limit:
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
            nearest = _nearest(pool, begin, end, total, rank)
            scanned += end - begin
        else:
            nearest, pool.length[top] = nearest_pair(pairs, top), pairs.tree[top, DEGREE]
        if nearest >= 0 and state[nearest] == _ON_CHAIN:
            # Further down the chain nothing is nearer, but for sums of equal weights that differ in their last bit.
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
            total[keeper] += total[gone]
            rank[keeper] = max(rank[keeper], rank[gone])
            if pairs is None:
                join_segments(pool, keeper, gone)
            else:
                join_pairs(pairs, keeper, gone)
            at.first[done], at.second[done] = keeper, gone
            done += 1
            length -= 2
            state[top] = state[below] = _FREE
            if length == 0:
                # The component goes on from here: its other vertices may all lie behind.
                chain[0], length = keeper, 1
                state[keeper] = _ON_CHAIN
    at.status[0], at.status[1], at.status[2] = length, done, next_vertex
    return scanned <= limit
