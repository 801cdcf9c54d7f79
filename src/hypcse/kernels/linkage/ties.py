"""What makes the tree of a linkage one and the same, in whatever order its merges are found.

Linkages by chains are reducible: any order of merging pairs that are best for both ends gives the same tree, as long as
sums do not depend on their order and ties are broken by a rule that merging does not upset. So weights are cut to few
bits, whose sums float64 holds exactly, and of equally near clusters the one of lower rank is taken: ranks are numbers
of vertices, well mixed, and a cluster has the highest rank of its members.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from hypcse.kernels._compile import kernel
from hypcse.kernels.linkage.merges import find

Merges = tuple[NDArray[np.int64], NDArray[np.int64]]

_DROPPED = 53 - 24
"""Bits of the 53 of a float64 that `shorten` drops: sums of values within a factor of 2**29 of one another are exact,
as far as they stay below 2**53 of the smallest unit among them."""


def shorten(values: NDArray[np.float64]) -> NDArray[np.float64]:
    """Not negative values, rounded to 24 bits, as float32 has them, but over the whole range of float64.

    >>> shorten(np.array([0.1, 3.0, 1e-300])).tolist()
    [0.10000000149011612, 3.0, 9.999999917325623e-301]
    """
    bits = np.array(values, np.float64).view(np.int64)
    bits += 1 << (_DROPPED - 1)
    bits &= -(1 << _DROPPED)
    return bits.view(np.float64)


def first_ranks(n_vertices: int) -> NDArray[np.int64]:
    """The rank of each vertex by itself: all different, and like drawn at random.

    Neighbours are often numbered one after the other. Were ranks in that order too, then ties would make one long
    chain of waits out of a grid, and nothing could be merged side by side.

    >>> first_ranks(3).tolist()
    [-2147483648, -783406921, -1326136570]
    """
    mixed = np.arange(n_vertices, dtype=np.uint32)
    # The last steps of MurmurHash3: each can be undone, so no two ranks are equal.
    for shift, factor in ((16, 0x85EBCA6B), (13, 0xC2B2AE35), (16, 1)):
        mixed ^= mixed >> np.uint32(shift)
        mixed *= np.uint32(factor)
    return mixed.astype(np.int64) - 2**31


def order_merges(first: NDArray[np.int64], second: NDArray[np.int64], n_vertices: int) -> Merges:
    """The same merges in the one order of their sizes, then of their least members, by which clusters are named.

    The merges that make a cluster come before it, as they must in the order given. O(n log n).
    """
    size, one, other = _name_merges(first, second, n_vertices)
    # Clusters of one size are disjoint, so that their least members differ.
    order = np.lexsort((one, size))
    return one[order], other[order]


@kernel
def _name_merges(
    first: NDArray[np.int64], second: NDArray[np.int64], n_vertices: int
) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.int64]]:
    """The size of what each merge makes, and the least members of its two clusters, the lesser first."""
    root, size = np.arange(n_vertices), np.ones(n_vertices, np.int64)
    made, one, other = np.empty(first.size, np.int64), np.empty(first.size, np.int64), np.empty(first.size, np.int64)
    for k in range(first.size):
        # A cluster is its own least member.
        a, b = find(root, first[k]), find(root, second[k])
        one[k], other[k] = min(a, b), max(a, b)
        root[other[k]] = one[k]
        size[one[k]] += size[other[k]]
        made[k] = size[one[k]]
    return made, one, other
