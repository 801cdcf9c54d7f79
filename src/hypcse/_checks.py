"""Checks. Their error messages give the value, the limit and the way out."""

from __future__ import annotations

import os
import sys
import warnings
from collections import Counter
from collections.abc import Callable, Iterable
from difflib import get_close_matches
from math import inf, isfinite
from typing import Any, get_args

import numpy as np
from numpy.typing import ArrayLike, NDArray

from hypcse._arrays import check_unmasked


class HypcseWarning(UserWarning):
    """Something was done differently from what was asked; the text says what and why."""


class Interrupted(HypcseWarning):
    """Work was stopped by Ctrl-C; the best result so far is kept."""


class Curable(Exception):
    """An error that other values would avoid; the text says which."""


def warn(text: str, category: type[Warning] = HypcseWarning) -> None:
    """Warn at the line outside of this package that called into it."""
    frame, level = sys._getframe(1), 2
    while frame.f_back is not None and frame.f_globals.get("__name__", "").split(".")[0] == __name__.split(".")[0]:
        frame, level = frame.f_back, level + 1
    warnings.warn(text, category, stacklevel=level)


def did_you_mean(name: object, known: Iterable[str]) -> str:
    """A question with the nearest name, to end an error message; empty if no name is near."""
    nearest = get_close_matches(str(name).lower(), list(known), n=1, cutoff=0.5)
    return f" Did you mean {nearest[0]!r}?" if nearest else ""


def first_duplicate(values: Iterable[Any]) -> Any:
    """The first value that occurs a second time, or None. O(n)."""
    seen: set[Any] = set()
    for value in values:
        if value in seen:
            return value
        seen.add(value)
    return None


def number_repeated(names: Iterable[str]) -> tuple[str, ...]:
    """The names, those that repeat with a number; "" may repeat."""
    unique = list(names)
    used, seen, numbers = set(unique), set[str](), Counter[str]()
    for place, name in enumerate(unique):
        while name and name in seen and unique[place] in used:
            numbers[name] += 1
            unique[place] = f"{name} ({numbers[name] + 1})"
        used.add(unique[place])
        seen.add(name)
    return tuple(unique)


def say_count(n: int, noun: str, plural: str | None = None) -> str:
    """A number and its noun, in the singular or plural."""
    return f"{n:,} {noun if n == 1 else plural or f'{noun}s'}"


def check_choice(name: str, value: object, choices: Any) -> None:
    """Raise unless `value` is one of the words of a `Literal` type (see `_choices`) or of a sequence."""
    known = get_args(choices) or choices
    if value not in known:
        listed = ", ".join(repr(choice) for choice in known)
        raise ValueError(f"{name}={value!r} is not known. Choose one of {listed}.{did_you_mean(value, known)}")


def check_count(name: str, value: object, low: int, high: int | None = None) -> int:
    """An integer between `low` and `high`, both included."""
    if isinstance(value, bool) or not isinstance(value, int | np.integer):
        raise TypeError(f"{name}={value!r} must be an integer, got {type(value).__name__}.")
    most = np.iinfo(np.int64).max if high is None else high
    if not low <= value <= most:
        one_end = f"at least {low}" if value < low else f"at most {most}"
        raise ValueError(f"{name}={value} must be {one_end if high is None else f'between {low} and {high}'}.")
    return int(value)


def check_number(
    name: str, value: object, low: float = -inf, high: float = inf, *, above: bool = False, below: bool = False
) -> float:
    """A finite number from `low` to `high`, both included; `above` excludes `low`, `below` excludes `high`."""
    if isinstance(value, bool) or not hasattr(value, "__float__"):
        raise TypeError(f"{name}={value!r} must be a number, got {type(value).__name__}.")
    number = float(value)
    inside = (number > low if above else number >= low) and (number < high if below else number <= high)
    if not (inside and isfinite(number)):
        limits = f"{'above' if above else 'from'} {low:g} to {'below ' if below else ''}{high:g}"
        if high == inf:
            limits = "finite" if low == -inf else f"finite and {'above' if above else 'at least'} {low:g}"
        raise ValueError(f"{name}={value} must be {limits}.")
    return number


def check_finite(name: str, values: NDArray[Any], place: Callable[[int], object] | None = None) -> None:
    """Raise with the first position that is NaN, NaT or infinite."""
    bad = ~np.isfinite(values)
    if bad.any():
        first = int(np.argmax(bad))
        where = tuple(int(k) for k in np.unravel_index(first, values.shape))
        shown = place(first) if place else where[0] if len(where) == 1 else where
        raise ValueError(
            f"values of {name} are not finite ({int(bad.sum())} in all); the first is {values[where]} at {shown}. "
            "Remove or fill them first."
        )


