"""Where the nodes of a drawing lie, from where its leaves do."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from hypcse.kernels._compile import kernel


@kernel
def covering_arcs(
    parent: NDArray[np.int64], angle: NDArray[np.float64]
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Middle and half the width of the smallest arc that covers the angles, one per leaf, under each node. O(n).

    Exact where the leaves fit into half a circle; a wider arc may be wider than it must be.
    """
    n_leaves = angle.size
    middle = np.zeros(parent.size)
    half = np.full(parent.size, -1.0)
    middle[:n_leaves] = angle
    half[:n_leaves] = 0.0
    for node in range(parent.size - 1):
        above = parent[node]
        if half[above] < 0:
            middle[above], half[above] = middle[node], half[node]
            continue
        # The nearer way around from the arc so far to the one that joins it.
        turn = (middle[node] - middle[above] + np.pi) % (2 * np.pi) - np.pi
        low = min(-half[above], turn - half[node])
        high = max(half[above], turn + half[node])
        middle[above] += (low + high) / 2
        half[above] = min((high - low) / 2, np.pi)
    return middle, half


@kernel
def child_middles(parent: NDArray[np.int64], position: NDArray[np.float64]) -> NDArray[np.float64]:
    """Position of every node, given those of the leaves: halfway between its first and its last child. O(n)."""
    n_leaves = position.size
    low = np.full(parent.size, np.inf)
    high = np.full(parent.size, -np.inf)
    low[:n_leaves] = position
    high[:n_leaves] = position
    middle = np.empty(parent.size)
    for node in range(parent.size):
        middle[node] = (low[node] + high[node]) / 2
        if node < parent.size - 1:
            above = parent[node]
            low[above] = min(low[above], middle[node])
            high[above] = max(high[above], middle[node])
    return middle
