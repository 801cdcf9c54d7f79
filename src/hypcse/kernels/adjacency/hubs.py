"""The nearest of many neighbours, without looking at them all.

To fold and scan the adjacency list of a cluster costs its degree at every visit: a vertex with d neighbours that takes
them up one by one costs d^2. Where lists have cost too much, what is left of the graph is laid out as pairs in search
trees. A merge then costs the degree of the smaller cluster, and a visit about O(log d).

Masses that have grown since a pair was last looked at make it worse than its node says, never better: a pair is only
looked at again when it comes up as the best.
"""

from __future__ import annotations

import numpy as np

from hypcse.kernels._compile import helper, kernel
from hypcse.kernels.adjacency.order import fell, first_of, last_of, next_subtree, plant, uproot
from hypcse.kernels.adjacency.pairs import (
    LEAST,
    LEFT,
    MASS,
    MOST,
    NAME,
    NONE,
    OLDEST,
    OTHER,
    RANK,
    RIGHT,
    WEIGHT,
    Ids,
    Pairs,
    Reals,
    find_end,
    make_pairs,
    note_pair,
)
from hypcse.kernels.adjacency.segments import Pool, fold_segments

# Entries scanned in lists, as a multiple of vertices and entries, after which search trees take over. Graphs of nearest
# neighbours take 3 to 20.
PATIENCE = 64
# The rank of a pair that is left to the other cluster.
_AT_REST = -1.0


@kernel
def pairs_of_lists(pool: Pool, root: Ids, place: Ids, mass: Reals, name: Ids, whole: float) -> Pairs:
    """The pairs of all clusters that are their own `root`; what `Pairs` says of mass, name and whole."""
    n_pairs = 0
    for cluster in range(root.size):
        if root[cluster] == cluster:
            begin, end = fold_segments(pool, cluster, root, place)
            for k in range(begin, end):
                n_pairs += pool.vertex[k] > cluster
    pairs = make_pairs(n_pairs, mass, name, whole)
    pair = 0
    for cluster in range(root.size):
        if root[cluster] == cluster:
            for k in range(pool.start[cluster], pool.start[cluster] + pool.length[cluster]):
                if pool.vertex[k] > cluster:
                    _add_pair(pairs, pair, cluster, pool.vertex[k], pool.weight[k])
                    pair += 1
    return pairs


@helper
def _add_pair(pairs: Pairs, pair: int, one: int, other: int, weight: float) -> None:
    end, twin = 2 * pair, 2 * pair + 1
    pairs.link[end, OTHER], pairs.link[twin, OTHER] = other, one
    pairs.value[end, WEIGHT] = pairs.value[twin, WEIGHT] = weight
    note_pair(pairs, pair)
    _settle(pairs, one, end)
    _settle(pairs, other, twin)
    pairs.degree[one] += 1
    pairs.degree[other] += 1


@helper
def _settle(pairs: Pairs, cluster: int, end: int) -> None:
    """Plant an end where its weight and its neighbour's mass and name put it now."""
    other, weight = pairs.link[end, OTHER], pairs.value[end, WEIGHT]
    pairs.link[end, NAME] = pairs.name[other]
    if pairs.whole[0] == 0.0:
        pairs.value[end, RANK], pairs.value[end, MASS] = weight / pairs.mass[other], 0.0
    else:
        # The pair is the younger one's.
        pairs.value[end, RANK] = weight if pairs.name[other] < pairs.name[cluster] else _AT_REST
        pairs.value[end, MASS] = pairs.mass[other]
    plant(pairs, cluster, end)


@helper
def _settle_again(pairs: Pairs, cluster: int, end: int) -> None:
    uproot(pairs, cluster, end)
    _settle(pairs, cluster, end)


@helper
def join_pairs(pairs: Pairs, keeper: int, gone: int) -> None:
    """Give the pairs of one cluster to another, which has its new mass and name. O(d log n) for d pairs given."""
    end = find_end(pairs, keeper, gone)
    uproot(pairs, keeper, end)
    uproot(pairs, gone, end ^ 1)
    pairs.link[end, OTHER] = pairs.link[end ^ 1, OTHER] = NONE
    pairs.degree[keeper] -= 1
    node = pairs.root[gone]
    while node != NONE:
        end, node = fell(pairs, gone, node)
        _give_pair(pairs, keeper, end)


