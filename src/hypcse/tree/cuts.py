"""Finds the nodes that a flat cut splits."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray


def split_to_number(
    parent: NDArray[np.int64], height: NDArray[np.float64], n_leaves: int, n_clusters: int
) -> NDArray[np.bool_]:
    """Split from the top, highest node first, as long as this gives at most `n_clusters` clusters."""
    internal = np.arange(n_leaves, parent.size)
    order = internal[np.argsort(height[internal], kind="stable")][::-1]
    n_children = np.bincount(parent[:-1], minlength=parent.size)
    clusters = 1 + np.cumsum(n_children[order] - 1)
    split = np.zeros(parent.size, np.bool_)
    split[order[: int(np.searchsorted(clusters, n_clusters, side="right"))]] = True
    return split


def split_above(values: NDArray[np.float64] | NDArray[np.int64], limit: float, n_leaves: int) -> NDArray[np.bool_]:
    """Split every internal node whose value, which must grow upwards, exceeds `limit`."""
    split = values > limit
    split[:n_leaves] = False
    return split
