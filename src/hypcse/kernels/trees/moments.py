"""Squared distances between the parts of a tree, from sums over its leaves."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from hypcse.kernels._compile import kernel


@kernel
def add_column(
    parent: NDArray[np.int64], size: NDArray[np.float64], sums: NDArray[np.float64], between: NDArray[np.float64]
) -> None:
    """Add to `between` at each node sum_c |c| (m_c - m)^2 over its children c, m being means of one column. O(n).

    A leaf may stand for several points: `size` counts them at every node, `sums` adds up the column at every leaf.
    """
    total = np.zeros(parent.size)
    for leaf in range(sums.size):
        total[leaf] = sums[leaf]
    for node in range(parent.size - 1):
        total[parent[node]] += total[node]
    for node in range(parent.size - 1):
        above = parent[node]
        gap = total[node] / size[node] - total[above] / size[above]
        between[above] += size[node] * gap * gap


@kernel
def mean_squares_between(
    parent: NDArray[np.int64], size: NDArray[np.float64], between: NDArray[np.float64], inside: NDArray[np.float64]
) -> NDArray[np.float64]:
    """Mean squared distance of two points in different children of each node; 0 at leaves. O(n).

    With S the sum of squares of a node around its mean (`inside` at a leaf), the squared distances of all pairs under
    it add up to |u| S_u. Those between children are what is left of it,

        sum_c (|u| - |c|) S_c  +  |u| sum_c |c| |m_c - m_u|^2,

    a sum of terms that are never negative, so that nothing cancels.
    """
    squares = between.copy()
    for leaf in range(inside.size):
        squares[leaf] = inside[leaf]
    across = np.zeros(parent.size)
    pairs = np.zeros(parent.size)
    for node in range(parent.size - 1):
        # Children come before their parent, so S of the child is complete here.
        above, rest = parent[node], size[parent[node]] - size[node]
        across[above] += rest * squares[node]
        pairs[above] += rest * size[node]
        squares[above] += squares[node]
    mean = np.zeros(parent.size)
    for node in range(inside.size, parent.size):
        # Both orders of a pair are counted.
        mean[node] = 2 * (across[node] + size[node] * between[node]) / pairs[node]
    return mean
