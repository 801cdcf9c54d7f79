"""Renumbers nodes: in another order, without some leaves, or with new ones; and orders leaves side by side."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

from hypcse._checks import check_choice, check_features
from hypcse._choices import LeafOrder
from hypcse._memory import check_memory
from hypcse.kernels.trees.drawing import flipped_order, optimal_positions
from hypcse.kernels.trees.sweep import layout, pruned_parents, subtree_minima

EXACT_LEAVES = 1000
"""By default, the exact order of leaves is used up to this many."""


def renumber(
    parent: NDArray[np.int64], height: NDArray[np.float64], order: NDArray[np.int64]
) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
    """The same tree with its nodes in another order, `order[k]` being the old id of node k."""
    new_id = np.empty(parent.size, np.int64)
    new_id[order] = np.arange(parent.size)
    above = parent[order]
    return np.where(above >= 0, new_id[above], -1), height[order]


def canonical(
    parent: NDArray[np.int64], height: NDArray[np.float64], n_leaves: int
) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
    """Internal nodes numbered by (height, number of leaves, smallest leaf), which no two nodes share."""
    size, _ = layout(parent, n_leaves)
    smallest = subtree_minima(parent, np.arange(n_leaves))
    internal = slice(n_leaves, None)
    ranked = np.lexsort((smallest[internal], size[internal], height[internal]))
    order = np.concatenate([np.arange(n_leaves), n_leaves + ranked])
    return renumber(parent, height, order)


def keep_leaves(
    parent: NDArray[np.int64], height: NDArray[np.float64], mask: NDArray[np.bool_]
) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
    """The tree induced by the marked leaves; nodes left with one child vanish, heights stay."""
    above = pruned_parents(parent, mask)
    stays = above != -2
    new_id, above = np.cumsum(stays) - 1, above[stays]
    return np.where(above >= 0, new_id[above], -1), height[stays]


def attach_leaves(
    parent: NDArray[np.int64], height: NDArray[np.float64], n_leaves: int, places: NDArray[np.int64]
) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
    """Parents and heights of the tree with leaf n_leaves + k beside the subtree at node places[k].

    Each chosen node gets a new parent, half-way to its old parent, with the old subtree and all new leaves that chose
    it as children. Nodes keep their order; a new node follows the one below it, or the leaves if that is a leaf.
    O(n + m log m).
    """
    n_new = places.size
    if n_new == 0:
        return parent, height
    nodes, which = np.unique(places, return_inverse=True)
    old = np.arange(parent.size)
    # How many of the chosen nodes come before a node: each has put one more node in front of it.
    shift = np.searchsorted(nodes, old)
    number = np.where(old < n_leaves, old, n_new + old + shift)
    above = n_new + np.maximum(nodes, n_leaves - 1) + 1 + shift[nodes]
    size = parent.size + n_new + nodes.size
    parents, heights = np.full(size, -1), np.zeros(size)
    heights[number] = height
    parents[number[:-1]] = number[parent[:-1]]
    parents[above] = parents[number[nodes]]
    parents[number[nodes]] = above
    parents[n_leaves : n_leaves + n_new] = above[which]
    top = height[np.where(parent[nodes] < 0, nodes, parent[nodes])]
    heights[above] = np.clip(height[nodes] / 2 + top / 2, height[nodes], top)
    return parents, heights


def order_alike(Z: NDArray[np.float64], X: ArrayLike, method: str) -> NDArray[np.int64]:
    """The leaves of a tree with this linkage matrix, similar ones side by side.

    "greedy" flips the two sides of each join so that their nearest ends meet: O(n d). "exact" is O(n^3) at worst, and
    written here because SciPy's `optimal_leaf_ordering` misses the optimum on more than half of small random cases.
    """
    check_choice("method", method, LeafOrder)
    features, n = np.ascontiguousarray(check_features(X), dtype=np.float64), len(Z) + 1
    if len(features) != n:
        raise ValueError(f"X has {len(features)} rows, but the tree has {n} leaves.")
    sides = np.ascontiguousarray(Z[:, :2].astype(np.int64))
    if n == 1 or method == "greedy" or (method == "auto" and n > EXACT_LEAVES):
        return flipped_order(sides, features)
    from scipy.spatial.distance import cdist

    check_memory(f"the exact order of {n} leaves", 28 * n * n, 'Use method="greedy".')
    parent = np.full(2 * n - 1, -1)
    parent[sides] = np.arange(n, 2 * n - 1)[:, None]
    size, start = layout(parent, n)
    spans = np.column_stack([start, start + 1, start + size])
    spans[n:, 1] = start[sides[:, 1]]
    by_position = np.argsort(start[:n])
    ordered = features[by_position]
    return by_position[optimal_positions(spans, sides, cdist(ordered, ordered))]
