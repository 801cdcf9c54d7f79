"""From merges of clusters, each named by one of its members, to a linkage matrix."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from hypcse.kernels.compile import helper, kernel


@helper
def find(root: NDArray[np.int64], member: int) -> int:
    """Representative of a member's set, halving the path on the way."""
    while root[member] != member:
        root[member] = root[root[member]]
        member = root[member]
    return member


@kernel
def _linkage_rows(
    first: NDArray[np.int64], second: NDArray[np.int64], height: NDArray[np.float64]
) -> NDArray[np.float64]:
    n_merges = first.size
    root = np.arange(2 * n_merges + 1)
    size = np.ones(2 * n_merges + 1)
    Z = np.empty((n_merges, 4))
    for row in range(n_merges):
        a, b = find(root, first[row]), find(root, second[row])
        made = n_merges + 1 + row
        root[a] = root[b] = made
        size[made] = size[a] + size[b]
        Z[row, 0], Z[row, 1] = min(a, b), max(a, b)
        Z[row, 2], Z[row, 3] = height[row], size[made]
    return Z


def number_merges(
    first: NDArray[np.int64], second: NDArray[np.int64], height: NDArray[np.float64]
) -> NDArray[np.float64]:
    """The linkage matrix of n - 1 merges, lowest first; equal heights keep their order. O(n log n)."""
    order = np.argsort(height, kind="stable")
    return _linkage_rows(first[order], second[order], height[order])


@kernel
def merge_parents(first: NDArray[np.int64], second: NDArray[np.int64], n_leaves: int) -> NDArray[np.int64]:
    """Parents of the forest in which merge k makes node n + k; -1 at its roots. O(n)."""
    n_nodes = n_leaves + first.size
    root = np.arange(n_nodes)
    parent = np.full(n_nodes, -1, np.int64)
    for k in range(first.size):
        made = n_leaves + k
        a, b = find(root, first[k]), find(root, second[k])
        root[a] = root[b] = made
        parent[a] = parent[b] = made
    return parent


def join_roots(parent: NDArray[np.int64], mass: NDArray[np.float64]) -> NDArray[np.int64]:
    """Make one tree of a forest: join the two roots of least mass, ties by id, until one is left. O(n log n)."""
    total = _forest_masses(parent, mass)
    roots = np.flatnonzero(parent < 0)
    # The stable sort of NumPy: numba's own takes a second to compile.
    return _join_sorted_roots(parent, total, roots[np.argsort(total[roots], kind="stable")])


@kernel
def _forest_masses(parent: NDArray[np.int64], mass: NDArray[np.float64]) -> NDArray[np.float64]:
    """The mass of the leaves under each node of a forest, and zeros for as many nodes again."""
    total = np.zeros(2 * parent.size)
    for leaf in range(mass.size):
        total[leaf] = mass[leaf]
    for node in range(parent.size):
        if parent[node] >= 0:
            total[parent[node]] += total[node]
    return total


@kernel
def _join_sorted_roots(
    parent: NDArray[np.int64], total: NDArray[np.float64], roots: NDArray[np.int64]
) -> NDArray[np.int64]:
    """Parents with the roots joined, which come sorted by mass.

    Sorted roots in one queue and new ones, whose masses grow as they are made, in another.
    """
    n_nodes = parent.size
    out = np.full(n_nodes + roots.size - 1, -1, np.int64)
    for node in range(n_nodes):
        out[node] = parent[node]
    taken, oldest = 0, n_nodes
    for made in range(n_nodes, out.size):
        for _ in range(2):
            from_roots = taken < roots.size and (oldest == made or total[roots[taken]] <= total[oldest])
            node = roots[taken] if from_roots else oldest
            if from_roots:
                taken += 1
            else:
                oldest += 1
            out[node] = made
            total[made] += total[node]
    return out


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
