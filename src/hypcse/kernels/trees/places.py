"""The cheapest place of a new leaf in a tree, by structural entropy."""

from __future__ import annotations

import numpy as np
from numba import prange
from numpy.typing import NDArray

from hypcse.kernels.compile import kernel, parallel_kernel

Ids = NDArray[np.int64]
Reals = NDArray[np.float64]


@kernel
def _excess(new: float, linked: float, below: float, node: float, meeting: float) -> float:
    """What the new leaf costs beside a child more than beside the node above it, in nats.

    `new` is its degree, `linked` its weight into the child, `below` and `node` the volumes of child and node without
    it, `meeting` the weight of the old edges that meet at the node. Beside the child, the node grows by `new`, and the
    links into the child meet at volume below + new instead of node + new.
    """
    return meeting * np.log1p(new / node) - linked * np.log1p((node - below) / (below + new))


@kernel
def _place(parent: Ids, volume: Reals, meeting: Reals, leaves: Ids, weights: Reals) -> int:
    """The place of one leaf. The ways up from its neighbours are walked together, lowest node first.

    Each way carries the weight and the volume of the node that it left, the best place below it and what that costs
    more than the node itself; all ways into a node become one.
    """
    at, best = leaves.copy(), leaves.copy()
    linked = weights.copy()
    below, cost = np.zeros(at.size), np.zeros(at.size)
    new = weights.sum()
    n_ways = at.size
    while True:
        node = at[:n_ways].min()
        total = 0.0
        for way in range(n_ways):
            if at[way] == node:
                total += linked[way]
        grown = volume[node] + total
        place, least, kept = node, 0.0, 0
        for way in range(n_ways):
            if at[way] != node:
                at[kept], best[kept], linked[kept] = at[way], best[way], linked[way]
                below[kept], cost[kept] = below[way], cost[way]
                kept += 1
            elif best[way] != node:
                found = cost[way] + _excess(new, linked[way], below[way], grown, meeting[node])
                if found < least or (found == least and best[way] < place):
                    place, least = best[way], found
        if parent[node] < 0:
            return place
        at[kept], best[kept], linked[kept] = parent[node], place, total
        below[kept], cost[kept] = grown, least
        n_ways = kept + 1


@parallel_kernel
def cheapest_nodes(parent: Ids, volume: Reals, meeting: Reals, neighbors: Ids, weights: Reals) -> Ids:
    """The node beside which each new leaf adds least structural entropy, (m,); ties go to the smaller id.

    volume, meeting    : of each node, its volume and the weight of the edges that meet there.
    neighbors, weights : (m, k) leaves that each new leaf is linked to, each once, and positive weights.

    Every new leaf is placed as if it were the only one. A leaf costs O(k) a node on the ways from its neighbours to the
    root; no other node can be better.
    """
    places = np.empty(neighbors.shape[0], np.int64)
    for row in prange(places.size):
        places[row] = _place(parent, volume, meeting, neighbors[row], weights[row])
    return places
