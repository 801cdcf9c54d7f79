"""Clusters of many neighbours that are visited again and again.

To fold and scan the adjacency list of a cluster costs its degree at every visit. A vertex with d neighbours that takes
them up one by one would cost d^2. So a cluster on which many times its degree has been spent becomes a *hub*: each of
its pairs is a node of a search tree. What merges next to it is noted in these trees, which costs the degree of the
smaller cluster. Where two clusters of like degree merge, both go back to lists, which are far cheaper to join.

Masses that have grown since a pair was last looked at make it worse than its node says, never better: a pair is only
looked at again when it comes up as the best.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from hypcse.kernels._compile import helper, kernel
from hypcse.kernels.adjacency.order import first_of, join_trees, last_of, plant, uproot
from hypcse.kernels.adjacency.pairs import (
    NONE,
    Ids,
    Pairs,
    Reals,
    drop_pair,
    find_pair,
    lacks_room,
    make_pair,
    make_pairs,
    with_room,
)
from hypcse.kernels.adjacency.segments import Pool, join_segments, make_segment

LIST = -2
# Fewer neighbours are not worth a tree, nor is a list that was scanned fewer times: to make one costs as much as those.
_FEW = 64
_SCANS = 256
# Degrees are alike where none is more than so many times the other.
_ALIKE = 8
# Pairs looked at again, at most, when a search has passed over them.
_AGAIN = 64


class Hubs(NamedTuple):
    """Which clusters are hubs. A cluster lives in the slot of one of its vertices.

    root, degree (n,) : the root of each hub's tree, LIST where it is none; how many neighbours a hub has.
    mass, name (n,)   : of each cluster; the linkage keeps them. Names settle ties.
    whole (1,)        : the volume of the graph, for pairs in the order of what joining them gains; 0 for the order of
                        weight over mass.
    """

    pairs: Pairs
    root: Ids
    degree: Ids
    mass: Reals
    name: Ids
    whole: Reals


@kernel
def make_hubs(mass: Reals, name: Ids, whole: float) -> Hubs:
    """No hubs."""
    n = mass.size
    return Hubs(
        make_pairs(2 * _FEW),
        np.full(n, LIST, np.int64),
        np.zeros(n, np.int64),
        mass,
        name,
        np.full(1, whole),
    )


@helper
def _settle(hubs: Hubs, hub: int, node: int) -> None:
    """Plant a node where its weight and its neighbour's mass and name put it now."""
    pairs = hubs.pairs
    other = pairs.other[node]
    by_ratio = hubs.whole[0] == 0.0
    pairs.rank[node] = pairs.weight[node] / hubs.mass[other] if by_ratio else pairs.weight[node]
    pairs.mass[node] = 0.0 if by_ratio else hubs.mass[other]
    pairs.name[node] = hubs.name[other]
    hubs.root[hub] = plant(pairs, hubs.root[hub], node)


@helper
def _put(hubs: Hubs, hub: int, other: int, weight: float) -> None:
    """Add to the weight between a hub and another cluster."""
    pairs, key = hubs.pairs, hub * hubs.root.size + other
    node = find_pair(pairs, key)
    if node == NONE:
        node = make_pair(pairs, key)
        pairs.other[node], pairs.weight[node] = other, weight
        hubs.degree[hub] += 1
    else:
        hubs.root[hub] = uproot(pairs, hubs.root[hub], node)
        pairs.weight[node] += weight
    _settle(hubs, hub, node)


@helper
def _take(hubs: Hubs, hub: int, other: int) -> float:
    """Remove the pair of a hub and another cluster; its weight."""
    pairs, key = hubs.pairs, hub * hubs.root.size + other
    node = find_pair(pairs, key)
    weight = pairs.weight[node]
    hubs.root[hub] = uproot(pairs, hubs.root[hub], node)
    drop_pair(pairs, key)
    hubs.degree[hub] -= 1
    return weight


