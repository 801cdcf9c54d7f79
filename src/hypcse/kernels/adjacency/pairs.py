"""Pairs of a hub and a neighbour, found by their two names in O(1)."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from hypcse.kernels._compile import helper

Ids = NDArray[np.int64]
Reals = NDArray[np.float64]

NONE = -1
_SPREAD = 0x1E3779B97F4A7C15


class Pairs(NamedTuple):
    """Pairs, each a node of its hub's search tree (`order.py`), and a table with open addressing that finds them.

    key, node (size,)           : the table: hub * n + other, NONE where empty, and the node. Half of it stays empty.
    other, weight (size / 2,)   : of each node: the neighbour, and how much lies between it and the hub.
    rank, mass, name            : by which it is ordered, as they were when last looked at.
    left, right                 : the nodes below it, NONE where there are none. `left` also links free nodes.
    most, least, oldest         : of its subtree, the largest rank, the least mass and the least name.
    counts (3,)                 : nodes ever used, the first free one, and the number of pairs.
    """

    key: Ids
    node: Ids
    other: Ids
    weight: Reals
    rank: Reals
    mass: Reals
    name: Ids
    left: Ids
    right: Ids
    most: Reals
    least: Reals
    oldest: Ids
    counts: Ids


@helper
def make_pairs(size: int) -> Pairs:
    """No pairs, with room for half of `size`, a power of two."""
    half = size // 2
    counts = np.zeros(3, np.int64)
    counts[1] = NONE
    return Pairs(
        np.full(size, NONE, np.int64),
        np.empty(size, np.int64),
        np.empty(half, np.int64),
        np.empty(half),
        np.empty(half),
        np.empty(half),
        np.empty(half, np.int64),
        np.empty(half, np.int64),
        np.empty(half, np.int64),
        np.empty(half),
        np.empty(half),
        np.empty(half, np.int64),
        counts,
    )


@helper
def lacks_room(pairs: Pairs, more: int) -> bool:
    """Whether so many more pairs would not fit."""
    return 2 * (pairs.counts[2] + more) > pairs.key.size


@helper
def with_room(pairs: Pairs, more: int) -> Pairs:
    """The same pairs, in larger arrays where so many more would not fit."""
    size = pairs.key.size
    while 2 * (pairs.counts[2] + more) > size:
        size *= 2
    if size == pairs.key.size:
        return pairs
    grown = make_pairs(size)
    for k in range(pairs.key.size):
        if pairs.key[k] != NONE:
            place = _place(grown, pairs.key[k])
            grown.key[place], grown.node[place] = pairs.key[k], pairs.node[k]
    for k in range(pairs.counts[0]):
        grown.other[k], grown.weight[k] = pairs.other[k], pairs.weight[k]
        grown.rank[k], grown.mass[k], grown.name[k] = pairs.rank[k], pairs.mass[k], pairs.name[k]
        grown.left[k], grown.right[k] = pairs.left[k], pairs.right[k]
        grown.most[k], grown.least[k], grown.oldest[k] = pairs.most[k], pairs.least[k], pairs.oldest[k]
    for k in range(3):
        grown.counts[k] = pairs.counts[k]
    return grown


@helper
def _home(pairs: Pairs, key: int) -> int:
    spread = key * _SPREAD
    return (spread ^ (spread >> 32)) & (pairs.key.size - 1)


@helper
def _place(pairs: Pairs, key: int) -> int:
    """Where a key is in the table, or where it would be."""
    place = _home(pairs, key)
    while pairs.key[place] != key and pairs.key[place] != NONE:
        place = (place + 1) & (pairs.key.size - 1)
    return place


@helper
def find_pair(pairs: Pairs, key: int) -> int:
    """The node of a pair, NONE where there is none."""
    place = _place(pairs, key)
    return pairs.node[place] if pairs.key[place] == key else NONE


@helper
def make_pair(pairs: Pairs, key: int) -> int:
    """A node for a pair that has none yet."""
    node = pairs.counts[1]
    if node == NONE:
        node = pairs.counts[0]
        pairs.counts[0] += 1
    else:
        pairs.counts[1] = pairs.left[node]
    place = _place(pairs, key)
    pairs.key[place], pairs.node[place] = key, node
    pairs.counts[2] += 1
    return node


@helper
def drop_pair(pairs: Pairs, key: int) -> None:
    """Forget a pair that is there; its node is free again.

    What follows in the table moves up, so that nothing comes to lie behind an empty place.
    """
    mask = pairs.key.size - 1
    place = _place(pairs, key)
    node = pairs.node[place]
    after = (place + 1) & mask
    while pairs.key[after] != NONE:
        home = _home(pairs, pairs.key[after])
        if ((after - home) & mask) >= ((after - place) & mask):
            pairs.key[place], pairs.node[place] = pairs.key[after], pairs.node[after]
            place = after
        after = (after + 1) & mask
    pairs.key[place] = NONE
    pairs.left[node] = pairs.counts[1]
    pairs.counts[1] = node
    pairs.counts[2] -= 1
