"""The nearest of many neighbours, without looking at them all.

To fold and scan the adjacency list of a cluster costs its degree at every visit: a vertex with d neighbours that takes
them up one by one costs d^2. Where lists have cost too much, what is left of the graph is laid out as pairs in search
trees. A merge then costs the degree of the smaller cluster, and a visit about O(log d).

Masses that have grown since a pair was last looked at make it worse than its node says, never better: a pair is only
looked at again when it comes up as the best.
"""

from __future__ import annotations

import numpy as np

from hypcse.kernels.compile import bare_helper, kernel
from hypcse.kernels.linkage.adjacency import (
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
    Ids,
    Pairs,
    Pool,
    Reals,
    find_end,
    fold_segments,
    make_pairs,
    note_pair,
)
from hypcse.kernels.linkage.order import fell, first_of, next_subtree, plant, uproot

# Entries scanned in lists, as a multiple of vertices and entries, after which search trees take over. Graphs of nearest
# neighbours take 3 to 20.
PATIENCE = 64
# The rank of a pair that is left to the other cluster.
_AT_REST = -1.0


def pairs_of_lists(pool: Pool, root: Ids, place: Ids, mass: Reals, name: Ids, whole: float) -> Pairs:
    """The pairs of all clusters that are their own `root`; what `Pairs` says of mass, name and whole."""
    pairs = make_pairs(_fold_all(pool, root, place), mass, name, whole)
    _add_all(pairs, pool, root)
    return pairs


@kernel
def _fold_all(pool: Pool, root: Ids, place: Ids) -> int:
    """Fold the lists of all clusters; how many pairs there are."""
    n_pairs = 0
    for cluster in range(root.size):
        if root[cluster] == cluster:
            begin, end = fold_segments(pool, cluster, root, place)
            for k in range(begin, end):
                n_pairs += pool.vertex[k] > cluster
    return n_pairs


@kernel
def _add_all(pairs: Pairs, pool: Pool, root: Ids) -> None:
    pair = 0
    for cluster in range(root.size):
        if root[cluster] == cluster:
            for k in range(pool.start[cluster], pool.start[cluster] + pool.length[cluster]):
                if pool.vertex[k] > cluster:
                    _add_pair(pairs, pair, cluster, pool.vertex[k], pool.weight[k])
                    pair += 1


@bare_helper
def _add_pair(pairs: Pairs, pair: int, one: int, other: int, weight: float) -> None:
    end, twin = 2 * pair, 2 * pair + 1
    pairs.link[end, OTHER], pairs.link[twin, OTHER] = other, one
    pairs.value[end, WEIGHT] = pairs.value[twin, WEIGHT] = weight
    note_pair(pairs, pair)
    _settle(pairs, one, end)
    _settle(pairs, other, twin)
    pairs.tree[one, DEGREE] += 1
    pairs.tree[other, DEGREE] += 1


@bare_helper
def _settle(pairs: Pairs, cluster: int, end: int) -> None:
    """Put an end where its weight and its neighbour's mass and name put it now."""
    other, weight = pairs.link[end, OTHER], pairs.value[end, WEIGHT]
    mass = pairs.mass[other]
    pairs.link[end, NAME] = pairs.name[other]
    if pairs.whole[0] == 0.0:
        pairs.value[end, RANK], pairs.value[end, MASS] = weight / mass, 0.0
    elif pairs.name[other] < pairs.name[cluster]:
        pairs.value[end, RANK], pairs.value[end, MASS] = weight, mass
    else:
        _lay_to_rest(pairs, cluster, end)
        return
    plant(pairs.link, pairs.value, pairs.tree, cluster, end)


@bare_helper
def _lay_to_rest(pairs: Pairs, cluster: int, end: int) -> None:
    """Leave a pair to the other cluster, which is younger."""
    first = pairs.tree[cluster, RESTING]
    pairs.value[end, RANK] = _AT_REST
    pairs.link[end, LEFT], pairs.link[end, RIGHT] = NONE, first
    if first != NONE:
        pairs.link[first, LEFT] = end
    pairs.tree[cluster, RESTING] = end


@bare_helper
def _lift(pairs: Pairs, cluster: int, end: int) -> None:
    """Take an end out of the tree of a cluster, or from those at rest."""
    if pairs.value[end, RANK] != _AT_REST:
        uproot(pairs.link, pairs.value, pairs.tree, cluster, end)
        return
    before, after = pairs.link[end, LEFT], pairs.link[end, RIGHT]
    if before == NONE:
        pairs.tree[cluster, RESTING] = after
    else:
        pairs.link[before, RIGHT] = after
    if after != NONE:
        pairs.link[after, LEFT] = before


