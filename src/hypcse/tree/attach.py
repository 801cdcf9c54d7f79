"""New leaves beside old subtrees."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray


def attached(
    parent: NDArray[np.int64], height: NDArray[np.float64], n_leaves: int, places: NDArray[np.int64]
) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
    """Parents and heights of the tree with leaf n_leaves + k beside the subtree at node places[k].

    Above each node chosen stands a new one, half-way to its parent, whose children are the old subtree and all new
    leaves that chose it. Nodes keep their order; a new node follows the one that it stands above, or the leaves where
    that is a leaf. O(n + m log m).
    """
    n_new = places.size
    if n_new == 0:
        return parent, height
    nodes, which = np.unique(places, return_inverse=True)
    old = np.arange(parent.size)
    # How many of the nodes chosen come before a node: each has put one more node in front of it.
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
