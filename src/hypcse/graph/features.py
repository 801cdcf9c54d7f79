"""Tables as dense features in single precision, after columns that it cannot hold are moved or rescaled."""

from __future__ import annotations

from typing import Any, NamedTuple, Self

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from hypcse._checks import check_finite, check_real, warn
from hypcse._choices import Metric, Scale
from hypcse.graph.compressed import stored_position
from hypcse.kernels.arrays import Flags, Floating, Ids, Reals

MAX_DENSE_COLUMNS, N_REDUCED = 512, 64
"""A sparse table with more columns than the first number is reduced to the second number of columns."""
LOST_SHARE = 2.0**-16
"""Single precision loses a column if its spacing at the largest value exceeds this share of the column's range."""
LEAST_STEPS = 16
"""A range of fewer steps of the given precision is rounding, unless these steps are those of whole numbers."""
LEAST_RANGE, MAX_VALUE = 2.0**-16, 2.0**100
"""Columns with smaller ranges or larger values are multiplied by a power of two before they are scaled."""
TO_ZERO = -5000
"""An exponent that makes any number 0."""


def learn_reduction(table: Any, random_state: int = 0) -> NDArray[Any] | None:
    """The main directions (64, d), or fewer at a low rank, of a sparse table of over 512 columns; None for others."""
    if not sparse.issparse(table) or table.shape[1] <= MAX_DENSE_COLUMNS:
        return None
    from sklearn.decomposition import TruncatedSVD

    width = max(1, min(N_REDUCED, min(table.shape) - 1))
    fitted = TruncatedSVD(width, random_state=random_state).fit(table)
    # Along others, rows differ by rounding, which scaling would blow up.
    rounding = max(table.shape) * np.finfo(fitted.components_.dtype).eps * fitted.singular_values_[0]
    return fitted.components_[: max(1, int((fitted.singular_values_ > rounding).sum()))]


def reduce_columns(table: Any, components: NDArray[Any] | None) -> NDArray[Any]:
    """The table as dense features, in the coordinates of `components` if these are given."""
    if components is not None:
        return np.asarray(table @ components.T)
    return table.toarray() if sparse.issparse(table) else table


def dense_features(X: Any) -> Any:
    """Make sparse features dense; more than 512 columns are reduced to 64 main directions. Others stay as they are."""
    if not sparse.issparse(X):
        return X
    check_real("the features X", X)
    table = sparse.csr_array(X, dtype=X.dtype if X.dtype in (np.float32, np.float64) else np.float64)
    check_finite("X", table.data, lambda entry: stored_position(table, entry))
    return reduce_columns(table, learn_reduction(table))


class Shifts(NamedTuple):
    """How columns are brought into reach of a scaling: (x - offset) * 2^exponent, each (d,)."""

    offset: Reals
    exponent: Ids

    @classmethod
    def none(cls, n_columns: int) -> Self:
        """No column is moved."""
        return cls(np.zeros(n_columns), np.zeros(n_columns, np.int64))

    @property
    def columns(self) -> Flags:
        """Which columns are moved or rescaled."""
        return (self.offset != 0) | (self.exponent != 0)

    def cast(self, features: Floating, precision: type[Any] = np.float32) -> NDArray[Any]:
        """The features (m, d) in that precision; columns that are not shifted are cast as they are."""
        columns = self.columns
        with np.errstate(over="ignore"):
            cast = np.array(features, precision, order="C", copy=True if columns.any() else None)
            for column in np.flatnonzero(columns).tolist():
                moved = features[:, column].astype(np.float64) - self.offset[column]
                cast[:, column] = np.ldexp(moved, self.exponent[column])
        check_scaled(cast, features, columns)
        return cast


