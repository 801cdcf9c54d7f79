"""What drawings of trees need: arcs in the disk, and middles of children."""

from __future__ import annotations

import numpy as np

from hypcse.kernels.arrays import Ids, Reals
from hypcse.kernels.compile import kernel


@kernel
def covering_arcs(parent: Ids, angle: Reals) -> tuple[Reals, Reals]:
    """Middle and half the width of the smallest arc over the angles under each node, if within half a circle. O(n)."""
    n_leaves = angle.size
    middle = np.zeros(parent.size)
    half = np.full(parent.size, -1.0)
    for leaf in range(n_leaves):
        middle[leaf], half[leaf] = angle[leaf], 0.0
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
def child_middles(parent: Ids, position: Reals) -> Reals:
    """Position of every node, given those of the leaves: halfway between its first and its last child. O(n)."""
    n_leaves = position.size
    low = np.full(parent.size, np.inf)
    high = np.full(parent.size, -np.inf)
    for leaf in range(n_leaves):
        low[leaf] = high[leaf] = position[leaf]
    middle = np.empty(parent.size)
    for node in range(parent.size):
        middle[node] = (low[node] + high[node]) / 2
        if node < parent.size - 1:
            above = parent[node]
            low[above] = min(low[above], middle[node])
            high[above] = max(high[above], middle[node])
    return middle
