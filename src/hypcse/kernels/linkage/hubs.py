"""The nearest of many neighbors, without looking at them all.

To fold and scan the adjacency list of a cluster costs its degree at every visit: a vertex with d neighbors that takes
them up one by one costs d^2. Once lists have cost too much, the rest of the graph is laid out as pairs in search trees.
A merge then costs the degree of the smaller cluster, and a visit about O(log d).

Masses that have grown since a pair was last looked at make it worse than its node says, never better: a pair is only
looked at again when it comes up as the best.
"""

from __future__ import annotations

import numpy as np

from hypcse.kernels.compile import bare_helper, kernel
from hypcse.kernels.linkage.adjacency import Clusters, fold_segments
from hypcse.kernels.linkage.pairs import (
    DEGREE,
    LEAST,
    LEFT,
    MASS,
    MOST,
    NAME,
    NONE,
    OLDEST,
    OTHER,
    RANK,
    RESTING,
    RIGHT,
    ROOT,
    WEIGHT,
    Pairs,
    enter_pair,
    find_end,
    first_node,
    insert_node,
    make_pairs,
    next_subtree,
    remove_leaf,
    remove_node,
)

# Entries scanned in lists, as a multiple of vertices and entries, after which search trees take over. Graphs of nearest
# neighbors take 3 to 20.
PATIENCE = 64
# The rank of a pair that is left to the other cluster.
AT_REST = -1.0


def pairs_of_lists(at: Clusters, volume: float) -> Pairs:
    """Return the pairs of all clusters; see `Pairs` for `volume`."""
    pairs = make_pairs(_fold_all(at), at.mass, at.name, volume)
    _add_all(pairs, at)
    return pairs


@kernel
def _fold_all(at: Clusters) -> int:
    """Fold the lists of all clusters; return the number of pairs."""
    n_pairs = 0
    for cluster in range(at.root.size):
        if at.root[cluster] == cluster:
            begin, end = fold_segments(at.pool, cluster, at.root, at.place)
            for k in range(begin, end):
                n_pairs += at.pool.vertex[k] > cluster
    return n_pairs


@kernel
def _add_all(pairs: Pairs, at: Clusters) -> None:
    end, pool = 0, at.pool
    for cluster in range(at.root.size):
        if at.root[cluster] != cluster:
            continue
        for k in range(pool.start[cluster], pool.start[cluster] + pool.length[cluster]):
            other = pool.vertex[k]
            if other > cluster:
                pairs.link[end, OTHER], pairs.link[end + 1, OTHER] = other, cluster
                pairs.value[end, WEIGHT] = pairs.value[end + 1, WEIGHT] = pool.weight[k]
                enter_pair(pairs, end >> 1)
                _insert(pairs, cluster, end)
                _insert(pairs, other, end + 1)
                end += 2


@bare_helper
def _settle(pairs: Pairs, cluster: int, end: int) -> None:
    """Put an end where its weight and its neighbor's present mass and name put it: at rest if that is younger."""
    other, weight = pairs.link[end, OTHER], pairs.value[end, WEIGHT]
    pairs.link[end, NAME] = pairs.name[other]
    if pairs.volume[0] == 0.0:
        pairs.value[end, RANK], pairs.value[end, MASS] = weight / pairs.mass[other], 0.0
    elif pairs.name[other] < pairs.name[cluster]:
        pairs.value[end, RANK], pairs.value[end, MASS] = weight, pairs.mass[other]
    else:
        first = pairs.tree[cluster, RESTING]
        pairs.value[end, RANK] = AT_REST
        pairs.link[end, LEFT], pairs.link[end, RIGHT] = NONE, first
        if first != NONE:
            pairs.link[first, LEFT] = end
        pairs.tree[cluster, RESTING] = end
        return
    insert_node(pairs.link, pairs.value, pairs.tree, cluster, end)


@bare_helper
def _lift(pairs: Pairs, cluster: int, end: int) -> None:
    """Take an end out of the tree of a cluster, or from those at rest."""
    if pairs.value[end, RANK] != AT_REST:
        remove_node(pairs.link, pairs.value, pairs.tree, cluster, end)
        return
    before, after = pairs.link[end, LEFT], pairs.link[end, RIGHT]
    if before == NONE:
        pairs.tree[cluster, RESTING] = after
    else:
        pairs.link[before, RIGHT] = after
    if after != NONE:
        pairs.link[after, LEFT] = before


@bare_helper
def _remove(pairs: Pairs, cluster: int, end: int) -> None:
    _lift(pairs, cluster, end)
    pairs.tree[cluster, DEGREE] -= 1


