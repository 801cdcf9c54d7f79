"""The labels that a classifier is given."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import column_or_1d

from hypcse._checks import label_array
from hypcse._random import generator
from hypcse.labels import label_codes

LEAST_VALIDATION = 10
"""Fewer labels do not tell one epoch from another."""


def known_classes(y: ArrayLike, n_points: int) -> tuple[NDArray[Any], NDArray[np.int64]]:
    """The classes and the code of each point, -1 where it has no label; at least two classes."""
    if y is None:
        raise ValueError("requires y to be passed, but the target y is None. Pass one label per point, -1 for unknown.")
    given = label_array(y) if isinstance(y, np.ma.MaskedArray) else np.asarray(y)
    given = column_or_1d(given, warn=True) if given.ndim == 2 else given
    if given.dtype.kind == "f":
        check_classification_targets(given[~np.isnan(given)])
    classes, codes = label_codes(given)
    if codes.size != n_points:
        raise ValueError(f"y has {codes.size} labels for {n_points} points. Pass one per point, -1 for unknown.")
    if len(classes) == 0:
        raise ValueError("y has no label: all are -1, None or NaN. Label some points, or use HypCSE, which needs none.")
    if len(classes) == 1:
        raise ValueError(f"y has one class alone, {classes[0]!r}; a classifier needs at least two classes.")
    return classes, codes


def validation_rows(codes: NDArray[np.int64], fraction: float, random_state: int) -> NDArray[np.bool_]:
    """The labelled rows that pick the epoch: so large a share, or none where that is fewer than 10.

    Every class keeps a label to learn from.
    """
    labelled = np.flatnonzero(codes >= 0)
    wanted = round(fraction * labelled.size)
    chosen = np.zeros(codes.size, np.bool_)
    if wanted < LEAST_VALIDATION:
        return chosen
    order = generator(random_state, "validation").permutation(labelled)
    # The first of each class in this order stays with training.
    firsts = np.unique(codes[order], return_index=True)[1]
    chosen[np.delete(order, firsts)[:wanted]] = True
    return chosen
