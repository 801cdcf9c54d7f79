"""Flat clusters of a tree: their numbers, in which -1 stands for outliers, and the nodes that they are."""

from __future__ import annotations

import numpy as np

from hypcse.kernels.arrays import Flags, Ids
from hypcse.kernels.trees.sweep import subtree_minima

Labels = Ids
"""The number of the cluster of each leaf."""


def cluster_sizes(labels: Labels) -> Labels:
    """Number of points of each cluster, by its number; 0 for a number that is not used. Outliers, -1, are in none."""
    return np.bincount(labels[labels >= 0])


def count_clusters(labels: Labels) -> int:
    """How many clusters there are."""
    return int(np.count_nonzero(cluster_sizes(labels)))


def by_size(labels: Labels) -> Labels:
    """The clusters numbered by falling size, ties by smallest leaf; numbers that are not used are left out."""
    sizes = cluster_sizes(labels)
    clustered = np.flatnonzero(labels >= 0)[::-1]
    first = np.zeros(sizes.size, np.int64)
    first[labels[clustered]] = clustered
    # The last place is for outliers.
    number = np.full(sizes.size + 1, -1)
    number[np.lexsort([first, -sizes])] = np.arange(sizes.size)
    return number[labels]


def by_leaf(labels: Labels) -> Labels:
    """The clusters numbered by smallest leaf."""
    _, first, number = np.unique(labels, return_index=True, return_inverse=True)
    return np.argsort(np.argsort(first))[number]


def parts_of(parent: Ids, split: Flags) -> Flags:
    """The nodes that are parts of a cut: not split, but their parent is."""
    parts = ~split
    parts[:-1] &= split[parent[:-1]]
    return parts


def is_mixed(parent: Ids, labels: Labels) -> Flags:
    """The nodes with leaves of several clusters."""
    return subtree_minima(parent, labels) != -subtree_minima(parent, -labels)
