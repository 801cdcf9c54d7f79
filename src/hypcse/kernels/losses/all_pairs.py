"""All pairs of leaves or points, row by row in single precision: depths, decays of distance, similarities, their sums.

Exponential and logarithm of the library are calls, one per number. Here they are polynomials whose loops are compiled
to vector instructions.
"""

from __future__ import annotations

import numpy as np
from numba import prange

from hypcse.kernels.arrays import Reals, ShortIds, Singles
from hypcse.kernels.compile import helper, kernel, parallel_kernel

# Running sums of a row, one per column modulo this number, for vector instructions; columns that are worked on at once.
_LANES = _BLOCK = 256
_ZERO, _HALF, _ONE, _TWO = np.float32(0.0), np.float32(0.5), np.float32(1.0), np.float32(2.0)
_TINY, _EPSILON = np.float32(np.finfo(np.float32).tiny), np.float32(np.finfo(np.float32).eps)
_LOG2_E = np.float32(1.4426950408889634)
# log 2 in two parts, the first of few digits: its product with a small integer is exact.
_LOG_2_HIGH, _LOG_2_LOW = np.float32(0.693359375), np.float32(-2.12194440e-4)
# exp of less is not a normal number.
_LEAST = np.float32(-87.0)
_BIAS, _MANTISSA = np.int32(127), np.int32(23)
_MANTISSA_MASK, _ROOT_HALF = np.int32(0x007FFFFF), np.int32(0x3F3504F3)


@kernel
def exp_in_place(x: Singles, power: ShortIds) -> None:
    """x <- exp(x) = 2^k exp(r) for x <= 0, to 2 units in the last place; `power` is scratch of the same length."""
    scale = power.view(np.float32)
    for j in range(x.size):
        bounded = max(x[j], _LEAST)
        whole = np.floor(bounded * _LOG2_E + _HALF)
        power[j] = (np.int32(whole) + _BIAS) << _MANTISSA
        rest = bounded - whole * _LOG_2_HIGH - whole * _LOG_2_LOW
        tail = np.float32(1 / 5040)
        tail = tail * rest + np.float32(1 / 720)
        tail = tail * rest + np.float32(1 / 120)
        tail = tail * rest + np.float32(1 / 24)
        tail = tail * rest + np.float32(1 / 6)
        tail = tail * rest + _HALF
        x[j] = tail * (rest * rest) + (rest + _ONE)
    for j in range(x.size):
        x[j] *= scale[j]


@kernel
def log_in_place(x: Singles) -> None:
    """x <- log(x) = k log 2 + log(1 + f) for normal x > 0, to 2 units in the last place, near x = 1 too."""
    bits = x.view(np.int32)
    for j in range(x.size):
        # Shifted so that the exponent steps at sqrt(1/2) instead of at 1.
        shifted = bits[j] - _ROOT_HALF
        whole = shifted >> _MANTISSA
        bits[j] = (shifted & _MANTISSA_MASK) + _ROOT_HALF
        f = x[j] - _ONE
        square = f * f
        tail = np.float32(7.0376836292e-2)
        tail = tail * f + np.float32(-1.1514610310e-1)
        tail = tail * f + np.float32(1.1676998740e-1)
        tail = tail * f + np.float32(-1.2420140846e-1)
        tail = tail * f + np.float32(1.4249322787e-1)
        tail = tail * f + np.float32(-1.6668057665e-1)
        tail = tail * f + np.float32(2.0000714765e-1)
        tail = tail * f + np.float32(-2.4999993993e-1)
        tail = tail * f + np.float32(3.3333331174e-1)
        power = np.float32(whole)
        x[j] = f + (tail * f * square - _HALF * square + power * _LOG_2_LOW) + power * _LOG_2_HIGH


@parallel_kernel
def decays_of_products(excess: Singles, temperature: float) -> Singles:
    """exp(-arcosh(1 + u) / t) for each u of `excess`; u below 0 by rounding is distance 0."""
    out = np.empty_like(excess)
    factor = np.float32(-1.0 / temperature)
    for i in prange(excess.shape[0]):
        values, row = excess[i], out[i]
        for k in range(row.size):
            u = max(values[k], _TINY)
            row[k] = _ONE + (u + np.sqrt(u * (u + _TWO)))
        log_in_place(row)
        for k in range(row.size):
            row[k] *= factor
        exp_in_place(row, np.empty(row.size, np.int32))
    return out


@parallel_kernel
def row_and_column_sums(matrix: Singles) -> tuple[Reals, Reals]:
    """Sums of the rows and of the columns, each in one order whatever the number of threads."""
    n_rows, n_columns = matrix.shape
    rows, columns = np.empty(n_rows), np.zeros(n_columns)
    for i in prange(n_rows):
        lanes = np.zeros(_LANES)
        for start in range(0, n_columns, _LANES):
            part = matrix[i, start : min(start + _LANES, n_columns)]
            for k in range(part.size):
                lanes[k] += part[k]
        rows[i] = lanes.sum()
    for task in prange((n_columns + _LANES - 1) // _LANES):
        start, stop = task * _LANES, min((task + 1) * _LANES, n_columns)
        for i in range(n_rows):
            for k in range(start, stop):
                columns[k] += matrix[i, k]
    return rows, columns


@parallel_kernel
def decay_slopes(excess: Singles, decays: Singles, by_row: Singles, by_column: Singles, temperature: float) -> Singles:
    """Derivative by u, -exp(-arcosh(1 + u) / t) / (t sqrt(u (u + 2))), 0 at u = 0, times factors by row and column."""
    out = np.empty_like(excess)
    factor = np.float32(-1.0 / temperature)
    for i in prange(excess.shape[0]):
        own = by_row[i]
        values, share, row = excess[i], decays[i], out[i]
        for k in range(row.size):
            u = max(values[k], _TINY)
            slope = factor * np.reciprocal(np.sqrt(u * (u + _TWO)))
            weight = share[k] * (own + by_column[k])
            row[k] = weight * slope if values[k] > _TINY else np.float32(0)
    return out


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
                # The slope at opposite leaves is infinite; its part along the sphere is not, and stays as it is.
                root = np.sqrt(max(x, _EPSILON))
                share = rate[k] * np.reciprocal(complement)
                row[k] = share * np.reciprocal(root)
                lanes[k] += share * root
        by_row[i] = lanes.sum()
    return out, by_row


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
