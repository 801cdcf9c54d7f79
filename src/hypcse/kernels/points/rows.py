"""Inner products and squared distances of listed pairs of points, without gathering their rows; and copies."""

from __future__ import annotations

from typing import Any

import numpy as np
from numba import prange
from numpy.typing import NDArray

from hypcse.kernels.compile import kernel, parallel_kernel

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


Bits = NDArray[np.uint64]


def first_copies(X: NDArray[np.float64]) -> Ids:
    """The first row that is equal to each row, (n,); X without -0.0 and NaN. O(n (d + log n)).

    >>> first_copies(np.array([[1.0], [2.0], [1.0]]))
    array([0, 1, 0])
    """
    bits = np.ascontiguousarray(X).view(np.uint64)
    keys = _keys(bits)
    return _first_of_runs(bits, keys, np.argsort(keys, kind="stable"))


@kernel
def _keys(bits: Bits) -> Bits:
    """A number a row, the same for equal rows and rarely for others."""
    keys = np.empty(bits.shape[0], np.uint64)
    for i in range(bits.shape[0]):
        key = np.uint64(0)
        for c in range(bits.shape[1]):
            key = (key ^ bits[i, c]) * np.uint64(0x9E3779B97F4A7C15)
            key ^= key >> np.uint64(32)
        keys[i] = key
    return keys


@kernel
def _first_of_runs(bits: Bits, keys: Bits, order: Ids) -> Ids:
    """Compare each row with the different rows before it that have the same key."""
    first = np.arange(order.size)
    begin = 0
    for place in range(order.size):
        row = order[place]
        if keys[row] != keys[order[begin]]:
            begin = place
        for earlier in range(begin, place):
            other = order[earlier]
            if first[other] == other and (bits[row] == bits[other]).all():
                first[row] = other
                break
    return first
