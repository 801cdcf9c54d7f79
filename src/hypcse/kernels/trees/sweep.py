"""Sweeps over a parent array in which every child stands before its parent and the root stands last."""

from __future__ import annotations

from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from hypcse.kernels.arrays import Flags, Ids, Reals
from hypcse.kernels.compile import kernel, reading_kernel

Number = TypeVar("Number", np.int64, np.float64)


@reading_kernel
def subtree_sums(parent: Ids, values: Reals) -> Reals:
    """Sum of `values` over the subtree of each node; one per node, or per leaf where inner nodes have none. O(n)."""
    total = np.zeros(parent.size)
    for node in range(values.size):
        total[node] = values[node]
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
def lift_heights(parent: Ids, height: NDArray[Number]) -> NDArray[Number]:
    """The least heights that are at least these and never fall upwards: the largest value in each subtree. O(n)."""
    lifted = height.copy()
    for node in range(parent.size - 1):
        above = parent[node]
        if lifted[above] < lifted[node]:
            lifted[above] = lifted[node]
    return lifted


def subtree_minima(parent: Ids, values: NDArray[Number]) -> NDArray[Number]:
    """Smallest value under each node, from one value per leaf. O(n)."""
    inner = np.full(parent.size - values.size, values.max())
    return -lift_heights(parent, -np.concatenate([values, inner]))


@kernel
def leaf_labels(parent: Ids, split: Flags, n_leaves: int) -> Ids:
    """Flat labels, by smallest leaf: clusters are the highest nodes not in `split`, which has all above them. O(n)."""
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


@reading_kernel
def inherit_values(parent: Ids, values: Ids) -> Ids:
    """The value of each node, or of the nearest node above that has one; -1 stands for none. O(n)."""
    inherited = values.copy()
    for node in range(parent.size - 2, -1, -1):
        if inherited[node] < 0:
            inherited[node] = inherited[parent[node]]
    return inherited


def kept_parents(parent: Ids, selected: Flags) -> Ids:
    """The lowest selected node above each node, -1 where there is none. O(n)."""
    nearest = inherit_values(parent, np.where(selected, np.arange(parent.size), -1))
    return np.append(nearest[parent[:-1]], -1)


def shared_nodes(parent: Ids, other: Ids, n_leaves: int) -> tuple[Ids, Ids]:
    """The nodes of two trees that have the same leaves under them, side by side: clades (Day 1985). O(n)."""
    (size, start), (other_size, _) = layout(parent, n_leaves), layout(other, n_leaves)
    stop = start + size
    is_first = np.append(start[:-1] == start[parent[:-1]], False)
    by_start, by_stop = np.zeros(n_leaves, np.int64), np.zeros(n_leaves + 1, np.int64)
    by_start[start[~is_first]], by_stop[stop[is_first]] = np.flatnonzero(~is_first), np.flatnonzero(is_first)
    first, last = subtree_minima(other, start[:n_leaves]), -subtree_minima(other, -start[:n_leaves])
    candidate = np.where(stop[by_start[first]] == last + 1, by_start[first], by_stop[last + 1])
    same = (start[candidate] == first) & (stop[candidate] == last + 1) & (last + 1 - first == other_size)
    return candidate[same], np.flatnonzero(same)
