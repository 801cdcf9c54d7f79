"""Checks whose error texts give the value, the limit and the way out."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import ArrayLike, NDArray


class HypcseWarning(UserWarning):
    """Something was done differently from what was asked; the text says what and why."""


def check_choice(name: str, value: object, choices: Sequence[str]) -> None:
    """Raise unless `value` is one of `choices`."""
    if value not in choices:
        listed = ", ".join(repr(choice) for choice in choices)
        raise ValueError(f"{name}={value!r} is not known. Choose one of {listed}.")


def check_count(name: str, value: object, low: int, high: int | None = None) -> int:
    """An integer between `low` and `high`, both included."""
    if isinstance(value, bool) or not isinstance(value, int | np.integer):
        raise TypeError(f"{name}={value!r} must be an integer, got {type(value).__name__}.")
    if value < low or (high is not None and value > high):
        limits = f"at least {low}" if high is None else f"between {low} and {high}"
        raise ValueError(f"{name}={value} must be {limits}.")
    return int(value)


def check_finite(name: str, values: NDArray[np.floating]) -> None:
    """Raise with the first position that is NaN or infinite."""
    bad = ~np.isfinite(values)
    if bad.any():
        where = tuple(int(k) for k in np.argwhere(bad)[0])
        shown = where[0] if len(where) == 1 else where
        raise ValueError(
            f"{name} has {int(bad.sum())} values that are not finite, the first ({values[where]}) at {shown}. "
            "Remove or fill them first."
        )


def check_features(X: ArrayLike) -> NDArray[np.floating]:
    """X as a finite two-dimensional array of floats with at least one row and one column."""
    if hasattr(X, "toarray"):
        raise TypeError("X is a sparse matrix; this function needs dense features. Pass X.toarray().")
    try:
        features = np.asarray(X)
        if features.dtype not in (np.float32, np.float64):
            features = features.astype(np.float64)
    except (TypeError, ValueError) as error:
        raise TypeError(f"X must hold numbers only: {error}. Encode text columns first.") from None
    if features.ndim != 2:
        raise ValueError(
            f"X must be two-dimensional (points x features), got shape {features.shape}. "
            "Reshape a single column with X.reshape(-1, 1)."
        )
    if 0 in features.shape:
        raise ValueError(f"X has shape {features.shape}; at least one row and one column are needed.")
    check_finite("X", features)
    return features


def check_labels(labels: ArrayLike, n_points: int) -> NDArray[np.int64]:
    """Class codes from 0 for one label per point; any hashable kind of label is allowed."""
    values = np.asarray(labels)
    if values.shape != (n_points,):
        raise ValueError(f"labels has shape {values.shape}, but there are {n_points} points. Pass one label per point.")
    if values.dtype.kind == "f":
        check_finite("labels", values)
    if values.dtype.kind == "O":
        values = values.astype(str)
    return np.unique(values, return_inverse=True)[1].astype(np.int64)
