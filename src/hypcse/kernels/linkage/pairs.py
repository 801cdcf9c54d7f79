"""Pairs of adjacent clusters: a table that finds a pair by its clusters, and a search tree of pairs for each cluster.

A search tree has the largest rank first, then the least mass, then the least name. It is a treap: a node's priority,
spread by its number, is above those below it, so that about O(log d) of d nodes lie on the way to any of them. Nodes
know what is above them, and no walk recurses.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from hypcse.kernels.arrays import Ids, Reals, ShortIds
from hypcse.kernels.compile import bare_helper

NONE = -1
# Columns of `value`: the weight of the pair; its rank and the other cluster's mass when last looked at; the largest
# rank and the least mass of the subtree.
WEIGHT, RANK, MASS, MOST, LEAST = 0, 1, 2, 3, 4
# Columns of `link`, which lie behind those: the cluster at the other end; the place in the search tree; the other
# cluster's name when last looked at; the least name of the subtree.
OTHER, UP, LEFT, RIGHT, NAME, OLDEST = 10, 11, 12, 13, 14, 15
# Columns of `tree`: the root of a cluster's search tree; the first of its ends at rest, linked by LEFT and RIGHT; its
# number of neighbors.
ROOT, RESTING, DEGREE = 0, 1, 2
# Columns of `table`.
_KEY, _PAIR = 0, 1
_LINE = 64
_SPREAD = 0x1E3779B97F4A7C15


class Pairs(NamedTuple):
    """All pairs of adjacent clusters. Pair p has two ends, 2 p and 2 p + 1, one in the search tree of each cluster.

    value, link (2 m, 8 and 16) : the data of an end, in one cache line: two views of the same memory.
    table (size, 2)             : open addressing: the two clusters of a pair as one number, and the pair.
    used (1,)                   : number of places of the table that are taken.
    tree (n, 3)                 : the data of a cluster.
    mass, name (n,)             : of each cluster; the linkage updates them.
    volume (1,)                 : that of the graph if pairs are ordered by the entropy that joining them saves, 0 if
                                  by weight over mass.
    """

    value: Reals
    link: ShortIds
    table: Ids
    used: Ids
    tree: Ids
    mass: Reals
    name: Ids
    volume: Reals


def make_pairs(n_pairs: int, mass: Reals, name: Ids, volume: float) -> Pairs:
    """Return room for pairs, of which none is there yet."""
    room = np.empty((2 * n_pairs + 1) * _LINE // 8)
    begin = -room.ctypes.data % _LINE // 8
    value = room[begin : begin + 2 * n_pairs * _LINE // 8].reshape(2 * n_pairs, 8)
    tree = np.full((mass.size, 3), NONE)
    tree[:, DEGREE] = 0
    table = np.full((1 << max(3 * n_pairs, 7).bit_length(), 2), NONE)
    return Pairs(value, value.view(np.int32), table, np.zeros(1, np.int64), tree, mass, name, np.array([volume]))


@bare_helper
def _slot(pairs: Pairs, one: int, other: int) -> tuple[int, int]:
    """Return the key of two clusters, and its place in the table or the free one where it belongs."""
    key = min(one, other) * pairs.tree.shape[0] + max(one, other)
    mask = pairs.table.shape[0] - 1
    spread = key * _SPREAD
    slot = (spread ^ (spread >> 32)) & mask
    while pairs.table[slot, _KEY] != key and pairs.table[slot, _KEY] != NONE:
        slot = (slot + 1) & mask
    return key, slot


@bare_helper
def find_end(pairs: Pairs, one: int, other: int) -> int:
    """Return the end of a pair that belongs to `one`, NONE if the two are not adjacent."""
    _, slot = _slot(pairs, one, other)
    if pairs.table[slot, _KEY] == NONE:
        return NONE
    end = 2 * pairs.table[slot, _PAIR]
    return end if pairs.link[end, OTHER] == other else end + 1


@bare_helper
def enter_pair(pairs: Pairs, pair: int) -> None:
    """Enter a pair, whose ends are set, into the table.

    Nothing is removed: a pair that is gone has lost a cluster, so its key is not looked up again. A table that has
    filled up is written anew.
    """
    size = pairs.table.shape[0]
    if 4 * (pairs.used[0] + 1) > 3 * size:
        for slot in range(size):
            pairs.table[slot, _KEY] = NONE
        pairs.used[0] = 0
        for k in range(pairs.link.shape[0] // 2):
            if k != pair and pairs.link[2 * k, OTHER] != NONE:
                _write(pairs, k)
    _write(pairs, pair)


@bare_helper
def _write(pairs: Pairs, pair: int) -> None:
    key, slot = _slot(pairs, pairs.link[2 * pair + 1, OTHER], pairs.link[2 * pair, OTHER])
    pairs.table[slot, _KEY], pairs.table[slot, _PAIR] = key, pair
    pairs.used[0] += 1


@bare_helper
def _priority(node: int) -> int:
    spread = (node + 1) * _SPREAD
    spread = (spread ^ (spread >> 29)) * _SPREAD
    return spread ^ (spread >> 32)


@bare_helper
def _before(link: ShortIds, value: Reals, a: int, b: int) -> bool:
    if value[a, RANK] != value[b, RANK]:
        return value[a, RANK] > value[b, RANK]
    if value[a, MASS] != value[b, MASS]:
        return value[a, MASS] < value[b, MASS]
    return link[a, NAME] < link[b, NAME]


@bare_helper
def _sum_up(link: ShortIds, value: Reals, node: int) -> bool:
    """Update the sums of a node's subtree from the nodes below it; return whether they change."""
    most, least, oldest = value[node, RANK], value[node, MASS], link[node, NAME]
    left, right = link[node, LEFT], link[node, RIGHT]
    if left != NONE:
        most = value[left, MOST]
        least, oldest = min(least, value[left, LEAST]), min(oldest, link[left, OLDEST])
    if right != NONE:
        least, oldest = min(least, value[right, LEAST]), min(oldest, link[right, OLDEST])
    if value[node, MOST] == most and value[node, LEAST] == least and link[node, OLDEST] == oldest:
        return False
    value[node, MOST], value[node, LEAST], link[node, OLDEST] = most, least, oldest
    return True


