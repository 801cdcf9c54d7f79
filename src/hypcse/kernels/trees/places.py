"""Where leaves belong: the cheapest place of a new one in a tree, by structural entropy, and the cluster of a stray."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numba import prange

from hypcse.kernels.arrays import Flags, Ids, Reals
from hypcse.kernels.compile import helper, kernel, parallel_kernel
from hypcse.kernels.search.working_tree import Rows


@helper
def _excess(new: float, linked: float, below: float, node: float, meeting: float) -> float:
    """How much more a leaf of degree `new` costs beside a child than beside the node above it, in nats."""
    return meeting * np.log1p(new / node) - linked * np.log1p((node - below) / (below + new))


@helper
def _place(parent: Ids, volume: Reals, meeting: Reals, leaves: Ids, weights: Reals) -> int:
    """The place of one leaf, by a walk up from all its neighbors together, lowest node first."""
    at, best = leaves.copy(), leaves.copy()
    linked = weights.copy()
    below, cost = np.zeros(at.size), np.zeros(at.size)
    new, n_ways = 0.0, at.size
    for weight in weights:
        new += weight
    while True:
        node, total = at[0], 0.0
        for way in range(1, n_ways):
            node = min(node, at[way])
        for way in range(n_ways):
            if at[way] == node:
                total += linked[way]
        grown = volume[node] + total
        place, least, n_others = node, 0.0, 0
        for way in range(n_ways):
            if at[way] != node:
                at[n_others], best[n_others], linked[n_others] = at[way], best[way], linked[way]
                below[n_others], cost[n_others] = below[way], cost[way]
                n_others += 1
            elif best[way] != node:
                extra = cost[way] + _excess(new, linked[way], below[way], grown, meeting[node])
                if extra < least or (extra == least and best[way] < place):
                    place, least = best[way], extra
        if parent[node] < 0:
            return place
        at[n_others], best[n_others], linked[n_others] = parent[node], place, total
        below[n_others], cost[n_others] = grown, least
        n_ways = n_others + 1


@parallel_kernel
def cheapest_nodes(parent: Ids, volume: Reals, meeting: Reals, neighbors: Ids, weights: Reals) -> Ids:
    """The node beside which each new leaf, as if alone, adds least structural entropy, (m,); the smaller id in a tie.

    meeting            : of each node, the weight of the edges that meet there.
    neighbors, weights : (m, k) leaves that each new leaf is linked to, each once, and positive weights.

    O(k) for each node between its neighbors and the root; no other node can be better.
    """
    places = np.empty(neighbors.shape[0], np.int64)
    for row in prange(places.size):
        places[row] = _place(parent, volume, meeting, neighbors[row], weights[row])
    return places


class Spans(NamedTuple):
    """The leaves of a tree from left to right, and of each node its parent, its first leaf's position and its size."""

    parent: Ids
    order: Ids
    first: Ids
    size: Ids


@helper
def _heirs(tree: Spans, chosen: Flags) -> Ids:
    """The largest chosen node under each node, itself included; -1 where there is none."""
    heir = np.full(tree.parent.size, -1, np.int64)
    for node in range(tree.parent.size):
        if chosen[node]:
            heir[node] = node
        if heir[node] >= 0 and node < tree.parent.size - 1:
            above = tree.parent[node]
            if heir[above] < 0 or tree.size[heir[node]] > tree.size[heir[above]]:
                heir[above] = heir[node]
    return heir


@kernel
def stray_clusters(tree: Spans, rows: Rows, chosen: Flags, strays: Ids) -> Ids:
    """The chosen node that each leaf belongs to: the one above it, or for strays the one that they hang on. O(n + m).

    This is the chosen node below a stray's parent that most of its edge weight goes to, or without an edge the largest.
    """
    n_nodes = tree.parent.size
    own = np.full(n_nodes, -1, np.int64)
    for node in range(n_nodes - 1, -1, -1):
        if chosen[node]:
            own[node] = node
        elif node < n_nodes - 1:
            own[node] = own[tree.parent[node]]
    heir = _heirs(tree, chosen)
    votes = np.zeros(n_nodes)
    for stray in strays:
        top, begin = tree.parent[stray], tree.first[stray]
        low, high = tree.first[top], tree.first[top] + tree.size[top]
        best = heir[top]
        for counting in (True, False):
            for leaf in tree.order[begin : begin + tree.size[stray]]:
                for k in range(rows.indptr[leaf], rows.indptr[leaf + 1]):
                    other = rows.indices[k]
                    home = own[other]
                    if home < 0 or not low <= tree.first[other] < high:
                        continue
                    votes[home] = votes[home] + rows.weights[k] if counting else 0.0
                    if votes[home] > votes[best]:
                        best = home
        for leaf in tree.order[begin : begin + tree.size[stray]]:
            own[leaf] = best
    return own[: tree.order.size]
