"""Features on a common scale, in single precision."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray

from hypcse._checks import check_choice, check_features


class Scaling(ABC):
    """What was learned from a table to bring it, and later points, on a common scale; one class per kind.

    kind  : its name among `SCALES`.
    parts : names and types of the one-dimensional arrays that were learned.
    """

    kind: ClassVar[str]
    parts: ClassVar[dict[str, Any]]

    @classmethod
    @abstractmethod
    def learn(cls, features: NDArray[np.float32]) -> Self:
        """The scaling of a table (n, d)."""

    @property
    @abstractmethod
    def n_columns(self) -> int:
        """Columns of the table that it was learned from."""

    @abstractmethod
    def scaled(self, features: NDArray[np.float32]) -> NDArray[np.float32]:
        """The features (m, d) on that scale, unchecked."""

    def apply(self, X: ArrayLike) -> NDArray[np.float32]:
        """X on that scale, (m, d).

        Values beyond those learned from go beyond the range of those.

        >>> scaling, _ = fit_scaling([[1.0], [3.0]])
        >>> scaling.apply([[2.0], [5.0]]).tolist()
        [[0.5], [2.0]]
        """
        features = _single_precision(check_features(X))
        if features.shape[1] != self.n_columns:
            raise ValueError(
                f"X has {features.shape[1]} columns, but the scale was learned from {self.n_columns}. "
                "Pass the same columns."
            )
        with np.errstate(over="ignore", invalid="ignore"):
            scaled = self.scaled(features)
        wrong = ~np.isfinite(scaled)
        if wrong.any():
            row, column = (int(k) for k in np.argwhere(wrong)[0])
            raise ValueError(
                f"X has {features[row, column]:.6g} at ({row}, {column}), too far from the values fitted for float32 "
                f"(limit {np.finfo(np.float32).max:.3g} after scaling). Remove that row."
            )
        return scaled


@dataclass(frozen=True, eq=False)
class LinearScaling(Scaling):
    """Columns that are shifted and stretched, by one number each, (d,).

    The arithmetic is that of scikit-learn's `MinMaxScaler` and `StandardScaler` in float32.
    """

    parts: ClassVar[dict[str, Any]] = {"shift": np.float32, "factor": np.float32}
    shift: NDArray[np.float32]
    factor: NDArray[np.float32]

    def __post_init__(self) -> None:
        if self.shift.shape != self.factor.shape:
            raise ValueError(f"it shifts {self.shift.size} columns and stretches {self.factor.size}")

    @property
    def n_columns(self) -> int:
        return self.shift.size


class MinMaxScaling(LinearScaling):
    """x * factor + shift, in [0, 1] for the table."""

    kind = "minmax"

    @classmethod
    def learn(cls, features: NDArray[np.float32]) -> Self:
        from sklearn.preprocessing import MinMaxScaler

        fitted: Any = MinMaxScaler().fit(features)
        return cls(np.asarray(fitted.min_, np.float32), np.asarray(fitted.scale_, np.float32))

    def scaled(self, features: NDArray[np.float32]) -> NDArray[np.float32]:
        return features * self.factor + self.shift


class StandardScaling(LinearScaling):
    """(x - shift) / factor, of mean 0 and variance 1 for the table."""

    kind = "standard"

    @classmethod
    def learn(cls, features: NDArray[np.float32]) -> Self:
        from sklearn.preprocessing import StandardScaler

        fitted: Any = StandardScaler().fit(features)
        return cls(np.asarray(fitted.mean_, np.float32), np.asarray(fitted.scale_, np.float32))

    def scaled(self, features: NDArray[np.float32]) -> NDArray[np.float32]:
        return (features - self.shift) / self.factor


class NoScaling(LinearScaling):
    """x itself: shifted by 0 and stretched by 1."""

    kind = "none"

    @classmethod
    def learn(cls, features: NDArray[np.float32]) -> Self:
        n_columns = features.shape[1]
        return cls(np.zeros(n_columns, np.float32), np.ones(n_columns, np.float32))

    def scaled(self, features: NDArray[np.float32]) -> NDArray[np.float32]:
        return features


KINDS: dict[str, type[Scaling]] = {scaling.kind: scaling for scaling in (MinMaxScaling, StandardScaling, NoScaling)}
SCALES = tuple(KINDS)


def fit_scaling(X: ArrayLike, scale: str = "minmax") -> tuple[Scaling, NDArray[np.float32]]:
    """The scaling of a table, see `scale_features`, and the table on that scale, (n, d)."""
    check_choice("scale", scale, SCALES)
    features = _single_precision(check_features(X))
    with np.errstate(over="ignore", invalid="ignore"):
        scaling = KINDS[scale].learn(features)
        scaled = scaling.scaled(features)
        if scale != "none":
            _check_range(features, scaled)
    return scaling, scaled


def scale_features(X: ArrayLike, scale: str = "minmax") -> NDArray[np.float32]:
    """X in float32, column by column on a common scale, shape (n, d).

    "minmax"   : to [0, 1], by scikit-learn's `MinMaxScaler` fitted in float32; constant columns become 0.
    "standard" : to mean 0 and variance 1, by its `StandardScaler` likewise.
    "none"     : cast to float32 only.

    Float32 is the precision of the published figures: float64 moves ties between neighbours.

    >>> scale_features([[1, 5], [2, 5], [3, 5]]).tolist()
    [[0.0, 0.0], [0.5, 0.0], [1.0, 0.0]]
    """
    return fit_scaling(X, scale)[1]


def _single_precision(features: NDArray[np.floating]) -> NDArray[np.float32]:
    limit = np.finfo(np.float32).max
    with np.errstate(over="ignore"):
        cast = np.ascontiguousarray(features, dtype=np.float32)
    wrong = ~np.isfinite(cast)
    if wrong.any():
        row, column = (int(k) for k in np.argwhere(wrong)[0])
        raise ValueError(
            f"X has {features[row, column]:.6g} at ({row}, {column}), beyond float32's limit of {limit:.3g}. "
            "Divide that column by a constant first."
        )
    return cast


def _check_range(features: NDArray[np.float32], scaled: NDArray[np.float32]) -> None:
    """A sum that overflows gives no number, but a range that overflows would silently scale its column to 0."""
    low, high = features.min(axis=0), features.max(axis=0)
    wrong = np.flatnonzero(~(np.isfinite(high - low) & np.isfinite(scaled).all(axis=0)))
    if wrong.size:
        raise ValueError(
            f"column {wrong[0]} of X reaches from {low[wrong[0]]:.3g} to {high[wrong[0]]:.3g}, too far for "
            f"float32 (limit {np.finfo(np.float32).max:.3g}). Divide that column by a constant first."
        )