@bare_helper
def _sum_up_from(link: ShortIds, value: Reals, node: int, at_least: int) -> None:
    """Update sums from a node upwards: those of the first `at_least` nodes, then as long as they change."""
    while node != NONE:
        at_least -= 1
        if not _sum_up(link, value, node) and at_least <= 0:
            return
        node = link[node, UP]


@bare_helper
def _put_below(link: ShortIds, tree: Ids, cluster: int, above: int, old: int, new: int) -> None:
    """Put a node, or none, in the place of one that is below another node, or is the root."""
    if above == NONE:
        tree[cluster, ROOT] = new
    elif link[above, LEFT] == old:
        link[above, LEFT] = new
    else:
        link[above, RIGHT] = new


@bare_helper
def _rotate(link: ShortIds, value: Reals, tree: Ids, cluster: int, node: int) -> None:
    """Move a node above its parent. The sums of the node itself are left to do."""
    below = link[node, UP]
    side, far = (LEFT, RIGHT) if link[below, LEFT] == node else (RIGHT, LEFT)
    moved, above = link[node, far], link[below, UP]
    _put_below(link, tree, cluster, above, below, node)
    link[below, side], link[node, far] = moved, below
    link[node, UP], link[below, UP] = above, node
    if moved != NONE:
        link[moved, UP] = below
    _sum_up(link, value, below)


@bare_helper
def insert_node(link: ShortIds, value: Reals, tree: Ids, cluster: int, node: int) -> None:
    """Put a node, which has its rank, mass and name, into the tree of a cluster. O(log d)."""
    above, below, side = NONE, tree[cluster, ROOT], LEFT
    while below != NONE:
        above = below
        side = LEFT if _before(link, value, node, above) else RIGHT
        below = link[above, side]
    link[node, UP], link[node, LEFT], link[node, RIGHT] = above, NONE, NONE
    if above == NONE:
        tree[cluster, ROOT] = node
    else:
        link[above, side] = node
    _sum_up(link, value, node)
    while link[node, UP] != NONE and _priority(node) > _priority(link[node, UP]):
        _rotate(link, value, tree, cluster, node)
    _sum_up_from(link, value, node, 2)


@bare_helper
def remove_node(link: ShortIds, value: Reals, tree: Ids, cluster: int, node: int) -> None:
    """Take a node out of the tree of a cluster. O(log d)."""
    rotations = 0
    while link[node, LEFT] != NONE or link[node, RIGHT] != NONE:
        rotations += 1
        left, right = link[node, LEFT], link[node, RIGHT]
        promote_left = right == NONE or (left != NONE and _priority(left) > _priority(right))
        _rotate(link, value, tree, cluster, left if promote_left else right)
    _put_below(link, tree, cluster, link[node, UP], node, NONE)
    _sum_up_from(link, value, link[node, UP], rotations + 1)


@bare_helper
def remove_leaf(link: ShortIds, tree: Ids, cluster: int, node: int) -> tuple[int, int]:
    """Take a node with nothing below it out of the subtree of `node` in a tree that is to be emptied, without sums.

    Returns that node, and the one to go on from, NONE at the end. O(1) on average over all nodes.
    """
    while link[node, LEFT] != NONE or link[node, RIGHT] != NONE:
        node = link[node, LEFT] if link[node, LEFT] != NONE else link[node, RIGHT]
    _put_below(link, tree, cluster, link[node, UP], node, NONE)
    return node, link[node, UP]


@bare_helper
def first_node(link: ShortIds, tree: Ids, cluster: int) -> int:
    """Return the first node of a tree, NONE if it is empty."""
    node = tree[cluster, ROOT]
    while node != NONE and link[node, LEFT] != NONE:
        node = link[node, LEFT]
    return node


@bare_helper
def next_subtree(link: ShortIds, node: int) -> int:
    """Return where a walk in pre-order, left before right, goes on after the subtree of a node."""
    above = link[node, UP]
    while above != NONE:
        if link[above, LEFT] == node and link[above, RIGHT] != NONE:
            return link[above, RIGHT]
        node, above = above, link[above, UP]
    return NONE
