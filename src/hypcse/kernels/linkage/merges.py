"""From merges of clusters, each named by one of its members, to a linkage matrix."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from hypcse.kernels._compile import helper, kernel


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
