"""Sums over all pairs of points, one row at a time and never as a matrix."""

from __future__ import annotations

import numpy as np
from numba import prange
from numpy.typing import NDArray

from hypcse.kernels._compile import kernel, parallel_kernel
from hypcse.kernels.trees.ancestors import AncestorIndex, leaf_ancestor


@kernel
def _similarity(X: NDArray[np.float32], i: int, j: int) -> float:
    """exp(-d^2) of two points."""
    total = 0.0
    for k in range(X.shape[1]):
        gap = float(X[i, k]) - float(X[j, k])
        total += gap * gap
    return np.exp(-total)


@parallel_kernel
def complete_degrees(X: NDArray[np.float32]) -> NDArray[np.float64]:
    """Degrees of the complete similarity graph, the diagonal of ones included. O(n^2 d) time, O(n) memory."""
    degrees = np.empty(X.shape[0])
    for i in prange(X.shape[0]):
        total = 0.0
        for j in range(X.shape[0]):
            total += _similarity(X, i, j)
        degrees[i] = total
    return degrees


@parallel_kernel
def complete_row_sums(
    X: NDArray[np.float32], position: NDArray[np.int64], index: AncestorIndex, values: NDArray[np.float64]
) -> NDArray[np.float64]:
    """For each point the sum, over the points after it, of similarity times the value at their LCA."""
    sums = np.empty(X.shape[0])
    for i in prange(X.shape[0]):
        total = 0.0
        for j in range(i + 1, X.shape[0]):
            total += _similarity(X, i, j) * values[leaf_ancestor(index, position[i], position[j])]
        sums[i] = total
    return sums
