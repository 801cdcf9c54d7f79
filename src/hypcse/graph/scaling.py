"""Features on a common scale, in single precision: the kinds of scaling, each with what it learned from a table."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray

from hypcse._checks import check_choice, check_features
from hypcse._choices import Metric, Scale
from hypcse.graph.features import LEAST_STEPS, MAX_VALUE, Shifts, check_scaled, dense_features, shifts_between
from hypcse.kernels.arrays import Floating, Ids, Reals, Singles

SHARE_OF_KINDS = 0.6
"""Deviation of a text column, relative to the mean of numeric columns: at 1, three text columns of no information
outweigh three informative numeric ones; at 0.5, it is the other way round. k-prototypes advises the same."""


@dataclass(frozen=True, eq=False)
class Scaling:
    """What was learned from a table to scale it, and later points, in the same way; one class per kind.

    kind      : its name, one of `Scale`.
    parts     : names and types of the one-dimensional arrays that were learned.
    precision : of the features that it is learned from.
    shifts    : how columns are moved first, if any are.
    weights   : (d,) what columns are multiplied by afterwards, if anything.
    """

    kind: ClassVar[str]
    parts: ClassVar[dict[str, Any]]
    precision: ClassVar[type[Any]] = np.float32
    shifts: Shifts | None = field(default=None, kw_only=True)
    weights: Singles | None = field(default=None, kw_only=True)

    @property
    def n_columns(self) -> int:
        """Number of columns of the table that it was learned from."""
        raise NotImplementedError

    def scaled(self, features: NDArray[Any]) -> Singles:
        """The features (m, d), moved already, on the scale; not weighted."""
        raise NotImplementedError

    def apply(self, X: ArrayLike) -> Singles:
        """Scale X, (m, d); values outside the fitted range go beyond it, but "rank" gives them the nearest quantile."""
        table = check_features(X)
        if table.shape[1] != self.n_columns:
            raise ValueError(
                f"X has {table.shape[1]} columns, but the scale was learned from {self.n_columns}. "
                "Pass the same columns."
            )
        features = (self.shifts or Shifts.none(self.n_columns)).cast(table, self.precision)
        with np.errstate(over="ignore", invalid="ignore"):
            scaled = self.scaled(features)
            scaled = scaled if self.weights is None else scaled * self.weights
        check_scaled(scaled, table)
        return scaled


@dataclass(frozen=True, eq=False)
class LinearScaling(Scaling):
    """Each column shifted and stretched by one number, (d,), as scikit-learn's scalers do; x itself for kind "none"."""

    kind = "none"
    parts: ClassVar[dict[str, Any]] = {"shift": np.float32, "factor": np.float32}
    shift: Singles
    factor: Singles

    def __post_init__(self) -> None:
        if self.shift.shape != self.factor.shape:
            raise ValueError(f"it shifts {self.shift.size} columns and stretches {self.factor.size}")

    @classmethod
    def learn(cls, features: Singles) -> Self:
        """The scaling of a table (n, d)."""
        n_columns = features.shape[1]
        return cls(np.zeros(n_columns, np.float32), np.ones(n_columns, np.float32))

    @property
    def n_columns(self) -> int:
        return self.shift.size

    def scaled(self, features: Singles) -> Singles:
        return features

    def original(self, scaled: Floating) -> Floating:
        """The features (m, d) from which these were scaled, up to rounding."""
        return scaled


class MinMaxScaling(LinearScaling):
    """x * factor + shift, in [0, 1] for the table."""

    kind = "minmax"

    @classmethod
    def learn(cls, features: Singles) -> Self:
        from sklearn.preprocessing import MinMaxScaler

        scaler = MinMaxScaler().fit(features)
        return cls(np.asarray(scaler.min_, np.float32), np.asarray(scaler.scale_, np.float32))

    def scaled(self, features: Singles) -> Singles:
        return features * self.factor + self.shift

    def original(self, scaled: Floating) -> Floating:
        return (scaled - self.shift) / self.factor


class StandardScaling(LinearScaling):
    """(x - shift) / factor, of mean 0 and variance 1 for the table."""

    kind = "standard"

    @classmethod
    def learn(cls, features: Singles) -> Self:
        from sklearn.preprocessing import StandardScaler

        scaler = StandardScaler().fit(features)
        return cls(np.asarray(scaler.mean_, np.float32), np.asarray(scaler.scale_, np.float32))

    def scaled(self, features: Singles) -> Singles:
        return (features - self.shift) / self.factor

    def original(self, scaled: Floating) -> Floating:
        return scaled * self.factor + self.shift


