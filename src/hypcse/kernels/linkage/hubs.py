"""The nearest of many neighbors, without looking at them all: pairs of adjacent clusters in heaps.

A vertex with d neighbors that takes them up one by one costs d^2 in lists. Here a table finds a pair by its clusters,
and each cluster has a heap of its pairs: the largest rank first, then the least mass, then the least name. A merge
costs the degree of the smaller cluster, a visit about O(log d). Masses that have grown since a pair was last looked at
make it worse, never better: it is only looked at again when it comes up as the best.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from hypcse.kernels.arrays import Ids, Reals
from hypcse.kernels.compile import bare_helper, kernel
from hypcse.kernels.linkage.adjacency import Clusters, fold_segments

# Entries scanned in lists, as a multiple of vertices and entries, after which heaps take over. Graphs of nearest
# neighbors take 3 to 20.
PATIENCE = 64
NONE = -1
# The two heaps of a cluster: pairs that it looks at, and those that are left to a younger neighbor; the rank of these.
ACTIVE, RESTING = 0, 1
AT_REST = -1.0
_SPREAD = 0x1E3779B97F4A7C15

# One end of a pair, as long as a cache line: its weight; its rank, and the other cluster's mass and name, when last
# looked at; the largest rank below its own and the least mass in the heap under it, or what they were before others
# left; the other cluster; its place in the heap.
END = np.dtype(
    [(name, np.float64) for name in ("weight", "rank", "mass", "lower", "least")]
    + [(name, np.int32) for name in ("name", "other", "up", "left", "right")],
    align=True,
)
Ends = NDArray[Any]


class Pairs(NamedTuple):
    """All pairs of adjacent clusters. Pair p has two ends, 2 p and 2 p + 1, one in a heap of each cluster.

    ends (2 m,)     : records of `END`.
    table (size, 2) : open addressing: the two clusters of a pair as one number, and the pair.
    used (1,)       : number of places of the table that are taken.
    heap (n, 2)     : the tops of the two heaps of each cluster.
    degree (n,)     : the number of its neighbors.
    mass, name (n,) : of each cluster; the linkage updates them.
    volume (1,)     : that of the graph if pairs are ordered by the entropy that joining them saves, 0 if by weight over
                      mass.
    """

    ends: Ends
    table: Ids
    used: Ids
    heap: Ids
    degree: Ids
    mass: Reals
    name: Ids
    volume: Reals


def pairs_of_lists(at: Clusters, volume: float) -> Pairs:
    """Return the pairs of all clusters; see `Pairs` for `volume`."""
    n, n_pairs = at.mass.size, _fold_all(at)
    table = np.full((1 << max(3 * n_pairs, 7).bit_length(), 2), NONE)
    heap, degree = np.full((n, 2), NONE), np.zeros(n, np.int64)
    ends, used = np.zeros(2 * n_pairs, END), np.zeros(1, np.int64)
    pairs = Pairs(ends, table, used, heap, degree, at.mass, at.name, np.array([volume]))
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
                pairs.ends[end].other, pairs.ends[end + 1].other = other, cluster
                pairs.ends[end].weight = pairs.ends[end + 1].weight = pool.weight[k]
                _enter(pairs, end >> 1)
                _insert(pairs, cluster, end)
                _insert(pairs, other, end + 1)
                end += 2


@bare_helper
def _slot(pairs: Pairs, one: int, other: int) -> tuple[int, int]:
    """Return the key of two clusters, and its place in the table or the free one where it belongs."""
    key = min(one, other) * pairs.degree.size + max(one, other)
    mask = pairs.table.shape[0] - 1
    spread = key * _SPREAD
    slot = (spread ^ (spread >> 32)) & mask
    while pairs.table[slot, 0] != key and pairs.table[slot, 0] != NONE:
        slot = (slot + 1) & mask
    return key, slot


@bare_helper
def _find_end(pairs: Pairs, one: int, other: int) -> int:
    """Return the end of a pair that belongs to `one`, NONE if the two are not adjacent."""
    _, slot = _slot(pairs, one, other)
    if pairs.table[slot, 0] == NONE:
        return NONE
    end = 2 * pairs.table[slot, 1]
    return end if pairs.ends[end].other == other else end + 1


@bare_helper
def _enter(pairs: Pairs, pair: int) -> None:
    """Enter a pair, whose ends are set, into the table; one that has filled up with pairs long gone is written anew."""
    size = pairs.table.shape[0]
    if 4 * (pairs.used[0] + 1) > 3 * size:
        for slot in range(size):
            pairs.table[slot, 0] = NONE
        pairs.used[0] = 0
        for k in range(pairs.ends.size // 2):
            if k != pair and pairs.ends[2 * k].other != NONE:
                _write(pairs, k)
    _write(pairs, pair)


@bare_helper
def _write(pairs: Pairs, pair: int) -> None:
    key, slot = _slot(pairs, pairs.ends[2 * pair + 1].other, pairs.ends[2 * pair].other)
    pairs.table[slot, 0], pairs.table[slot, 1] = key, pair
    pairs.used[0] += 1


@bare_helper
def _before(ends: Ends, a: int, b: int) -> bool:
    if ends[a].rank != ends[b].rank:
        return ends[a].rank > ends[b].rank
    if ends[a].mass != ends[b].mass:
        return ends[a].mass < ends[b].mass
    return ends[a].name < ends[b].name


@bare_helper
def _meld(ends: Ends, top: int, other: int) -> int:
    """Make one skew heap of two; return its top, the place of which is left to set. Amortized O(log d)."""
    if top == NONE or other == NONE:
        return max(top, other)
    if _before(ends, other, top):
        top, other = other, top
    above = top
    while other != NONE:
        # Children change sides on the way, which keeps it short.
        right, ends[above].right = ends[above].right, ends[above].left
        _sum_up(ends, above, other)
        if right != NONE and _before(ends, right, other):
            right, other = other, right
        ends[above].left, ends[other].up = other, above
        above, other = other, right
    return top


@bare_helper
def _sum_up(ends: Ends, above: int, below: int) -> None:
    """Let an end know of another one under it."""
    lower = ends[below].rank if ends[below].rank < ends[above].rank else ends[below].lower
    ends[above].lower = max(ends[above].lower, lower)
    ends[above].least = min(ends[above].least, ends[below].least)


@bare_helper
def _set_alone(ends: Ends, end: int) -> None:
    """Let an end know of none under it."""
    ends[end].lower, ends[end].least = AT_REST, ends[end].mass


@bare_helper
def _settle(pairs: Pairs, cluster: int, end: int) -> None:
    """Put an end where its weight and its neighbor's present mass and name put it: at rest if that is younger."""
    ends, other, weight = pairs.ends, pairs.ends[end].other, pairs.ends[end].weight
    side, rank, mass = ACTIVE, weight, pairs.mass[other]
    if pairs.volume[0] == 0.0:
        rank, mass = weight / mass, 0.0
    elif pairs.name[other] > pairs.name[cluster]:
        side, rank = RESTING, AT_REST
    ends[end].rank, ends[end].mass, ends[end].name = rank, mass, pairs.name[other]
    ends[end].left = ends[end].right = NONE
    _set_alone(ends, end)
    top = _meld(ends, end, pairs.heap[cluster, side])
    ends[top].up = NONE
    pairs.heap[cluster, side] = top


