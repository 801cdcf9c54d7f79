"""Sweeps over a parent array in which every child stands before its parent and the root stands last."""

from __future__ import annotations

from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from hypcse.kernels.arrays import Flags, Ids, Reals, ShortIds
from hypcse.kernels.compile import kernel, reading_kernel

Number = TypeVar("Number", np.int64, np.float64)


@reading_kernel
def subtree_sums(parent: Ids, values: Reals) -> Reals:
    """Sum of `values` (one per node) over the subtree of each node. O(n)."""
    total = values.copy()
    for node in range(parent.size - 1):
        total[parent[node]] += total[node]
    return total


@kernel
def layout(parent: Ids, n_leaves: int) -> tuple[Ids, Ids]:
    """Number of leaves under each node, and position of its first leaf, children in the order of their ids. O(n)."""
    n_nodes = parent.size
    size = np.zeros(n_nodes, np.int64)
    size[:n_leaves] = 1
    for node in range(n_nodes - 1):
        size[parent[node]] += size[node]
    start = np.zeros(n_nodes, np.int64)
    free = np.empty(n_nodes, np.int64)
    free[n_nodes - 1] = size[n_nodes - 1]
    for node in range(n_nodes - 2, -1, -1):
        above = parent[node]
        free[above] -= size[node]
        start[node] = free[above]
        free[node] = start[node] + size[node]
    return size, start


@reading_kernel
def lift_heights(parent: Ids, height: Reals) -> Reals:
    """The least heights that are at least these and never fall upwards. O(n)."""
    lifted = height.copy()
    for node in range(parent.size - 1):
        above = parent[node]
        if lifted[above] < lifted[node]:
            lifted[above] = lifted[node]
    return lifted


@kernel
def leaf_labels(parent: Ids, split: Flags, n_leaves: int) -> Ids:
    """Flat labels of a cut, numbered by smallest leaf. O(n).

    `split` marks nodes, with each also its parent; the cluster of a leaf is its highest ancestor that is not marked.
    """
    n_nodes = parent.size
    cluster = np.empty(n_nodes, np.int64)
    for node in range(n_nodes - 1, -1, -1):
        inside = node != n_nodes - 1 and not split[parent[node]]
        cluster[node] = cluster[parent[node]] if inside else node
    number = np.full(n_nodes, -1, np.int64)
    labels = np.empty(n_leaves, np.int64)
    n_labels = 0
    for leaf in range(n_leaves):
        if number[cluster[leaf]] < 0:
            number[cluster[leaf]] = n_labels
            n_labels += 1
        labels[leaf] = number[cluster[leaf]]
    return labels


@reading_kernel
def subtree_minima(parent: Ids, values: NDArray[Number]) -> NDArray[Number]:
    """Smallest value under each node, from one value per leaf. O(n)."""
    n_leaves, largest = values.size, values[0]
    for leaf in range(n_leaves):
        largest = max(largest, values[leaf])
    smallest = np.empty(parent.size, values.dtype)
    for node in range(parent.size):
        smallest[node] = values[node] if node < n_leaves else largest
    for node in range(parent.size - 1):
        above = parent[node]
        smallest[above] = min(smallest[above], smallest[node])
    return smallest


@kernel
def pruned_parents(parent: Ids, selected: Flags) -> Ids:
    """Old ids of the parents in the tree over selected leaves; -2 at nodes that vanish, -1 at the new root. O(n)."""
    n_nodes = parent.size
    n_leaves = selected.size
    filled = np.zeros(n_nodes, np.int64)
    holds = np.zeros(n_nodes, np.bool_)
    for leaf in range(n_leaves):
        holds[leaf] = selected[leaf]
    for node in range(n_nodes - 1):
        if holds[node]:
            holds[parent[node]] = True
            filled[parent[node]] += 1
    above = np.full(n_nodes, -1, np.int64)
    for node in range(n_nodes - 2, -1, -1):
        up = parent[node]
        above[node] = up if filled[up] >= 2 else above[up]
    for node in range(n_nodes):
        if not (selected[node] if node < n_leaves else filled[node] >= 2):
            above[node] = -2
    return above


@kernel
def scatter_weights(target: ShortIds, weights: Reals, n_targets: int) -> Reals:
    """Sum of the weights that name each target, in their order; entries with target -1 are left out."""
    total = np.zeros(n_targets)
    for k in range(target.size):
        if target[k] >= 0:
            total[target[k]] += weights[k]
    return total


@kernel
def children_first(parent: Ids, n_leaves: int) -> Ids:
    """The same tree with internal nodes renumbered so that children come before parents. O(n)."""
    n_nodes = parent.size
    waiting = np.zeros(n_nodes, np.int64)
    for node in range(n_nodes):
        if parent[node] >= 0:
            waiting[parent[node]] += 1
    number = np.arange(n_nodes)
    queue = np.arange(n_nodes)
    n_queued = n_leaves
    for k in range(n_nodes - 1):
        above = parent[queue[k]]
        waiting[above] -= 1
        if waiting[above] == 0:
            number[above] = n_queued
            queue[n_queued] = above
            n_queued += 1
    out = np.full(n_nodes, -1, np.int64)
    for node in range(n_nodes):
        if parent[node] >= 0:
            out[number[node]] = number[parent[node]]
    return out


@kernel
def inherit_values(parent: Ids, values: Ids) -> Ids:
    """The value of each node, or of the nearest node above that has one; -1 stands for none. O(n)."""
    inherited = values.copy()
    for node in range(parent.size - 2, -1, -1):
        if inherited[node] < 0:
            inherited[node] = inherited[parent[node]]
    return inherited


@kernel
def kept_parents(parent: Ids, selected: Flags) -> Ids:
    """The lowest selected node above each node, -1 at the root, which must be selected. O(n)."""
    above = np.full(parent.size, -1, np.int64)
    for node in range(parent.size - 2, -1, -1):
        above[node] = parent[node] if selected[parent[node]] else above[parent[node]]
    return above
