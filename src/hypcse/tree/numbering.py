"""Renumbers nodes: in another order, without some leaves, or with new ones."""

from __future__ import annotations

import numpy as np

from hypcse.kernels.arrays import Flags, Ids, Reals
from hypcse.kernels.trees.sweep import kept_parents, layout, subtree_minima, subtree_sums


def renumber(parent: Ids, height: Reals, order: Ids) -> tuple[Ids, Reals]:
    """The same tree with its nodes in another order, `order[k]` being the old id of node k."""
    new_id = np.empty(parent.size, np.int64)
    new_id[order] = np.arange(parent.size)
    above = parent[order]
    return np.where(above >= 0, new_id[above], -1), height[order]


def canonical(parent: Ids, height: Reals, n_leaves: int) -> tuple[Ids, Reals]:
    """Internal nodes numbered by (height, number of leaves, smallest leaf), which no two nodes share."""
    size, _ = layout(parent, n_leaves)
    smallest = subtree_minima(parent, np.arange(n_leaves))
    internal = slice(n_leaves, None)
    ranked = np.lexsort((smallest[internal], size[internal], height[internal]))
    order = np.concatenate([np.arange(n_leaves), n_leaves + ranked])
    return renumber(parent, height, order)


def keep_leaves(parent: Ids, height: Reals, mask: Flags) -> tuple[Ids, Reals]:
    """The tree induced by the marked leaves; nodes left with one child vanish, heights stay."""
    holds = subtree_sums(parent, mask.astype(np.float64)) > 0
    n_branches = np.bincount(parent[:-1][holds[:-1]], minlength=parent.size)
    stays = np.append(mask, n_branches[mask.size :] > 1)
    new_id, above = np.cumsum(stays) - 1, kept_parents(parent, stays)[stays]
    return np.where(above >= 0, new_id[above], -1), height[stays]


def attach_leaves(parent: Ids, height: Reals, n_leaves: int, places: Ids) -> tuple[Ids, Reals]:
    """Parents and heights of the tree with leaf n_leaves + k beside the subtree at node places[k]; see `Tree.attach`.

    Nodes keep their order; a new node follows the one below it, or the leaves if that is a leaf. O(n + m log m).
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
