"""Labels, some of them missing, as numbers."""

from __future__ import annotations

from numbers import Real
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from hypcse._checks import is_missing, label_array


def label_codes(labels: ArrayLike) -> tuple[NDArray[Any], NDArray[np.int64]]:
    """The classes in sorted order, and for each label the position of its class.

    Parameters
    ----------
    labels
        One value per point. A missing label is -1 among integers, and None or NaN among floats, strings and objects.
        Objects may hold the integer -1 too, as in scikit-learn. Among floats, -1.0 is a class. Booleans are classes.

    Returns
    -------
    classes, codes
        The labels that occur, in the dtype of the labels (objects that are all numbers become an array of numbers); and
        (n,) the position of each label in `classes`, -1 where it is missing.

    Notes
    -----
    O(n log n). There may be no class at all: the caller checks how many are needed.

    Examples
    --------
    >>> label_codes(["b", None, "a", "b"])
    (array(['a', 'b'], dtype=object), array([ 1, -1,  0,  1]))
    >>> label_codes([7, -1, 5])[1]
    array([ 1, -1,  0])
    """
    values = label_array(labels)
    if values.ndim != 1:
        raise ValueError(f"labels has shape {values.shape}, but must be one-dimensional. Pass one label per point.")
    if values.dtype.kind == "O":
        return _codes_of_objects(values)
    known = values != -1 if values.dtype.kind == "i" else values == values
    classes, places = np.unique(values[known], return_inverse=True)
    codes = np.full(values.size, -1, np.int64)
    codes[known] = places
    return classes, codes


def _codes_of_objects(values: NDArray[Any]) -> tuple[NDArray[Any], NDArray[np.int64]]:
    known = np.array([not _is_unlabelled(label) for label in values], dtype=np.bool_)
    try:
        found = sorted(set(values[known]))
    except TypeError as error:
        raise TypeError(
            f"the labels cannot be sorted: {error}. Pass labels of one kind, all text or all numbers."
        ) from None
    place = {label: code for code, label in enumerate(found)}
    codes = np.full(values.size, -1, np.int64)
    codes[known] = [place[label] for label in values[known]]
    return _as_array(found), codes


def _is_unlabelled(label: Any) -> bool:
    """Whether a label is missing, or the integer -1."""
    is_integer = isinstance(label, int | np.integer) and not isinstance(label, bool)
    return is_missing(label) or (is_integer and label == -1)


def _as_array(classes: list[Any]) -> NDArray[Any]:
    """Numbers as numbers, all else as objects."""
    if classes and all(isinstance(label, Real | np.bool_) for label in classes):
        return np.asarray(classes)
    return np.fromiter(classes, dtype=object, count=len(classes))