@helper
def is_due(spent: Ids, cluster: int, length: int) -> bool:
    """Count a scan of a folded list in `spent` (n,), entries scanned since a cluster merged with one of like degree;
    whether that was one too many, so that it should become a hub.
    """
    if length < _FEW:
        return False
    spent[cluster] += length
    return spent[cluster] >= _SCANS * length


@helper
def missing_room(hubs: Hubs, more: int) -> int:
    """The number of pairs to make room for where so many more would not fit, else 0."""
    return more if lacks_room(hubs.pairs, more) else 0


@kernel
def make_room(hubs: Hubs, more: int) -> Hubs:
    """The same hubs, with room for so many more pairs."""
    pairs = with_room(hubs.pairs, more)
    return Hubs(pairs, hubs.root, hubs.degree, hubs.mass, hubs.name, hubs.whole)


@helper
def make_hub(hubs: Hubs, pool: Pool, cluster: int) -> None:
    """Make a hub of a cluster whose list is folded; there must be room for its pairs."""
    hubs.root[cluster], hubs.degree[cluster] = NONE, 0
    for k in range(pool.start[cluster], pool.start[cluster] + pool.length[cluster]):
        _put(hubs, cluster, pool.vertex[k], pool.weight[k])
    pool.length[cluster] = 0


@helper
def _back_to_list(hubs: Hubs, pool: Pool, spent: Ids, hub: int) -> None:
    pairs = hubs.pairs
    at = make_segment(pool, hub, hubs.degree[hub])
    node = hubs.root[hub]
    while node != NONE:
        pool.vertex[at], pool.weight[at] = pairs.other[node], pairs.weight[node]
        rest = join_trees(pairs, pairs.left[node], pairs.right[node])
        drop_pair(pairs, hub * hubs.root.size + pairs.other[node])
        node = rest
        at += 1
    hubs.root[hub], spent[hub] = LIST, 0


@helper
def degree_of(hubs: Hubs, pool: Pool, cluster: int) -> int:
    """How many neighbours a hub, or a cluster whose list is folded, has."""
    return pool.length[cluster] if hubs.root[cluster] == LIST else hubs.degree[cluster]


@helper
def by_degree(hubs: Hubs, pool: Pool, one: int, other: int) -> tuple[int, int]:
    """Two clusters, the one of more neighbours first, and of equals the first."""
    if degree_of(hubs, pool, one) < degree_of(hubs, pool, other):
        return other, one
    return one, other


@helper
def join_lists(spent: Ids, pool: Pool, keeper: int, gone: int) -> None:
    """Give the list of one cluster to another; what is a hub has an empty one."""
    if pool.length[keeper] >= _FEW and _ALIKE * pool.length[gone] >= pool.length[keeper]:
        spent[keeper] = 0
    join_segments(pool, keeper, gone)


@helper
def note_merge(hubs: Hubs, pool: Pool, spent: Ids, keeper: int, gone: int) -> None:
    """Before their lists are joined: note in the trees of all hubs that a cluster is now part of another one.

    This one has at least the same degree, and its new mass and name. The one that goes is a hub or has its list folded,
    and there is room for as many pairs as it has.
    """
    if hubs.root[gone] != LIST:
        _back_to_list(hubs, pool, spent, gone)
    if hubs.root[keeper] != LIST and _ALIKE * pool.length[gone] >= hubs.degree[keeper]:
        _back_to_list(hubs, pool, spent, keeper)
    _note_gone(hubs, pool, keeper, gone)
    if hubs.root[keeper] != LIST:
        pool.length[gone] = 0


@helper
def _note_gone(hubs: Hubs, pool: Pool, keeper: int, gone: int) -> None:
    """Tell the hubs next to a cluster that it is now part of another, and this one, if it is a hub, of its pairs."""
    own = hubs.root[keeper] != LIST
    if own:
        _take(hubs, keeper, gone)
    for k in range(pool.start[gone], pool.start[gone] + pool.length[gone]):
        other = pool.vertex[k]
        if other == keeper:
            continue
        if own:
            _put(hubs, keeper, other, pool.weight[k])
        if hubs.root[other] != LIST:
            _put(hubs, other, keeper, _take(hubs, other, gone))


