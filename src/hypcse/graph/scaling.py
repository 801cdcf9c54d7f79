"""Features on a common scale, in single precision."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from hypcse._checks import check_choice, check_features

SCALES = ("minmax", "standard", "none")


def scale_features(X: ArrayLike, scale: str = "minmax") -> NDArray[np.float32]:
    """X in float32, column by column on a common scale, shape (n, d).

    "minmax"   : to [0, 1], by scikit-learn's `MinMaxScaler` fitted in float32; constant columns become 0.
    "standard" : to mean 0 and variance 1, by its `StandardScaler` likewise.
    "none"     : cast to float32 only.

    Float32 is the precision of the published figures: float64 moves ties between neighbours.

    >>> scale_features([[1, 5], [2, 5], [3, 5]]).tolist()
    [[0.0, 0.0], [0.5, 0.0], [1.0, 0.0]]
    """
    check_choice("scale", scale, SCALES)
    features = _single_precision(check_features(X))
    if scale == "none":
        return features
    with np.errstate(over="ignore", invalid="ignore"):
        scaled = np.ascontiguousarray(_scaler(scale).fit_transform(features), dtype=np.float32)
        _check_range(features, scaled)
    return scaled


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


def _scaler(scale: str) -> Any:
    from sklearn.preprocessing import MinMaxScaler, StandardScaler

    return MinMaxScaler() if scale == "minmax" else StandardScaler()
