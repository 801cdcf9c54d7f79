"""Inner products and squared distances of listed pairs of points, without gathering their rows."""

from __future__ import annotations

from typing import Any

import numpy as np
from numba import prange
from numpy.typing import NDArray

from hypcse.kernels._compile import parallel_kernel

Ids = NDArray[np.int64]
Reals = NDArray[np.floating[Any]]

# Running sums of a pair, one per column modulo this number: their loop is compiled to vector instructions.
_LANES = 16
# Pairs that one task works on.
_TASK = 1024


@parallel_kernel
def pair_dots(first: Ids, second: Ids, x: Reals, y: Reals) -> Reals:
    """x_i . y_j for each pair (i, j); with x = y it is the same both ways, to the last bit."""
    out = np.empty(first.size, x.dtype)
    whole = x.shape[1] - x.shape[1] % _LANES
    for task in prange((first.size + _TASK - 1) // _TASK):
        lanes = np.empty(_LANES, x.dtype)
        for p in range(task * _TASK, min(first.size, (task + 1) * _TASK)):
            near, far = x[first[p]], y[second[p]]
            lanes[:] = 0
            for start in range(0, whole, _LANES):
                a, b = near[start : start + _LANES], far[start : start + _LANES]
                for k in range(_LANES):
                    lanes[k] += a[k] * b[k]
            for k in range(whole, near.size):
                lanes[k - whole] += near[k] * far[k]
            out[p] = lanes.sum()
    return out


@parallel_kernel
def pair_gaps(first: Ids, second: Ids, x: Reals) -> Reals:
    """|x_i - x_j|^2 for each pair (i, j), from differences; the same both ways, to the last bit."""
    out = np.empty(first.size, x.dtype)
    whole = x.shape[1] - x.shape[1] % _LANES
    for task in prange((first.size + _TASK - 1) // _TASK):
        lanes = np.empty(_LANES, x.dtype)
        for p in range(task * _TASK, min(first.size, (task + 1) * _TASK)):
            near, far = x[first[p]], x[second[p]]
            lanes[:] = 0
            for start in range(0, whole, _LANES):
                a, b = near[start : start + _LANES], far[start : start + _LANES]
                for k in range(_LANES):
                    lanes[k] += (a[k] - b[k]) ** 2
            for k in range(whole, near.size):
                lanes[k - whole] += (near[k] - far[k]) ** 2
            out[p] = lanes.sum()
    return out
