"""Pairs of adjacent clusters, each found by its two ends in O(1)."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from hypcse.kernels._compile import helper

Ids = NDArray[np.int64]
Reals = NDArray[np.float64]

NONE = -1
# Columns of `link`: the cluster at the other end; the place in the search tree of `order.py`; the name by which ties
# are settled, as it was when last looked at; the least name of the subtree.
OTHER, UP, LEFT, RIGHT, NAME, OLDEST = 0, 1, 2, 3, 4, 5
# Columns of `value`: the weight of the pair; what it is ordered by, as it was when last looked at; the largest rank and
# the least mass of the subtree.
WEIGHT, RANK, MASS, MOST, LEAST = 0, 1, 2, 3, 4
_SPREAD = 0x1E3779B97F4A7C15


class Pairs(NamedTuple):
    """All pairs of adjacent clusters. Pair p has two ends, 2 p and 2 p + 1, each in the search tree of its cluster.

    link (2 m, 6), value (2 m, 5) : what is known of an end, side by side.
    key, pair (size,)             : a table with open addressing: the two clusters in one number, and their pair.
    used (1,)                     : how many places of the table are taken.
    root, degree (n,)             : the root of the search tree of each cluster, and its number of neighbours.
    mass, name (n,)               : of each cluster; the linkage keeps them.
    whole (1,)                    : the volume of the graph where pairs are ordered for what joining them gains, or 0
                                    where they are ordered by weight over mass.
    """

    link: NDArray[np.int32]
    value: Reals
    key: Ids
    pair: NDArray[np.int32]
    used: Ids
    root: Ids
    degree: Ids
    mass: Reals
    name: Ids
    whole: Reals


@helper
def make_pairs(n_pairs: int, mass: Reals, name: Ids, whole: float) -> Pairs:
    """Room for so many pairs; no search trees yet."""
    size = 8
    while size < 3 * n_pairs:
        size *= 2
    n = mass.size
    return Pairs(
        np.full((2 * n_pairs, 6), NONE, np.int32),
        np.zeros((2 * n_pairs, 5)),
        np.full(size, NONE, np.int64),
        np.empty(size, np.int32),
        np.zeros(1, np.int64),
        np.full(n, NONE, np.int64),
        np.zeros(n, np.int64),
        mass,
        name,
        np.full(1, whole),
    )


@helper
def _place(pairs: Pairs, one: int, other: int) -> tuple[int, int]:
    """The number of two clusters, and where it is in the table or would be."""
    key = min(one, other) * pairs.root.size + max(one, other)
    mask = pairs.key.size - 1
    spread = key * _SPREAD
    place = (spread ^ (spread >> 32)) & mask
    while pairs.key[place] != key and pairs.key[place] != NONE:
        place = (place + 1) & mask
    return key, place


@helper
def find_end(pairs: Pairs, one: int, other: int) -> int:
    """The end of a pair that is in the search tree of `one`, NONE where they are not adjacent."""
    key, place = _place(pairs, one, other)
    if pairs.key[place] == NONE:
        return NONE
    end = 2 * pairs.pair[place]
    return end if pairs.link[end, OTHER] == other else end + 1


@helper
def note_pair(pairs: Pairs, pair: int) -> None:
    """Enter a pair, whose ends are set, into the table.

    Nothing is ever taken out: of a pair that is gone one cluster is, too, and nobody asks for it again. A table that
    has filled up is written anew.
    """
    if 4 * (pairs.used[0] + 1) > 3 * pairs.key.size:
        for place in range(pairs.key.size):
            pairs.key[place] = NONE
        pairs.used[0] = 0
        for k in range(pairs.link.shape[0] // 2):
            if k != pair and pairs.link[2 * k, OTHER] != NONE:
                _enter(pairs, k)
    _enter(pairs, pair)


@helper
def _enter(pairs: Pairs, pair: int) -> None:
    key, place = _place(pairs, pairs.link[2 * pair + 1, OTHER], pairs.link[2 * pair, OTHER])
    pairs.key[place], pairs.pair[place] = key, pair
    pairs.used[0] += 1
