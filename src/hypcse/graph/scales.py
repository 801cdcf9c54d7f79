"""The kinds of scaling, each with what it learned from a table."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray

from hypcse._checks import check_features
from hypcse.graph.precision import LEAST_STEPS, MAX_VALUE, Shifts, check_scaled


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
    weights: NDArray[np.float32] | None = field(default=None, kw_only=True)

    def __post_init__(self) -> None:
        shape = (self.n_columns,)
        if self.shifts is not None and not self.shifts.offset.shape == self.shifts.exponent.shape == shape:
            raise ValueError(f"it moves {self.shifts.offset.size} columns of {self.n_columns}")
        if self.weights is not None and (self.weights.shape != shape or self.weights.min(initial=1) <= 0):
            raise ValueError(f"it weighs {self.weights.size} columns of {self.n_columns}, or some by 0 or less")

    @property
    def n_columns(self) -> int:
        """Number of columns of the table that it was learned from."""
        raise NotImplementedError

    def scaled(self, features: NDArray[Any]) -> NDArray[np.float32]:
        """The features (m, d), moved already, on the scale; not weighted."""
        raise NotImplementedError

    def apply(self, X: ArrayLike) -> NDArray[np.float32]:
        """Scale X, (m, d); values outside the fitted range go beyond it, but "rank" gives them the nearest quantile.

        >>> scaling = MinMaxScaling.learn(np.array([[1.0], [3.0]], np.float32))
        >>> scaling.apply([[2.0], [5.0]]).tolist()
        [[0.5], [2.0]]
        """
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
    shift: NDArray[np.float32]
    factor: NDArray[np.float32]

    def __post_init__(self) -> None:
        if self.shift.shape != self.factor.shape:
            raise ValueError(f"it shifts {self.shift.size} columns and stretches {self.factor.size}")
        super().__post_init__()

    @classmethod
    def learn(cls, features: NDArray[np.float32]) -> Self:
        """The scaling of a table (n, d)."""
        n_columns = features.shape[1]
        return cls(np.zeros(n_columns, np.float32), np.ones(n_columns, np.float32))

    @property
    def n_columns(self) -> int:
        return self.shift.size

    def scaled(self, features: NDArray[np.float32]) -> NDArray[np.float32]:
        return features

    def original(self, scaled: NDArray[np.floating]) -> NDArray[np.floating]:
        """The features (m, d) from which these were scaled, up to rounding."""
        return scaled


class MinMaxScaling(LinearScaling):
    """x * factor + shift, in [0, 1] for the table."""

    kind = "minmax"

    @classmethod
    def learn(cls, features: NDArray[np.float32]) -> Self:
        from sklearn.preprocessing import MinMaxScaler

        scaler = MinMaxScaler().fit(features)
        return cls(np.asarray(scaler.min_, np.float32), np.asarray(scaler.scale_, np.float32))

    def scaled(self, features: NDArray[np.float32]) -> NDArray[np.float32]:
        return features * self.factor + self.shift

    def original(self, scaled: NDArray[np.floating]) -> NDArray[np.floating]:
        return (scaled - self.shift) / self.factor


class StandardScaling(LinearScaling):
    """(x - shift) / factor, of mean 0 and variance 1 for the table."""

    kind = "standard"

    @classmethod
    def learn(cls, features: NDArray[np.float32]) -> Self:
        from sklearn.preprocessing import StandardScaler

        scaler = StandardScaler().fit(features)
        return cls(np.asarray(scaler.mean_, np.float32), np.asarray(scaler.scale_, np.float32))

    def scaled(self, features: NDArray[np.float32]) -> NDArray[np.float32]:
        return (features - self.shift) / self.factor

    def original(self, scaled: NDArray[np.floating]) -> NDArray[np.floating]:
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
    values: NDArray[np.float64]
    quantiles: NDArray[np.float32]
    starts: NDArray[np.int64]

    def __post_init__(self) -> None:
        starts, n_values = self.starts, self.values.size
        apart = starts.size > 1 and starts[0] == 0 and starts[-1] == n_values and (starts[1:] > starts[:-1]).all()
        if not apart or self.quantiles.size != n_values:
            raise ValueError(
                f"its {n_values} values and {self.quantiles.size} quantiles are not those of columns that start and "
                f"end at {starts.tolist()!r:.80}"
            )
        inside = np.ones(n_values, bool)
        inside[starts[1:] - 1] = False
        ascending = (self.values[:-1] < self.values[1:]) & (self.quantiles[:-1] <= self.quantiles[1:])
        if not ascending[inside[:-1]].all() or self.quantiles.min() < 0 or self.quantiles.max() > 1:
            raise ValueError("its values do not ascend in each column, or their quantiles do not ascend from 0 to 1")
        super().__post_init__()

    @classmethod
    def learn(cls, features: NDArray[np.floating]) -> Self:
        """The scaling of a table (n, d)."""
        columns = [_column_quantiles(column) for column in features.T]
        values, quantiles = (np.concatenate(part) for part in zip(*columns, strict=True))
        sizes = [distinct.size for distinct, _ in columns]
        return cls(values, quantiles, np.cumsum([0, *sizes], dtype=np.int64))

    @property
    def n_columns(self) -> int:
        return self.starts.size - 1

    def scaled(self, features: NDArray[np.floating]) -> NDArray[np.float32]:
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


def _column_quantiles(column: NDArray[np.floating]) -> tuple[NDArray[np.float64], NDArray[np.float32]]:
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