@bare_helper
def _insert(pairs: Pairs, cluster: int, end: int) -> None:
    _settle(pairs, cluster, end)
    pairs.tree[cluster, DEGREE] += 1


@bare_helper
def _settle_again(pairs: Pairs, cluster: int, end: int) -> None:
    _lift(pairs, cluster, end)
    _settle(pairs, cluster, end)


@bare_helper
def join_pairs(pairs: Pairs, keeper: int, gone: int) -> None:
    """Give the pairs of one cluster to another, which has its new mass and name. O(d log n) for d pairs."""
    end = find_end(pairs, keeper, gone)
    _remove(pairs, keeper, end)
    _remove(pairs, gone, end ^ 1)
    pairs.link[end, OTHER] = pairs.link[end ^ 1, OTHER] = NONE
    node = pairs.tree[gone, ROOT]
    while node != NONE:
        end, node = remove_leaf(pairs.link, pairs.tree, gone, node)
        _give_pair(pairs, keeper, end)
    while pairs.tree[gone, RESTING] != NONE:
        end = pairs.tree[gone, RESTING]
        _lift(pairs, gone, end)
        _give_pair(pairs, keeper, end)


@bare_helper
def _give_pair(pairs: Pairs, keeper: int, end: int) -> None:
    """Give an end that is in no tree to a cluster; if the cluster has such a pair, add the weight to that."""
    twin, other = end ^ 1, pairs.link[end, OTHER]
    present = find_end(pairs, keeper, other)
    if present == NONE:
        pairs.link[twin, OTHER] = keeper
        enter_pair(pairs, end >> 1)
        _insert(pairs, keeper, end)
        return
    _remove(pairs, other, twin)
    pairs.link[end, OTHER] = pairs.link[twin, OTHER] = NONE
    weight = pairs.value[present, WEIGHT] + pairs.value[end, WEIGHT]
    pairs.value[present, WEIGHT] = pairs.value[present ^ 1, WEIGHT] = weight
    _settle_again(pairs, keeper, present)
    _settle_again(pairs, other, present ^ 1)


@bare_helper
def nearest_pair(pairs: Pairs, cluster: int) -> int:
    """Return the neighbor with the largest weight over mass, -1 if none; the smaller name wins ties."""
    while True:
        node = first_node(pairs.link, pairs.tree, cluster)
        if node == NONE:
            return NONE
        other = pairs.link[node, OTHER]
        closeness = pairs.value[node, WEIGHT] / pairs.mass[other]
        if closeness == pairs.value[node, RANK] and pairs.link[node, NAME] == pairs.name[other]:
            return other
        _settle_again(pairs, cluster, node)


@bare_helper
def joining_change(weight: float, volume: float, whole: float) -> float:
    """Return the change of entropy, times V, when two children of the root are joined to one of this volume."""
    return 2 * weight * np.log2(volume / whole)


@bare_helper
def wake_pairs(pairs: Pairs, cluster: int) -> None:
    """Take back the pairs that were left to younger neighbors, because the cluster has become the youngest."""
    while pairs.tree[cluster, RESTING] != NONE:
        _settle_again(pairs, cluster, pairs.tree[cluster, RESTING])


@bare_helper
def best_pair(pairs: Pairs, cluster: int) -> tuple[int, float]:
    """Return the older neighbor whose joining changes entropy most, of equals the oldest, or -1; and the change."""
    while True:
        node, change = _best_node(pairs, cluster)
        if node == NONE:
            return NONE, change
        other = pairs.link[node, OTHER]
        if pairs.link[node, NAME] == pairs.name[other] and pairs.name[other] < pairs.name[cluster]:
            return other, change
        _settle_again(pairs, cluster, node)


@bare_helper
def _best_node(pairs: Pairs, cluster: int) -> tuple[int, float]:
    """Return the best end by what was last seen of its neighbor, and the change.

    A subtree is skipped if no pair of its largest weight and its least mass would do better.
    """
    link, value = pairs.link, pairs.value
    volume, whole = pairs.mass[cluster], pairs.volume[0]
    best, least, oldest = NONE, np.inf, 0
    node = pairs.tree[cluster, ROOT]
    while node != NONE:
        below = NONE
        bound = min(0.0, joining_change(value[node, MOST], volume + value[node, LEAST], whole))
        if bound < least or (bound == least and link[node, OLDEST] < oldest):
            change = joining_change(value[node, RANK], volume + value[node, MASS], whole)
            if change < least or (change == least and link[node, NAME] < oldest):
                best, least, oldest = node, change, link[node, NAME]
            below = link[node, LEFT] if link[node, LEFT] != NONE else link[node, RIGHT]
        node = below if below != NONE else next_subtree(link, node)
    return best, least
