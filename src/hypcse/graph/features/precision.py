"""Features in single precision, after columns that it cannot hold are moved or rescaled in double precision."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from hypcse._checks import warn

LOST_SHARE = 2.0**-16
"""Single precision loses a column if its spacing at the largest value exceeds this share of the column's range."""
LEAST_STEPS = 16
"""A range of fewer steps of the given precision is rounding, unless these steps are those of whole numbers."""
LEAST_RANGE, MAX_VALUE = 2.0**-16, 2.0**100
"""Columns with smaller ranges or larger values are multiplied by a power of two before they are scaled."""
TO_ZERO = -5000
"""An exponent that makes any number 0."""


class Shifts(NamedTuple):
    """How columns become single precision: (x - offset) * 2^exponent, each (d,)."""

    offset: NDArray[np.float64]
    exponent: NDArray[np.int64]

    @property
    def any(self) -> bool:
        """Whether any column is moved or rescaled."""
        return bool(self.offset.any() or self.exponent.any())

    def cast(self, features: NDArray[np.floating]) -> NDArray[np.float32]:
        """The features (m, d) in float32; columns that are not shifted are cast as they are."""
        if not self.any:
            return single_precision(features)
        with np.errstate(over="ignore"):
            cast = np.array(features, np.float32, order="C")
            for column in np.flatnonzero((self.offset != 0) | (self.exponent != 0)):
                moved = features[:, column].astype(np.float64) - self.offset[column]
                cast[:, column] = np.ldexp(moved, self.exponent[column])
        _check_limit(features, cast)
        return cast


def single_precision(features: NDArray[np.floating]) -> NDArray[np.float32]:
    """The features in float32 as they are."""
    with np.errstate(over="ignore"):
        cast = np.ascontiguousarray(features, dtype=np.float32)
    _check_limit(features, cast)
    return cast


def choose_shifts(
    low: NDArray[np.floating], high: NDArray[np.floating], *, movable: bool = True, rescalable: bool = True
) -> Shifts:
    """How columns between `low` and `high`, (d,) each in the precision of the table, become single precision.

    A column that single precision would lose is moved to start at 0. One whose range is too small or whose values are
    too large for scalers is multiplied by a power of two, which changes no digit. One that varies by rounding alone
    becomes 0, with a warning.

    movable    : whether a constant may be subtracted; not if angles at the origin count.
    rescalable : whether columns may be multiplied; not if they are compared in their own units.

    >>> choose_shifts(np.array([1.7e9, 1.5]), np.array([1.7e9 + 60, 1.6])).offset.tolist()
    [1700000000.0, 0.0]
    """
    largest = np.maximum(np.abs(low), np.abs(high))
    with np.errstate(over="ignore"):
        extent = high.astype(np.float64) - low
        lost = np.spacing(largest.astype(np.float32)) > LOST_SHARE * extent
        few = (extent > 0) & (extent < LEAST_STEPS * np.spacing(largest))
    _check_steps(largest, extent, few)
    rounding = few & (extent < 1) & movable
    moved = lost & (extent > 0) & movable
    offset = np.where(moved, low, 0.0).astype(np.float64)
    _warn_of_columns(rounding, "vary only by rounding and are taken for constant")
    exponent = np.zeros(low.size, np.int64)
    if rescalable:
        exponent = _exponents(np.where(moved, extent, largest.astype(np.float64)), extent)
    else:
        _warn_of_columns(
            (extent > 0) & (extent < np.finfo(np.float32).tiny),
            f"vary by less than {np.finfo(np.float32).tiny:.2g}, the least number of float32, and become 0 or lose "
            'digits: multiply them by a constant, or use another scale than "none"',
        )
    return Shifts(offset, np.where(rounding, TO_ZERO, exponent))


def _exponents(largest: NDArray[np.float64], extent: NDArray[np.float64]) -> NDArray[np.int64]:
    """Powers of two by which columns are multiplied so that scalers can handle them; 0 for most."""
    tiny = (extent > 0) & (extent < LEAST_RANGE)
    reach = np.where(tiny, extent, largest)
    return np.where(tiny | (largest > MAX_VALUE), -np.frexp(reach)[1], 0).astype(np.int64)


def _check_steps(largest: NDArray[np.floating], extent: NDArray[np.float64], few: NDArray[np.bool_]) -> None:
    """Raise if values are so large that their precision cannot tell even whole numbers apart."""
    coarse = largest >= 2.0 ** (np.finfo(largest.dtype).nmant + 1)
    lost = coarse & (few if extent.any() else extent == 0)
    if lost.any():
        column = int(np.argmax(lost))
        step = np.spacing(largest[column])
        raise ValueError(
            f"column {column} of X holds values near {largest[column]:.6g}, where {largest.dtype} tells values apart "
            f"only if they differ by {step:.3g}. Subtract an offset before making the table, or leave the column out."
        )
    _warn_of_columns(
        coarse & (extent == 0),
        f"are constant at values so large that {largest.dtype} cannot tell whole numbers apart: "
        "subtract an offset before making the table if they should vary",
    )


def _warn_of_columns(chosen: NDArray[np.bool_], what: str) -> None:
    columns = np.flatnonzero(chosen)
    if columns.size:
        named = ", ".join(map(str, columns[:8])) + (", ..." if columns.size > 8 else "")
        warn(f"columns of X (by position, from 0: {named}) {what}.")


def _check_limit(features: NDArray[np.floating], cast: NDArray[np.float32]) -> None:
    """Raise with the first value that float32 cannot hold."""
    wrong = ~np.isfinite(cast)
    if wrong.any():
        row, column = (int(k) for k in np.argwhere(wrong)[0])
        raise ValueError(
            f"X has {features[row, column]:.6g} at ({row}, {column}), beyond float32's limit of "
            f"{np.finfo(np.float32).max:.3g}. Divide that column by a constant first."
        )