@dataclass(frozen=True, eq=False)
class RankScaling(Scaling):
    """The quantile of each value in its column: linear between the fitted values, constant beyond them.

    The quantile of a fitted value is (number of values below + half the number equal) / n. A column is compared in
    float32, which takes values that differ by rounding for equal; in float64 if float32 also merges others.

    values    : distinct values of the first column, ascending, then of the second, and so on.
    quantiles : of these values; 0 in a constant column.
    starts    : (d + 1,) where each column starts in both, and where the last one ends.
    """

    kind = "rank"
    precision = np.float64
    parts: ClassVar[dict[str, Any]] = {"values": np.float64, "quantiles": np.float32, "starts": np.int64}
    values: Reals
    quantiles: Singles
    starts: Ids

    @classmethod
    def learn(cls, features: Floating) -> Self:
        """The scaling of a table (n, d)."""
        columns = [_column_quantiles(column) for column in features.T]
        values, quantiles = (np.concatenate(part) for part in zip(*columns, strict=True))
        sizes = [distinct.size for distinct, _ in columns]
        return cls(values, quantiles, np.cumsum([0, *sizes], dtype=np.int64))

    @property
    def n_columns(self) -> int:
        return self.starts.size - 1

    def scaled(self, features: Floating) -> Singles:
        scaled = np.empty(features.shape, np.float32)
        for column in range(self.n_columns):
            own = slice(self.starts[column], self.starts[column + 1])
            values, new = self.values[own], features[:, column]
            with np.errstate(over="ignore"):
                if np.array_equal(values.astype(np.float32), values):
                    new = new.astype(np.float32)
            # In float64, large ones divided, so that no difference overflows: a fitted value has its quantile exactly.
            power = -2 if max(values[-1], -values[0]) > MAX_VALUE else 0
            new = np.ldexp(np.clip(new, values[0], values[-1]).astype(np.float64), power)
            scaled[:, column] = np.interp(new, np.ldexp(values, power), self.quantiles[own])
        return scaled


def _column_quantiles(column: Floating) -> tuple[Reals, Singles]:
    """The distinct values of a column, ascending, and their quantiles."""
    values, counts = np.unique(column, return_counts=True)
    with np.errstate(over="ignore"):
        single = values.astype(np.float32)
        merged = np.diff(values)[single[1:] == single[:-1]]
        rounding = LEAST_STEPS * np.spacing(max(abs(values[0]), abs(values[-1])))
    if np.isfinite(single).all() and (merged < rounding).all():
        values, place = np.unique(single, return_inverse=True)
        counts = np.bincount(place, counts).astype(np.int64)
    if values.size == 1:
        return values.astype(np.float64), np.zeros(1, np.float32)
    return values.astype(np.float64), ((np.cumsum(counts) - counts / 2) / column.size).astype(np.float32)


KINDS: dict[str, type[LinearScaling | RankScaling]] = {
    "minmax": MinMaxScaling,
    "standard": StandardScaling,
    "rank": RankScaling,
    "none": LinearScaling,
}


def scale_features(X: ArrayLike, scale: Scale = "minmax", metric: Metric = "euclidean") -> NDArray[np.float32]:
    """Scale each column of X, in float32, shape (n, d); sparse features are made dense, see `similarity_graph`.

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
    return fit_scaling(dense_features(X), scale, metric=metric)[1]


def fit_scaling(
    X: ArrayLike, scale: Scale = "minmax", kinds: Sequence[str | None] | None = None, metric: Metric = "euclidean"
) -> tuple[Scaling, Singles]:
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


def unscaled(scaling: Scaling, scaled: Floating) -> Floating:
    """The features that a linear scaling made these of, up to rounding."""
    assert isinstance(scaling, LinearScaling)
    features = scaling.original(scaled if scaling.weights is None else scaled / scaling.weights)
    shifts = scaling.shifts
    return features if shifts is None else np.ldexp(features.astype(np.float64), -shifts.exponent) + shifts.offset


def _weights_of_kinds(scaled: Singles, kinds: Sequence[str | None]) -> Singles:
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
