"""Merges of clusters, each named by one of its members: as linkage matrices, as parents, and in one order."""

from __future__ import annotations

import numpy as np

from hypcse.kernels.arrays import Ids, Reals
from hypcse.kernels.compile import kernel
from hypcse.kernels.trees.sweep import subtree_sums
from hypcse.kernels.union_find import find

Merges = tuple[Ids, Ids]

# Bits of the 53 of a float64 that `shorten` drops: sums of values within a factor of 2**29 of one another are exact, as
# long as they stay below 2**53 of the smallest unit among them.
_DROPPED = 53 - 24


def number_merges(first: Ids, second: Ids, height: Reals) -> Reals:
    """Return the linkage matrix of n - 1 merges, lowest first; equal heights keep their order. O(n log n)."""
    order = np.argsort(height, kind="stable")
    parent = merge_parents(first[order], second[order], first.size + 1)
    children = np.argsort(parent[:-1], kind="stable").reshape(-1, 2)
    sizes = subtree_sums(parent, np.ones(first.size + 1))[first.size + 1 :]
    return np.column_stack([children, height[order], sizes])


@kernel
def merge_parents(first: Ids, second: Ids, n_leaves: int) -> Ids:
    """Return the parents of the forest in which merge k makes node n + k; -1 at its roots. O(n)."""
    n_nodes = n_leaves + first.size
    root = np.arange(n_nodes)
    parent = np.full(n_nodes, -1, np.int64)
    for k in range(first.size):
        a, b = find(root, first[k]), find(root, second[k])
        root[a] = root[b] = parent[a] = parent[b] = n_leaves + k
    return parent


def join_roots(parent: Ids, mass: Reals) -> Ids:
    """Make one tree of a forest: join the two roots of least mass, ties by id, until one is left. O(n log n)."""
    roots, n_nodes = np.flatnonzero(parent < 0), parent.size
    # One node above all roots makes a tree of them.
    total = subtree_sums(np.append(np.where(parent < 0, n_nodes, parent), -1), mass)
    total = np.append(total[:-1], np.zeros(n_nodes))
    # The stable sort of NumPy: numba's own takes a second to compile.
    return _join_sorted_roots(parent, total, roots[np.argsort(total[roots], kind="stable")])


@kernel
def _join_sorted_roots(parent: Ids, total: Reals, roots: Ids) -> Ids:
    """Join roots that come sorted by mass: they wait in one queue, new ones, whose masses grow, in another."""
    n_nodes = parent.size
    joined = np.full(n_nodes + roots.size - 1, -1, np.int64)
    for node in range(n_nodes):
        joined[node] = parent[node]
    taken, oldest = 0, n_nodes
    for new in range(n_nodes, joined.size):
        for _ in range(2):
            if taken < roots.size and (oldest == new or total[roots[taken]] <= total[oldest]):
                node = roots[taken]
                taken += 1
            else:
                node = oldest
                oldest += 1
            joined[node] = new
            total[new] += total[node]
    return joined


def shorten(values: Reals) -> Reals:
    """Round values of at least 0 to 24 bits, as float32 has them, but over the whole range of float64."""
    bits = np.array(values, np.float64).view(np.int64)
    bits += 1 << (_DROPPED - 1)
    bits &= -(1 << _DROPPED)
    return bits.view(np.float64)


def first_ranks(n_vertices: int) -> Ids:
    """Return the rank of each vertex by itself: all different, and as if drawn at random."""
    # Ranks in the order of the vertices would make one long chain of waits out of ties in a grid.
    mixed = np.arange(n_vertices, dtype=np.uint32)
    # The last steps of MurmurHash3: each can be undone, so no two ranks are equal.
    for shift, factor in ((16, 0x85EBCA6B), (13, 0xC2B2AE35), (16, 1)):
        mixed ^= mixed >> np.uint32(shift)
        mixed *= np.uint32(factor)
    return mixed.astype(np.int64) - 2**31


def order_merges(first: Ids, second: Ids, n_vertices: int) -> Merges:
    """Sort merges, parts first, by size, then by their least members, which then name the clusters. O(n log n)."""
    size, one, other = _name_merges(first, second, n_vertices)
    # Clusters of one size are disjoint, so that their least members differ.
    order = np.lexsort((one, size))
    return one[order], other[order]


@kernel
def _name_merges(first: Ids, second: Ids, n_vertices: int) -> tuple[Ids, Ids, Ids]:
    """Return the size of what each merge makes, and the least members of its two clusters, the lesser first."""
    root, size = np.arange(n_vertices), np.ones(n_vertices, np.int64)
    merged, one, other = np.empty(first.size, np.int64), np.empty(first.size, np.int64), np.empty(first.size, np.int64)
    for k in range(first.size):
        # A cluster is its own least member.
        a, b = find(root, first[k]), find(root, second[k])
        one[k], other[k] = min(a, b), max(a, b)
        root[other[k]] = one[k]
        size[one[k]] += size[other[k]]
        merged[k] = size[one[k]]
    return merged, one, other