@bare_helper
def _settle_again(pairs: Pairs, cluster: int, end: int) -> None:
    _lift(pairs, cluster, end)
    _settle(pairs, cluster, end)


@bare_helper
def join_pairs(pairs: Pairs, keeper: int, gone: int) -> None:
    """Give the pairs of one cluster to another, which has its new mass and name. O(d log n) for d pairs given."""
    end = find_end(pairs, keeper, gone)
    _lift(pairs, keeper, end)
    _lift(pairs, gone, end ^ 1)
    pairs.link[end, OTHER] = pairs.link[end ^ 1, OTHER] = NONE
    pairs.tree[keeper, DEGREE] -= 1
    node = pairs.tree[gone, ROOT]
    while node != NONE:
        end, node = fell(pairs.link, pairs.tree, gone, node)
        _give_pair(pairs, keeper, end)
    while pairs.tree[gone, RESTING] != NONE:
        end = pairs.tree[gone, RESTING]
        _lift(pairs, gone, end)
        _give_pair(pairs, keeper, end)


@bare_helper
def _give_pair(pairs: Pairs, keeper: int, end: int) -> None:
    """Give an end that is in no tree to a cluster, where its weight is added to that of a pair that is there."""
    twin, other = end ^ 1, pairs.link[end, OTHER]
    kept = find_end(pairs, keeper, other)
    if kept == NONE:
        pairs.link[twin, OTHER] = keeper
        note_pair(pairs, end >> 1)
        _settle(pairs, keeper, end)
        pairs.tree[keeper, DEGREE] += 1
        return
    _lift(pairs, other, twin)
    pairs.tree[other, DEGREE] -= 1
    pairs.link[end, OTHER] = pairs.link[twin, OTHER] = NONE
    weight = pairs.value[kept, WEIGHT] + pairs.value[end, WEIGHT]
    pairs.value[kept, WEIGHT] = pairs.value[kept ^ 1, WEIGHT] = weight
    _settle_again(pairs, keeper, kept)
    _settle_again(pairs, other, kept ^ 1)


@bare_helper
def nearest_pair(pairs: Pairs, cluster: int) -> int:
    """The neighbour with the largest weight over mass; the smaller name wins ties; -1 if none."""
    while True:
        node = first_of(pairs.link, pairs.tree, cluster)
        if node == NONE:
            return NONE
        other = pairs.link[node, OTHER]
        closeness = pairs.value[node, WEIGHT] / pairs.mass[other]
        if closeness == pairs.value[node, RANK] and pairs.link[node, NAME] == pairs.name[other]:
            return other
        _settle_again(pairs, cluster, node)


@bare_helper
def joining_change(weight: float, volume: float, whole: float) -> float:
    """The change of entropy, times V, when two children of the root are joined to one of this volume."""
    return 2 * weight * np.log2(volume / whole)


@bare_helper
def wake_pairs(pairs: Pairs, cluster: int) -> None:
    """Take back the pairs that were left to younger neighbours: the cluster has become the youngest."""
    while pairs.tree[cluster, RESTING] != NONE:
        _settle_again(pairs, cluster, pairs.tree[cluster, RESTING])


@bare_helper
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


@bare_helper
def _search(pairs: Pairs, cluster: int) -> tuple[int, float]:
    """The best end by what was last seen of its neighbour, and the change.

    A subtree is passed over where no pair of its largest weight and its least mass would do better.
    """
    link, value = pairs.link, pairs.value
    volume, whole = pairs.mass[cluster], pairs.whole[0]
    best, change, oldest = NONE, np.inf, 0
    node = pairs.tree[cluster, ROOT]
    while node != NONE:
        below = NONE
        bound = min(0.0, joining_change(value[node, MOST], volume + value[node, LEAST], whole))
        if bound < change or (bound == change and link[node, OLDEST] < oldest):
            found = joining_change(value[node, RANK], volume + value[node, MASS], whole)
            if found < change or (found == change and link[node, NAME] < oldest):
                best, change, oldest = node, found, link[node, NAME]
            below = link[node, LEFT] if link[node, LEFT] != NONE else link[node, RIGHT]
        node = below if below != NONE else next_subtree(link, node)
    return best, change