@bare_helper
def _lift(pairs: Pairs, cluster: int, end: int) -> None:
    """Take an end out of its heap."""
    ends, above = pairs.ends, pairs.ends[end].up
    below = _meld(ends, ends[end].left, ends[end].right)
    if below != NONE:
        ends[below].up = above
    if above == NONE:
        pairs.heap[cluster, ACTIVE if ends[end].rank != AT_REST else RESTING] = below
    elif ends[above].left == end:
        ends[above].left = below
    else:
        ends[above].right = below


@bare_helper
def _insert(pairs: Pairs, cluster: int, end: int) -> None:
    _settle(pairs, cluster, end)
    pairs.degree[cluster] += 1


@bare_helper
def _remove(pairs: Pairs, cluster: int, end: int) -> None:
    _lift(pairs, cluster, end)
    pairs.degree[cluster] -= 1


@bare_helper
def _settle_again(pairs: Pairs, cluster: int, end: int) -> None:
    _lift(pairs, cluster, end)
    _settle(pairs, cluster, end)


@bare_helper
def join_pairs(pairs: Pairs, keeper: int, gone: int) -> None:
    """Give the pairs of one cluster to another, which has its new mass and name. O(d log n) for d pairs."""
    end = _find_end(pairs, keeper, gone)
    _remove(pairs, keeper, end)
    _remove(pairs, gone, end ^ 1)
    pairs.ends[end].other = pairs.ends[end ^ 1].other = NONE
    for side in (ACTIVE, RESTING):
        while pairs.heap[gone, side] != NONE:
            end = pairs.heap[gone, side]
            _lift(pairs, gone, end)
            _give_pair(pairs, keeper, end)


