"""Agglomeration of a sparse graph by nearest-neighbour chains."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from hypcse.kernels._compile import helper, kernel
from hypcse.kernels.adjacency.hubs import (
    LIST,
    Hubs,
    by_degree,
    degree_of,
    is_due,
    join_lists,
    make_hub,
    make_hubs,
    make_room,
    missing_room,
    nearest_of_hub,
    note_merge,
)
from hypcse.kernels.adjacency.segments import Pool, fold_segments, make_pool


@helper
def _nearest(pool: Pool, begin: int, end: int, total: NDArray[np.float64], preferred: int) -> int:
    """The neighbour with the largest weight over mass; `preferred`, then the smaller id, wins ties; -1 if none."""
    nearest, best = -1, -1.0
    for k in range(begin, end):
        other = pool.vertex[k]
        closeness = pool.weight[k] / total[other]
        if closeness > best or (closeness == best and nearest != preferred and (other == preferred or other < nearest)):
            nearest, best = other, closeness
    return nearest


class Chain(NamedTuple):
    """Where nearest-neighbour chains stand; a cluster is named by one of its vertices.

    root (n,)          : the cluster that a cluster was joined to.
    total (n,)         : the mass of each.
    place (n,)         : scratch of -1.
    spent (n,)         : entries scanned, of clusters with long lists (`is_due`).
    chain (n,)         : clusters, each nearest to the one before; `on_chain` tells whether a cluster is among them.
    first, second (n,) : the merges.
    status (4,)        : the length of the chain, merges done, the next vertex to begin at; and for how many pairs of
                         hubs there must be room before it goes on, -1 at the end.
    """

    pool: Pool
    root: NDArray[np.int64]
    total: NDArray[np.float64]
    place: NDArray[np.int64]
    spent: NDArray[np.int64]
    chain: NDArray[np.int64]
    on_chain: NDArray[np.bool_]
    first: NDArray[np.int64]
    second: NDArray[np.int64]
    status: NDArray[np.int64]


def chain_merges(
    indptr: NDArray[np.int64],
    indices: NDArray[np.int32],
    weights: NDArray[np.float64],
    mass: NDArray[np.float64],
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Merges of the linkage cut(A, B) / (mass A mass B), largest first, in the order that the chains find them.

    Unit masses give average linkage, degrees give Paris linkage; both are reducible, so chains find the exact tree.
    Each merge names its clusters by one member. There are n minus the number of components of them. About O(m log n)
    time, whatever the degrees, and O(n + m) memory.
    """
    n = mass.size
    at = Chain(
        pool=make_pool(indptr, indices, weights),
        root=np.arange(n),
        total=mass.copy(),
        place=np.full(n, -1),
        spent=np.zeros(n, np.int64),
        chain=np.empty(n, np.int64),
        on_chain=np.zeros(n, np.bool_),
        first=np.empty(n, np.int64),
        second=np.empty(n, np.int64),
        status=np.zeros(4, np.int64),
    )
    # Compiled anew for graphs with hubs: most have none, and need not wait for that.
    hubs: Hubs | None = None
    follow_chain(at, hubs)
    while at.status[3] > 0:
        hubs = make_hubs(at.total, np.arange(n), 0.0) if hubs is None else hubs
        hubs = make_room(hubs, int(at.status[3]))
        follow_chain(at, hubs)
    done = at.status[1]
    return at.first[:done], at.second[:done]


@kernel
def follow_chain(at: Chain, hubs: Hubs | None) -> None:
    """Follow the chain to the end, or until a hub needs room."""
    # Each array by itself: to pass a tuple of many to a function would take longer than most merges.
    pool, root, total, place, spent = at.pool, at.root, at.total, at.place, at.spent
    chain, on_chain, n = at.chain, at.on_chain, at.root.size
    length, done, next_vertex, wanted = at.status[0], at.status[1], at.status[2], 0
    while True:
        if length == 0:
            while next_vertex < n and root[next_vertex] != next_vertex:
                next_vertex += 1
            if next_vertex == n:
                wanted = -1
                break
            chain[0], length = next_vertex, 1
            on_chain[next_vertex] = True
            next_vertex += 1
        top = chain[length - 1]
        below = chain[length - 2] if length > 1 else -1
        nearest, listed = -1, True
        if hubs is not None:
            listed = hubs.root[top] == LIST
            if not listed:
                nearest = nearest_of_hub(hubs, top, below)
        if listed:
            begin, end = fold_segments(pool, top, root, place)
            nearest = _nearest(pool, begin, end, total, below)
            if is_due(spent, top, end - begin):
                wanted = end - begin
                if hubs is not None:
                    wanted = missing_room(hubs, end - begin)
                    if wanted == 0:
                        make_hub(hubs, pool, top)
                if wanted > 0:
                    break
        if nearest >= 0 and on_chain[nearest]:
            # Further down the chain nothing is nearer, but for sums of equal weights that differ in their last bit.
            nearest = below
        if nearest < 0:
            length -= 1
            on_chain[top] = False
        elif nearest != below:
            chain[length] = nearest
            length += 1
            on_chain[nearest] = True
        else:
            keeper, gone = (top, below) if pool.length[top] >= pool.length[below] else (below, top)
            if hubs is not None:
                keeper, gone = by_degree(hubs, pool, top, below)
                wanted = missing_room(hubs, degree_of(hubs, pool, gone))
                if wanted > 0:
                    break
            root[gone] = keeper
            total[keeper] += total[gone]
            if hubs is not None:
                note_merge(hubs, pool, spent, keeper, gone)
            join_lists(spent, pool, keeper, gone)
            at.first[done], at.second[done] = keeper, gone
            done += 1
            length -= 2
            on_chain[top] = on_chain[below] = False
            if length == 0:
                # The component goes on from here: its other vertices may all lie behind.
                chain[0], length = keeper, 1
                on_chain[keeper] = True
    at.status[0], at.status[1], at.status[2], at.status[3] = length, done, next_vertex, wanted