@helper
def nearest_of_hub(hubs: Hubs, hub: int, preferred: int) -> int:
    """The neighbour with the largest weight over mass; `preferred`, then the smaller id, wins ties; -1 if none."""
    pairs = hubs.pairs
    if hubs.root[hub] == NONE:
        return NONE
    node = first_of(pairs, hubs.root[hub])
    while pairs.rank[node] != pairs.weight[node] / hubs.mass[pairs.other[node]]:
        hubs.root[hub] = uproot(pairs, hubs.root[hub], node)
        _settle(hubs, hub, node)
        node = first_of(pairs, hubs.root[hub])
    if preferred != NONE:
        wanted = find_pair(pairs, hub * hubs.root.size + preferred)
        if wanted != NONE and pairs.weight[wanted] / hubs.mass[preferred] == pairs.rank[node]:
            return preferred
    return pairs.other[node]


@helper
def joining_change(weight: float, volume: float, whole: float) -> float:
    """The change of entropy, times V, when two children of the root are joined to one of this volume."""
    return 2 * weight * np.log2(volume / whole)


@helper
def wake(hubs: Hubs, hub: int) -> None:
    """Look at all pairs of a hub again that were laid to rest: it has become the youngest. Nothing for lists."""
    pairs = hubs.pairs
    while hubs.root[hub] >= 0:
        node = last_of(pairs, hubs.root[hub])
        if pairs.rank[node] > 0:
            return
        hubs.root[hub] = uproot(pairs, hubs.root[hub], node)
        _settle(hubs, hub, node)


@helper
def best_of_hub(hubs: Hubs, hub: int) -> tuple[int, float]:
    """The older neighbour whose joining changes entropy most, of equals the oldest, and the change; -1 if none.

    A subtree is passed over where no pair of its largest weight and its least mass would do better. Younger
    neighbours are laid to rest at the end of the order, for they bring the pair themselves.
    """
    pairs, volume, whole = hubs.pairs, hubs.mass[hub], hubs.whole[0]
    best, change = NONE, np.inf
    stack, again = np.empty(512, np.int64), np.empty(_AGAIN, np.int64)
    stack[0], top, n_again = hubs.root[hub], 1, 0
    while top > 0:
        top -= 1
        node = stack[top]
        if node == NONE or pairs.most[node] == 0.0:
            continue
        bound = min(0.0, joining_change(pairs.most[node], volume + pairs.least[node], whole))
        if bound > change or (bound == change and best != NONE and pairs.oldest[node] > hubs.name[best]):
            continue
        other = pairs.other[node]
        stack[top], stack[top + 1] = pairs.right[node], pairs.left[node]
        top += 2
        younger = hubs.name[other] > hubs.name[hub]
        if pairs.rank[node] > 0 and (younger or pairs.name[node] != hubs.name[other]) and n_again < _AGAIN:
            again[n_again] = node
            n_again += 1
        if younger:
            continue
        value = joining_change(pairs.weight[node], volume + hubs.mass[other], whole)
        if value < change or (value == change and hubs.name[other] < hubs.name[best]):
            best, change = other, value
    for k in range(n_again):
        _look_again(hubs, hub, again[k])
    return best, change


@helper
def _look_again(hubs: Hubs, hub: int, node: int) -> None:
    pairs = hubs.pairs
    hubs.root[hub] = uproot(pairs, hubs.root[hub], node)
    _settle(hubs, hub, node)
    if hubs.name[pairs.other[node]] > hubs.name[hub]:
        hubs.root[hub] = uproot(pairs, hubs.root[hub], node)
        pairs.rank[node] = 0.0
        hubs.root[hub] = plant(pairs, hubs.root[hub], node)
