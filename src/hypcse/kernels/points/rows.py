"""Inner products and squared distances of listed pairs of points, without gathering their rows; and equal rows."""

from __future__ import annotations

import numpy as np
from numba import prange

from hypcse.kernels.arrays import Floating, Ids, Reals
from hypcse.kernels.compile import parallel_kernel

# Running sums of a pair, one per column modulo this number: their loop is compiled to vector instructions.
_LANES = 16
# Pairs that one task works on.
_TASK = 1024


def pair_dots(first: Ids, second: Ids, x: Floating, y: Floating) -> Floating:
    """Return x_i . y_j for each pair (i, j); with x = y it is the same both ways, to the last bit."""
    return _pair_sums(first, second, x, y, False)


def pair_gaps(first: Ids, second: Ids, x: Floating) -> Floating:
    """Return |x_i - x_j|^2 for each pair (i, j), from differences; it is the same both ways, to the last bit."""
    return _pair_sums(first, second, x, x, True)


@parallel_kernel
def _pair_sums(first: Ids, second: Ids, x: Floating, y: Floating, squares: bool) -> Floating:
    """Sum up products, or squared differences, over the columns of each pair."""
    out = np.empty(first.size, x.dtype)
    whole = x.shape[1] - x.shape[1] % _LANES
    for task in prange((first.size + _TASK - 1) // _TASK):
        lanes = np.empty(_LANES, x.dtype)
        for p in range(task * _TASK, min(first.size, (task + 1) * _TASK)):
            one, other = x[first[p]], y[second[p]]
            lanes[:] = 0
            for start in range(0, whole, _LANES):
                a, b = one[start : start + _LANES], other[start : start + _LANES]
                for k in range(_LANES):
                    lanes[k] += (a[k] - b[k]) ** 2 if squares else a[k] * b[k]
            for k in range(whole, one.size):
                lanes[k - whole] += (one[k] - other[k]) ** 2 if squares else one[k] * other[k]
            out[p] = lanes.sum()
    return out


def first_copies(X: Reals) -> Ids:
    """Return the first row that is equal to each row, (n,), of X without -0.0 and NaN. O(n (d + log n))."""
    bits = np.ascontiguousarray(X).view(np.uint64)
    factors = np.random.default_rng(0).integers(2**63, size=bits.shape[1], dtype=np.uint64) * np.uint64(2) + np.uint64(
        1
    )
    keys = np.empty(len(bits), np.uint64)
    for start in range(0, len(bits), _TASK):
        part = bits[start : start + _TASK]
        # Numbers of few digits differ in their upper bits alone, which products would push out.
        keys[start : start + _TASK] = (part ^ (part >> np.uint64(32))) @ factors
    _, index, inverse = np.unique(keys, return_index=True, return_inverse=True)
    first = index[inverse]
    copies = np.flatnonzero(first != np.arange(len(bits)))
    if not np.array_equal(bits[copies], bits[first[copies]]):
        # Different rows share a key, which is rare: the rows themselves are sorted, which is slow.
        _, index, inverse = np.unique(bits, axis=0, return_index=True, return_inverse=True)
        first = index[inverse.reshape(-1)]
    return first
