"""Equal rows of a table."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from hypcse.kernels._compile import kernel

Ids = NDArray[np.int64]
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
