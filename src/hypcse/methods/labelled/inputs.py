"""The input of a classifier: points, some of them labelled."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from hypcse._arrays import plain
from hypcse._checks import check_features
from hypcse._random import check_seed
from hypcse.graph import scale_features

Codes = NDArray[np.int64]


@dataclass(frozen=True)
class LabelledInputs:
    """Points, the labels to train on, and the labels to choose by.

    X       : unscaled features (n, d).
    rows    : ids (m,) of the points to train on.
    classes : class codes found among these, ascending.
    codes   : (m,) position in `classes` of each one's class.
    held    : ids of the validation points, which may choose an epoch and never train.
    answers : class codes of the validation points.
    """

    X: NDArray[np.floating]
    rows: Codes
    classes: Codes
    codes: Codes
    held: Codes
    answers: Codes
    random_state: int

    @property
    def n_points(self) -> int:
        """Number of points, with and without a label."""
        return len(self.X)

    @cached_property
    def features(self) -> NDArray[np.float64]:
        """Features scaled to [0, 1] column by column, over all points."""
        return scale_features(self.X).astype(np.float64)

    @property
    def majority(self) -> int:
        """Position in `classes` of the most frequent class, the first in a tie."""
        return int(np.bincount(self.codes).argmax())


def check_inputs(X: ArrayLike, y: ArrayLike, random_state: int, validation: ArrayLike | None) -> LabelledInputs:
    """The inputs of a table X (n, d), class codes y (n,) with -1 for no label, and a mask (n,) of validation points.

    >>> inputs = check_inputs([[0.0], [1.0], [2.0]], [4, -1, 2], 0, None)
    >>> inputs.rows.tolist(), inputs.classes.tolist(), inputs.codes.tolist()
    ([0, 2], [2, 4], [1, 0])
    """
    features = check_features(X)
    y = _class_codes(y, len(features))
    held = _mask(validation, len(features)) & (y >= 0)
    rows = np.flatnonzero((y >= 0) & ~held)
    if rows.size == 0:
        raise ValueError(
            f"y has no label to train on: {int(held.sum())} of {y.size} points have one, all for validation. "
            "Give some points outside of validation a class code of 0 or more."
        )
    classes, codes = np.unique(y[rows], return_inverse=True)
    return LabelledInputs(features, rows, classes, codes, np.flatnonzero(held), y[held], check_seed(random_state))


def _class_codes(y: ArrayLike, n_points: int) -> Codes:
    codes: NDArray[Any] = plain("y", y)
    if codes.dtype.kind not in "iu":
        raise TypeError(f"y must hold integer class codes, got {codes.dtype}. Pass 0, 1, ... and -1 for no label.")
    if codes.shape != (n_points,):
        raise ValueError(f"y has shape {codes.shape}, but X has {n_points} rows. Pass one code per row.")
    if codes.size and codes.min() < -1:
        raise ValueError(f"y has the code {codes.min()}; codes are 0 or more, and -1 for no label.")
    return codes.astype(np.int64)


def _mask(validation: ArrayLike | None, n_points: int) -> NDArray[np.bool_]:
    if validation is None:
        return np.zeros(n_points, bool)
    mask: NDArray[Any] = plain("validation", validation)
    if mask.dtype != bool or mask.shape != (n_points,):
        raise ValueError(
            f"validation must be a mask of {n_points} booleans, got {mask.dtype} of shape {mask.shape}. "
            "Pass True for the rows to choose by."
        )
    return mask
