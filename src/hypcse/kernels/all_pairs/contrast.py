"""The shares of Eq. (15): exp(-d / t) of all pairs of Lorentz points, their sums, and the derivative of these."""

from __future__ import annotations

import numpy as np
from numba import prange
from numpy.typing import NDArray

from hypcse.kernels._compile import parallel_kernel
from hypcse.kernels.all_pairs.elementary import exp_in_place, log_in_place

Floats = NDArray[np.float32]

# Running sums of a row, one per column modulo this number; and columns that one task adds up.
_LANES = 256
_ONE, _TWO, _TINY = np.float32(1.0), np.float32(2.0), np.float32(np.finfo(np.float32).tiny)


@parallel_kernel
def decays_of_products(excess: Floats, temperature: float) -> Floats:
    """exp(-arcosh(1 + u) / t) for each u of `excess`; u below 0 by rounding is distance 0."""
    out = np.empty_like(excess)
    factor = np.float32(-1.0 / temperature)
    for i in prange(excess.shape[0]):
        given, row = excess[i], out[i]
        for k in range(row.size):
            u = max(given[k], _TINY)
            row[k] = _ONE + (u + np.sqrt(u * (u + _TWO)))
        log_in_place(row)
        for k in range(row.size):
            row[k] *= factor
        exp_in_place(row, np.empty(row.size, np.int32))
    return out


@parallel_kernel
def row_and_column_sums(matrix: Floats) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
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
def decay_slopes(excess: Floats, decays: Floats, by_row: Floats, by_column: Floats, temperature: float) -> Floats:
    """Derivative by u, from the factor of each row's sum and of each column's; 0 where the distance is 0.

    d exp(-arcosh(1 + u) / t) / du = -exp(-arcosh(1 + u) / t) / (t sqrt(u (u + 2))).
    """
    out = np.empty_like(excess)
    factor = np.float32(-1.0 / temperature)
    for i in prange(excess.shape[0]):
        own = by_row[i]
        given, share, row = excess[i], decays[i], out[i]
        for k in range(row.size):
            u = max(given[k], _TINY)
            slope = factor * np.reciprocal(np.sqrt(u * (u + _TWO)))
            weight = share[k] * (own + by_column[k])
            row[k] = weight * slope if given[k] > _TINY else np.float32(0)
    return out
