"""Leaf orders that put similar leaves side by side without crossing branches."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

from hypcse._checks import check_choice, check_features
from hypcse._choices import LeafOrder
from hypcse._memory import check_memory
from hypcse.kernels.trees.drawing import flipped_order, optimal_positions
from hypcse.kernels.trees.sweep import layout
from hypcse.tree.linkage_matrix import linkage_to_parents

EXACT_LEAVES = 1000
"""By default, the exact order is used up to this many leaves."""


def check_order(X: ArrayLike, method: str, n_leaves: int) -> NDArray[np.float64]:
    """The features that leaves are ordered by, one row per leaf; raise for an unknown method."""
    check_choice("method", method, LeafOrder)
    features = np.ascontiguousarray(check_features(X), dtype=np.float64)
    if features.shape[0] != n_leaves:
        raise ValueError(f"X has {features.shape[0]} rows, but the tree has {n_leaves} leaves.")
    return features


def order_alike(Z: NDArray[np.float64], X: NDArray[np.float64], method: str) -> NDArray[np.int64]:
    """The order of at least two leaves by that method.

    "greedy", from the leaves up, flips the two sides of each join so that their nearest ends meet: O(n d) time, O(n)
    memory. "exact" has the smallest sum of distances between neighbors: O(n^3) time at worst, O(n^2) memory. It is
    written here because SciPy's `optimal_leaf_ordering` misses the optimum on more than half of small random cases.
    """
    n, sides = len(X), np.ascontiguousarray(Z[:, :2].astype(np.int64))
    if method == "greedy" or (method == "auto" and n > EXACT_LEAVES):
        return flipped_order(sides, X)
    from scipy.spatial.distance import cdist

    check_memory(f"the exact order of {n} leaves", 28 * n * n, 'Use method="greedy".')
    parent, _ = linkage_to_parents(Z)
    size, start = layout(parent, n)
    spans = np.column_stack([start, start + 1, start + size])
    spans[n:, 1] = start[sides[:, 1]]
    by_position = np.empty(n, np.int64)
    by_position[start[:n]] = np.arange(n)
    return by_position[optimal_positions(spans, sides, cdist(X[by_position], X[by_position]))]
