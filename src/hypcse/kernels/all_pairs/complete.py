"""Sums over all pairs of points, in short blocks and never as a matrix."""

from __future__ import annotations

import numpy as np
from numba import prange
from numpy.typing import NDArray

from hypcse.kernels._compile import kernel, parallel_kernel
from hypcse.kernels.all_pairs.elementary import exp_in_place

Floats = NDArray[np.float32]

# Columns that are worked on at once: their buffer and their points stay in a core's nearest cache.
_BLOCK = 256


@kernel
def _similarities(columns: Floats, i: int, start: int, stop: int, out: Floats, scratch: NDArray[np.int32]) -> None:
    """out <- exp(-d^2) of point i and the points start .. stop - 1, which are columns."""
    width = stop - start
    out[:width] = 0
    for k in range(columns.shape[0]):
        own, others = columns[k, i], columns[k, start:stop]
        for j in range(width):
            gap = others[j] - own
            out[j] -= gap * gap
    exp_in_place(out[:width], scratch[:width])


@parallel_kernel
def complete_degrees(columns: Floats) -> NDArray[np.float64]:
    """Degrees of the complete similarity graph of points (d, n), the ones of its diagonal included. O(n) memory."""
    n_points = columns.shape[1]
    degrees = np.empty(n_points)
    for i in prange(n_points):
        out, scratch = np.empty(_BLOCK, np.float32), np.empty(_BLOCK, np.int32)
        total = 0.0
        for start in range(0, n_points, _BLOCK):
            stop = min(start + _BLOCK, n_points)
            _similarities(columns, i, start, stop, out, scratch)
            for j in range(stop - start):
                total += out[j]
        degrees[i] = total
    return degrees


@parallel_kernel
def complete_row_sums(columns: Floats, joins: NDArray[np.float64]) -> NDArray[np.float64]:
    """For each point the sum, over the points after it, of similarity times the value at their LCA.

    Points (d, n) stand in the order of the tree's leaves; joins (n - 1,) holds the value at the LCA of each leaf and
    the next. Where values do not fall towards the root, that of any two leaves is the largest join between them.
    """
    n_points = columns.shape[1]
    sums = np.empty(n_points)
    for i in prange(n_points):
        out, scratch = np.empty(_BLOCK, np.float32), np.empty(_BLOCK, np.int32)
        total, highest = 0.0, -np.inf
        for start in range(i + 1, n_points, _BLOCK):
            stop = min(start + _BLOCK, n_points)
            _similarities(columns, i, start, stop, out, scratch)
            for j in range(stop - start):
                highest = max(highest, joins[start + j - 1])
                total += out[j] * highest
        sums[i] = total
    return sums
