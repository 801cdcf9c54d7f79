"""Nearest points of the simplex."""

from __future__ import annotations

import numpy as np
from numba import prange
from numpy.typing import NDArray

from hypcse.kernels._compile import kernel, parallel_kernel


@kernel
def _shift(row: NDArray[np.floating]) -> float:
    """The number t for which the positive parts of row - t add up to 1, by Michelot's rounds.

    Each round takes t from the entries above the last t; they only become fewer, mostly within a few rounds.
    """
    count = row.size
    total = 0.0
    for value in row:
        total += value
    while True:
        t = (total - 1.0) / count
        above, total = 0, 0.0
        for value in row:
            if value > t:
                above += 1
                total += value
        # None is above where all but one entry round away.
        if above == count or above == 0:
            return t
        count = above


@parallel_kernel
def project_rows(matrix: NDArray[np.floating], first: NDArray[np.int64]) -> None:
    """Bring each row, from column first[row] on, to the nearest point of the simplex, in place; zeros before it.

    A row whose first column lies beyond the last becomes zeros.
    """
    for r in prange(matrix.shape[0]):
        low = first[r]
        matrix[r, :low] = 0
        if low < matrix.shape[1]:
            t = _shift(matrix[r, low:])
            for k in range(low, matrix.shape[1]):
                matrix[r, k] = max(matrix[r, k] - t, 0.0)