@bare_helper
def _give_pair(pairs: Pairs, keeper: int, end: int) -> None:
    """Give an end that is in no heap to a cluster; if the cluster has such a pair, add the weight to that."""
    ends, twin, other = pairs.ends, end ^ 1, pairs.ends[end].other
    present = _find_end(pairs, keeper, other)
    if present == NONE:
        ends[twin].other = keeper
        _enter(pairs, end >> 1)
        _insert(pairs, keeper, end)
        return
    _remove(pairs, other, twin)
    ends[end].other = ends[twin].other = NONE
    ends[present].weight += ends[end].weight
    ends[present ^ 1].weight = ends[present].weight
    _settle_again(pairs, keeper, present)
    _settle_again(pairs, other, present ^ 1)


@bare_helper
def nearest_pair(pairs: Pairs, cluster: int) -> int:
    """Return the neighbor with the largest weight over mass, -1 if none; the smaller name wins ties."""
    while True:
        end = pairs.heap[cluster, ACTIVE]
        if end == NONE:
            return NONE
        other = pairs.ends[end].other
        closeness = pairs.ends[end].weight / pairs.mass[other]
        if closeness == pairs.ends[end].rank and pairs.ends[end].name == pairs.name[other]:
            return other
        _settle_again(pairs, cluster, end)


@bare_helper
def joining_change(weight: float, volume: float, whole: float) -> float:
    """Return the change of entropy, times V, when two children of the root are joined to one of this volume."""
    return 2 * weight * np.log2(volume / whole)


@bare_helper
def wake_pairs(pairs: Pairs, cluster: int) -> None:
    """Take back the pairs that were left to younger neighbors, because the cluster has become the youngest."""
    while pairs.heap[cluster, RESTING] != NONE:
        _settle_again(pairs, cluster, pairs.heap[cluster, RESTING])


@bare_helper
def best_pair(pairs: Pairs, cluster: int) -> tuple[int, float]:
    """Return the older neighbor whose joining changes entropy most, of equals the oldest, or -1; and the change."""
    while True:
        end, change = _best_end(pairs, cluster)
        if end == NONE:
            return NONE, change
        other = pairs.ends[end].other
        if pairs.ends[end].name == pairs.name[other] and pairs.name[other] < pairs.name[cluster]:
            return other, change
        _settle_again(pairs, cluster, end)


@bare_helper
def _best_end(pairs: Pairs, cluster: int) -> tuple[int, float]:
    """Return the best end by what was last seen of its neighbor, and the change; skips branches that cannot hold it."""
    ends, volume, whole = pairs.ends, pairs.mass[cluster], pairs.volume[0]
    best, least, oldest = NONE, np.inf, 0
    end = pairs.heap[cluster, ACTIVE]
    while end != NONE:
        change = joining_change(ends[end].rank, volume + ends[end].mass, whole)
        if change < least or (change == least and ends[end].name < oldest):
            best, least, oldest = end, change, ends[end].name
        below = NONE
        if joining_change(ends[end].lower, volume + ends[end].least, whole) <= least:
            # Others may have left.
            _set_alone(ends, end)
            for child in (ends[end].right, ends[end].left):
                if child != NONE:
                    _sum_up(ends, end, child)
                    below = child
        end = below if below != NONE else _next_subtree(ends, end)
    return best, least


@bare_helper
def _next_subtree(ends: Ends, end: int) -> int:
    """Return where a walk in pre-order, left before right, goes on after what is under an end."""
    above = ends[end].up
    while above != NONE:
        if ends[above].left == end and ends[above].right != NONE:
            return int(ends[above].right)
        end, above = above, ends[above].up
    return NONE
