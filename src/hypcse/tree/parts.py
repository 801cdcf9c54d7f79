"""Smaller trees out of a tree."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from hypcse.kernels.sweep import pruned_parents
from hypcse.tree.numbering import renumber


def keep_leaves(
    parent: NDArray[np.int64], height: NDArray[np.float64], kept: NDArray[np.bool_]
) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
    """The tree induced by the marked leaves; nodes left with one child vanish, heights stay."""
    above = pruned_parents(parent, kept)
    survivors = np.flatnonzero(above != -2)
    above[above == -2] = -1
    # Nodes that vanish go last, so that renumbering is a permutation, and are then dropped.
    gone = np.setdiff1d(np.arange(parent.size), survivors, assume_unique=True)
    small, heights = renumber(above, height, np.concatenate([survivors, gone]))
    return small[: survivors.size], heights[: survivors.size]
