"""Features on a common scale, in single precision."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from hypcse._checks import check_choice, check_features
from hypcse._choices import Metric, Scale
from hypcse.graph.precision import Shifts, shifts_between
from hypcse.graph.scales import LinearScaling, MinMaxScaling, RankScaling, Scaling, StandardScaling

KINDS: dict[str, type[LinearScaling | RankScaling]] = {
    "minmax": MinMaxScaling,
    "standard": StandardScaling,
    "rank": RankScaling,
    "none": LinearScaling,
}


def fit_scaling(
    X: ArrayLike, scale: Scale = "minmax", kinds: Sequence[str | None] | None = None, metric: Metric = "euclidean"
) -> tuple[Scaling, NDArray[np.float32]]:
    """The scaling of a table (see `scale_features`) and the scaled table, (n, d).

    `kinds` holds for each column None if it holds numbers, else the name of the text column that it belongs to. Two
    different texts are then about as far apart as two numbers of a column that differ by one standard deviation;
    without any numeric column, 1 apart.
    """
    check_choice("scale", scale, Scale)
    table = check_features(X)
    shifts = shifts_between(table.min(axis=0), table.max(axis=0), scale, metric)
    features = shifts.cast(table, KINDS[scale].precision)
    inner = KINDS[scale].learn(features)
    scaling, scaled = shifted(inner, shifts), inner.scaled(features)
    if kinds is None or not any(kinds):
        return scaling, scaled
    weights = _weights_of_kinds(scaled, kinds)
    return replace(scaling, weights=weights), scaled * weights


def shifted(scaling: Scaling, shifts: Shifts) -> Scaling:
    """A scaling that was learned from shifted columns, for the columns as they are."""
    return replace(scaling, shifts=shifts) if shifts.columns.any() else scaling


def unscaled(scaling: Scaling, scaled: NDArray[np.floating]) -> NDArray[np.floating]:
    """The features that a linear scaling made these of, up to rounding."""
    assert isinstance(scaling, LinearScaling)
    features = scaling.original(scaled if scaling.weights is None else scaled / scaling.weights)
    shifts = scaling.shifts
    return features if shifts is None else np.ldexp(features.astype(np.float64), -shifts.exponent) + shifts.offset


FEW_VALUES = 10
"""A column with at most so many different values says which kind a row is, as a coin or a year does."""


def few_valued(X: NDArray[Any]) -> NDArray[np.bool_]:
    """Which columns have few different values (at most 10), shape (d,).

    >>> few_valued(np.column_stack([np.arange(20), np.arange(20) % 2])).tolist()
    [False, True]
    """
    steps = np.diff(np.sort(X, axis=0), axis=0) > 0
    return np.count_nonzero(steps, axis=0) < FEW_VALUES


SHARE_OF_KINDS = 0.6
"""Deviation of a text column, relative to the mean deviation of numeric columns. Texts differ completely or not at all,
while numbers of neighbors differ far less than numbers of the whole table. At 1, three uninformative text columns
outweigh three informative numeric columns; at 0.5, it is the other way round. k-prototypes advises the same."""


def _weights_of_kinds(scaled: NDArray[np.float32], kinds: Sequence[str | None]) -> NDArray[np.float32]:
    """For each column 1, or the factor that gives its kind its share of the mean deviation of numeric columns."""
    variance = scaled.var(axis=0, dtype=np.float64)
    numbers = variance[[kind is None for kind in kinds]]
    numbers = numbers[numbers > 0]
    weights = np.ones(len(kinds), np.float32)
    for name in {kind for kind in kinds if kind is not None}:
        own = np.array([kind == name for kind in kinds])
        total = variance[own].sum()
        if total > 0:
            alone = 1.0 if own.sum() == 1 else np.sqrt(0.5)
            weights[own] = SHARE_OF_KINDS * np.sqrt(numbers.mean() / total) if numbers.size else alone
    return weights


def scale_features(X: ArrayLike, scale: Scale = "minmax", metric: Metric = "euclidean") -> NDArray[np.float32]:
    """Scale each column of X, in float32, shape (n, d).

    "minmax"   : to [0, 1], by scikit-learn's `MinMaxScaler` fitted in float32; constant columns become 0.
    "standard" : to mean 0 and variance 1, by its `StandardScaler` likewise.
    "rank"     : to the quantiles of the column, in (0, 1): (number of values below + half the number equal) / n. Only
                 the order of the values counts; constant columns become 0. Values that float32 would take for equal are
                 ranked in float64.
    "none"     : cast to float32 only.

    Float32 is the precision of the published figures: float64 moves ties between neighbors. A column that float32
    would lose (its spacing at the largest value is more than 2^-16 of the range) is moved to start at 0 first, in
    float64, so that a constant added to a column changes nothing; nor does a factor, unless the scale is "none".

    metric : how the scaled features will be compared; "cosine" with "none" moves no column.

    >>> scale_features([[1, 5], [2, 5], [3, 5]]).tolist()
    [[0.0, 0.0], [0.5, 0.0], [1.0, 0.0]]
    >>> scale_features([[1], [2], [2], [1000]], "rank").tolist()
    [[0.125], [0.5], [0.5], [0.875]]
    """
    return fit_scaling(X, scale, metric=metric)[1]
