"""Branch lengths and heights, one from the other; and trees from depths and from branches in a row.

Heights must survive the way through branch lengths to the last bit. Ordinary float addition cannot promise
that: it rounds ties to even, so for some heights a < b no float x gives a + x == b. Here heights are added
with ties rounded up, under which such an x always exists. Where ordinary addition has one too, this x is one.
"""

from __future__ import annotations

import numpy as np

from hypcse.kernels.arrays import Flags, Ids, Reals
from hypcse.kernels.compile import helper, kernel


@helper
def _add(low: float, length: float) -> float:
    """low + length, both at least 0, to the nearest float, ties rounded up."""
    total = low + length
    part = total - low
    error = (low - (total - part)) + (length - part)
    above = np.nextafter(total, np.inf)
    return above if error > 0 and above - total == 2 * error else total


@kernel
def branch_lengths(parent: Ids, height: Reals) -> Reals:
    """The length above each node that, added to its height with ties rounded up, gives its parent's height.

    0 at the root. Only a tie can miss the parent, by one step upwards; the next smaller length then meets it.
    """
    length = np.zeros(parent.size)
    for node in range(parent.size - 1):
        high = height[parent[node]]
        length[node] = high - height[node]
        if _add(height[node], length[node]) > high:
            length[node] = np.nextafter(length[node], 0.0)
    return length


@kernel
def branch_heights(parent: Ids, length: Reals) -> Reals:
    """Height of each node: that of the highest child and its branch, 0 at leaves."""
    height = np.zeros(parent.size)
    for node in range(parent.size - 1):
        above = parent[node]
        height[above] = max(height[above], _add(height[node], length[node]))
    return height


@kernel
def parents_of_depths(depth: Ids) -> Ids:
    """Parents from depths, where each node stands behind all nodes under it."""
    parent = np.full(depth.size, -1, np.int64)
    latest = np.empty(depth.max() + 1, np.int64)
    for node in range(depth.size - 1, -1, -1):
        latest[depth[node]] = node
        if depth[node] > 0:
            parent[node] = latest[depth[node] - 1]
    return parent


@kernel
def join_branches(parent: Ids, length: Reals, single: Flags) -> tuple[Ids, Reals]:
    """Parents and lengths with the marked nodes passed over, whole rows of them too."""
    above, total = parent.copy(), length.copy()
    for node in range(parent.size - 2, -1, -1):
        up = parent[node]
        if single[up]:
            above[node] = above[up]
            total[node] += total[up]
    return above, total