def check_scaled(scaled: Floating, features: Floating, fitted: bool | Flags = True) -> None:
    """Raise with the first feature (m, d) that is out of range once scaled, in a column that is `fitted` or not."""
    wrong = ~np.isfinite(scaled)
    if wrong.any():
        row, column = (int(k) for k in np.argwhere(wrong)[0])
        limit = np.finfo(np.float32).max
        raise ValueError(
            f"X has {features[row, column]:.6g} at ({row}, {column}), "
            + (
                f"too far from the values fitted for float32 (limit {limit:.3g} after scaling). Remove that row."
                if np.broadcast_to(fitted, scaled.shape[1])[column]
                else f"beyond float32's limit of {limit:.3g}. Divide that column by a constant first."
            )
        )


def shifts_between(low: Floating, high: Floating, scale: Scale = "minmax", metric: Metric = "euclidean") -> Shifts:
    """How columns between `low` and `high`, (d,) each in the precision of the table, come within reach of a scaling.

    A column that single precision would lose is moved to start at 0, but not if angles at the origin count. One with a
    small range or large values is multiplied by a power of two, unless columns keep their own scale. Ranks need
    neither. One that varies by rounding alone becomes 0, with a warning.
    """
    fixed = metric == "cosine" and scale == "none"
    largest = np.maximum(np.abs(low), np.abs(high))
    with np.errstate(over="ignore"):
        extent = high.astype(np.float64) - low
        few = (extent > 0) & (extent < LEAST_STEPS * np.spacing(largest)) & (not fixed)
    if not fixed:
        _check_steps(largest, extent, few)
    rounding = few & (extent < 1)
    _warn_of_columns(rounding, "vary only by rounding and are taken for constant")
    largest = largest.astype(np.float64)
    # The spacing of float32 at the largest value, without its limits.
    spacing = np.ldexp(1.0, np.frexp(largest)[1] - np.finfo(np.float32).nmant - 1)
    moved = (extent > 0) & (spacing > LOST_SHARE * extent) & (not fixed and scale != "rank")
    reach = np.where(moved, extent, largest)
    exponent = np.zeros(low.size, np.int64)
    if scale == "none":
        _warn_of_columns(
            (extent > 0) & (reach < np.finfo(np.float32).tiny),
            f"lie within {np.finfo(np.float32).tiny:.2g} of each other, the least number of float32, and become 0 or "
            'lose digits: multiply them by a constant, or use another scale than "none"',
        )
    elif scale != "rank":
        tiny = (extent > 0) & (extent < LEAST_RANGE)
        exponent = np.where(tiny | (reach > MAX_VALUE), -np.frexp(np.where(tiny, extent, reach))[1], 0)
    return Shifts(np.where(moved, low, 0.0).astype(np.float64), np.where(rounding, TO_ZERO, exponent).astype(np.int64))


def _check_steps(largest: Floating, extent: Reals, few: Flags) -> None:
    """Raise (in float64), or warn, if values are so large that even whole numbers cannot be told apart."""
    kind = largest.dtype
    coarse = largest >= 2.0 ** (np.finfo(kind).nmant + 1)
    lost = coarse & (few if extent.any() else extent == 0)
    if kind != np.float64:
        _warn_of_columns(lost, f"hold values that {kind} can hardly tell apart: pass float64, or subtract an offset")
    elif lost.any():
        column = int(np.argmax(lost))
        raise ValueError(
            f"column {column} of X holds values near {largest[column]:.6g}, where {kind} tells values apart only if "
            f"they differ by {np.spacing(largest[column]):.3g}. Subtract an offset before making the table, or leave "
            "the column out."
        )
    else:
        _warn_of_columns(
            coarse & (extent == 0),
            f"are constant at values so large that {kind} cannot tell whole numbers apart: subtract an offset before "
            "making the table if they should vary",
        )


def _warn_of_columns(chosen: Flags, what: str) -> None:
    columns = np.flatnonzero(chosen)
    if columns.size:
        named = ", ".join(map(str, columns[:8])) + (", ..." if columns.size > 8 else "")
        warn(f"columns of X (by position, from 0: {named}) {what}.")
