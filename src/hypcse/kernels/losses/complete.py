"""The complete graph over leaves, row by row: depths of common ancestors from cosines, their slopes, and sums."""

from __future__ import annotations

import numpy as np
from numba import prange

from hypcse.kernels.arrays import Reals, ShortIds, Singles
from hypcse.kernels.compile import helper, parallel_kernel
from hypcse.kernels.losses.contrast import exp_in_place, log_in_place

# Running sums of a row, one per column modulo this number: their loop is compiled to vector instructions.
_LANES = 256
_ONE, _HALF, _ZERO = np.float32(1.0), np.float32(0.5), np.float32(0.0)
# The slope at opposite leaves is infinite; its part along the sphere is not, and stays as it is.
_LEAST = np.float32(np.finfo(np.float32).eps)


@helper
def _tanh_squared(cosine: np.float32, half: np.float32, rest: np.float32) -> tuple[np.float32, np.float32]:
    """x = tanh^2 of the depth and 1 - x, each without cancellation; a rounded cosine is brought back to [-1, 1]."""
    part = half * min(max(cosine, -_ONE), _ONE)
    return half + part, (half - part) + rest


@parallel_kernel
def depths_of_cosines(cosines: Singles, half: np.float32, rest: np.float32) -> Singles:
    """log((1 + sqrt x)^2 / (1 - x)) / 2 with x = half (1 + cosine); half = tanh^2(R) / 2 and rest = sech^2(R)."""
    out = np.empty_like(cosines)
    for i in prange(cosines.shape[0]):
        cosine, row = cosines[i], out[i]
        for k in range(row.size):
            x, complement = _tanh_squared(cosine[k], half, rest)
            root = _ONE + np.sqrt(x)
            row[k] = (root * root) * np.reciprocal(complement)
        log_in_place(row)
        for k in range(row.size):
            row[k] = max(_HALF * row[k], _ZERO)
    return out


@parallel_kernel
def depth_slopes(cosines: Singles, rates: Singles, half: np.float32, rest: np.float32) -> tuple[Singles, Reals]:
    """rate / ((1 - x) sqrt x), and row sums of rate sqrt x / (1 - x): derivatives up to factors of the radius."""
    out, by_row = np.empty_like(cosines), np.empty(cosines.shape[0])
    for i in prange(cosines.shape[0]):
        lanes = np.zeros(_LANES, np.float32)
        for start in range(0, cosines.shape[1], _LANES):
            stop = min(start + _LANES, cosines.shape[1])
            cosine, rate, row = cosines[i, start:stop], rates[i, start:stop], out[i, start:stop]
            for k in range(stop - start):
                x, complement = _tanh_squared(cosine[k], half, rest)
                root = np.sqrt(max(x, _LEAST))
                share = rate[k] * np.reciprocal(complement)
                row[k] = share * np.reciprocal(root)
                lanes[k] += share * root
        by_row[i] = lanes.sum()
    return out, by_row


# Columns that are worked on at once: their buffer and their points stay in a core's nearest cache.
_BLOCK = 256


@helper
def _similarities(columns: Singles, i: int, start: int, stop: int, out: Singles, scratch: ShortIds) -> None:
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
def complete_degrees(columns: Singles) -> Reals:
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
def complete_row_sums(columns: Singles, joins: Reals) -> Reals:
    """For each point the sum, over the points after it, of similarity times the value at their LCA.

    Points (d, n) stand in the order of the leaves; joins (n - 1,) has the value at the LCA of each leaf and the next.
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
