"""From merges of clusters, each named by one of its members, to a linkage matrix."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from hypcse.kernels._compile import kernel


@kernel
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


@kernel
def join_components(parent: NDArray[np.int64], mass: NDArray[np.float64]) -> NDArray[np.int64]:
    """Make one tree of a forest: join the two roots of least mass, ties by id, until one is left.

    Sorted roots in one queue and new ones, whose masses grow as they are made, in another: O(n log n) for the sort.
    """
    n_nodes = parent.size
    total = np.zeros(2 * n_nodes)
    total[: mass.size] = mass
    for node in range(n_nodes):
        if parent[node] >= 0:
            total[parent[node]] += total[node]
    roots = np.flatnonzero(parent < 0)
    roots = roots[np.argsort(total[roots], kind="mergesort")]
    out = np.full(n_nodes + roots.size - 1, -1, np.int64)
    out[:n_nodes] = parent
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