@helper
def _give_pair(pairs: Pairs, keeper: int, end: int) -> None:
    """Give an end that is in no tree to a cluster, where its weight is added to that of a pair that is there."""
    twin, other = end ^ 1, pairs.link[end, OTHER]
    kept = find_end(pairs, keeper, other)
    if kept == NONE:
        pairs.link[twin, OTHER] = keeper
        note_pair(pairs, end >> 1)
        _settle(pairs, keeper, end)
        pairs.degree[keeper] += 1
        return
    uproot(pairs, other, twin)
    pairs.degree[other] -= 1
    pairs.link[end, OTHER] = pairs.link[twin, OTHER] = NONE
    weight = pairs.value[kept, WEIGHT] + pairs.value[end, WEIGHT]
    pairs.value[kept, WEIGHT] = pairs.value[kept ^ 1, WEIGHT] = weight
    _settle_again(pairs, keeper, kept)
    _settle_again(pairs, other, kept ^ 1)


@helper
def nearest_pair(pairs: Pairs, cluster: int, preferred: int) -> int:
    """The neighbour with the largest weight over mass; `preferred`, then the smaller name, wins ties; -1 if none."""
    while True:
        node = first_of(pairs, cluster)
        if node == NONE:
            return NONE
        other = pairs.link[node, OTHER]
        closeness = pairs.value[node, WEIGHT] / pairs.mass[other]
        if closeness == pairs.value[node, RANK] and pairs.link[node, NAME] == pairs.name[other]:
            break
        _settle_again(pairs, cluster, node)
    if preferred != NONE:
        wanted = find_end(pairs, cluster, preferred)
        if wanted != NONE and pairs.value[wanted, WEIGHT] / pairs.mass[preferred] == closeness:
            return preferred
    return other


@helper
def joining_change(weight: float, volume: float, whole: float) -> float:
    """The change of entropy, times V, when two children of the root are joined to one of this volume."""
    return 2 * weight * np.log2(volume / whole)


@helper
def wake_pairs(pairs: Pairs, cluster: int) -> None:
    """Take back the pairs that were left to younger neighbours: the cluster has become the youngest."""
    node = last_of(pairs, cluster)
    while node != NONE and pairs.value[node, RANK] == _AT_REST:
        _settle_again(pairs, cluster, node)
        node = last_of(pairs, cluster)


@helper
def best_pair(pairs: Pairs, cluster: int) -> tuple[int, float]:
    """The older neighbour whose joining changes entropy most, of equals the oldest, and the change; -1 if none."""
    while True:
        node, change = _search(pairs, cluster)
        if node == NONE:
            return NONE, change
        other = pairs.link[node, OTHER]
        if pairs.link[node, NAME] == pairs.name[other] and pairs.name[other] < pairs.name[cluster]:
            return other, change
        _settle_again(pairs, cluster, node)


@helper
def _search(pairs: Pairs, cluster: int) -> tuple[int, float]:
    """The best end by what was last seen of its neighbour, and the change.

    A subtree is passed over where no pair of its largest weight and its least mass would do better.
    """
    link, value = pairs.link, pairs.value
    volume, whole = pairs.mass[cluster], pairs.whole[0]
    best, change, oldest = NONE, np.inf, 0
    node = pairs.root[cluster]
    while node != NONE:
        below = NONE
        if value[node, MOST] != _AT_REST:
            bound = min(0.0, joining_change(value[node, MOST], volume + value[node, LEAST], whole))
            if bound < change or (bound == change and link[node, OLDEST] < oldest):
                below = link[node, LEFT] if link[node, LEFT] != NONE else link[node, RIGHT]
                if value[node, RANK] != _AT_REST:
                    found = joining_change(value[node, WEIGHT], volume + value[node, MASS], whole)
                    if found < change or (found == change and link[node, NAME] < oldest):
                        best, change, oldest = node, found, link[node, NAME]
        node = below if below != NONE else next_subtree(pairs, node)
    return best, change