def check_real(name: str, values: Any) -> None:
    """Raise if an array or sparse matrix holds complex numbers: a cast would silently keep only the real part."""
    if np.iscomplexobj(values):
        raise TypeError(f"{name} must be real numbers, got {values.dtype}. Pass the part you mean, .real or .imag.")


def real_numbers(name: str, values: ArrayLike, dtypes: tuple[type[Any], ...] = (np.float64,)) -> NDArray[Any]:
    """`values` as an array, in float64 unless its own dtype is one of `dtypes`."""
    check_unmasked(name, values)
    try:
        array = np.asarray(values)
        # NumPy counts durations among integers.
        dates = array.dtype.kind in "mM"
        ready = issubclass(array.dtype.type, (*dtypes, np.complexfloating)) and not dates
        numbers = array if ready else array.astype(np.float64)
    except (TypeError, ValueError) as error:
        raise TypeError(f"{name} must be numbers: {error}. Encode text first.") from None
    if dates:
        check_unmasked(name, array)
    check_real(name, numbers)
    return numbers


def check_no_path(X: object) -> None:
    """Raise if the name of a file is where its points belong."""
    if isinstance(X, str | os.PathLike):
        raise TypeError(
            f"X is the text {os.fspath(X)!r}, not points. To read a file, pass hypcse.read({os.fspath(X)!r})."
        )


def check_features(X: ArrayLike) -> NDArray[np.floating]:
    """X as a finite two-dimensional array of floats with at least one row and one column."""
    check_no_path(X)
    if hasattr(X, "toarray"):
        raise TypeError("X is a sparse matrix; this function needs dense features. Pass X.toarray().")
    features = real_numbers("the features X", X, (np.float32, np.float64))
    if features.ndim != 2:
        raise ValueError(
            f"X must be two-dimensional (points x features), got shape {features.shape}. "
            "Reshape a single column with X.reshape(-1, 1)."
        )
    if 0 in features.shape:
        raise ValueError(f"X has shape {features.shape}; at least one row and one column are needed.")
    check_finite("X", features)
    return features


def check_labels(labels: ArrayLike, n_points: int, allow_unknown: bool = False) -> NDArray[np.int64]:
    """Class codes from 0 for one label per point, in no particular order.

    Labels that are equal in Python share a code. A missing one (None, NaN, NaT or pandas.NA) is an error, or -1 with
    `allow_unknown`. The number -1 is a class like any other.
    """
    values = label_array(labels)
    if values.shape != (n_points,):
        raise ValueError(f"labels has shape {values.shape}, but there are {n_points} points. Pass one label per point.")
    if values.dtype.kind == "O":
        return _codes_of_objects(values, allow_unknown)
    known = values == values if allow_unknown else np.ones(n_points, np.bool_)
    if values.dtype.kind in "fcmM":
        check_finite("labels", values[known] if allow_unknown else values)
    codes = np.full(n_points, -1, np.int64)
    codes[known] = np.unique(values[known], return_inverse=True)[1]
    return codes


def label_array(labels: ArrayLike) -> NDArray[Any]:
    """Labels as an array; as objects where NumPy would turn numbers into text, or tuples into columns."""
    if isinstance(labels, np.ma.MaskedArray):
        if not np.ma.is_masked(labels):
            return np.asarray(labels.data)
        values = labels.data.astype(object)
        values[np.ma.getmaskarray(labels)] = None
        return values
    if isinstance(labels, list | tuple):
        kinds = set(map(type, labels))
        if len(kinds) > 1 or kinds & {list, tuple}:
            return np.fromiter(labels, dtype=object, count=len(labels))
    return np.asarray(labels)


def _codes_of_objects(values: NDArray[Any], allow_unknown: bool) -> NDArray[np.int64]:
    number: dict[Any, int] = {}
    codes = np.full(values.size, -1, np.int64)
    for point, label in enumerate(values):
        if is_missing(label):
            if allow_unknown:
                continue
            raise ValueError(
                f"the label of point {point} is missing ({label!r}). Remove the point, or give it a label."
            )
        try:
            codes[point] = number.setdefault(label, len(number))
        except TypeError:
            raise TypeError(
                f"the label of point {point} is {label!r} ({type(label).__name__}), which is not hashable. "
                "Pass a number, a text or a tuple of them for each point."
            ) from None
    return codes


def is_missing(label: Any) -> bool:
    """Whether a label is None, NaN, NaT or pandas.NA."""
    try:
        return label is None or bool(label != label)
    except TypeError:
        # pandas.NA compares as neither true nor false.
        return True
