"""Turns columns of a table into numeric columns, or says what is wrong with them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from hypcse.points.tables.cells import (
    MISSING_TEXTS,
    TRUTH,
    counts_of_stamps,
    days_of_stamps,
    days_of_texts,
    is_missing,
    number,
    text_of,
)

MAX_CATEGORIES = 100
"""A column with more different texts holds names, not categories."""
MIN_ROWS = 10
"""From this many rows on, increasing whole numbers look like an id, and a few numbers like choices."""
MAX_CHOICES = 3
"""A column of so many different numbers, such as 1 and 2 or three years, says which kind a row is."""
_MOSTLY = 0.5
_EXACT = 2**53
"""Up to here every whole number is a float."""


@dataclass(frozen=True, eq=False)
class Feature:
    """What one column of a table became.

    values : (n, k) numbers, NaN where one is missing.
    sort   : "numbers", "truth", "dates" or "categories".
    texts  : the categories, one per column of values.
    """

    values: NDArray[np.float64]
    sort: str = "numbers"
    texts: tuple[str, ...] = ()


@dataclass(frozen=True)
class Problem:
    """Why a column cannot be used as it is.

    sort : "odd" (numbers, except some cells), "unique", "few" or "many" (texts), "dates", "days" (dates that can be
           read in two ways), "merged" (floats cannot tell all values apart), "infinite", "empty" or "categories" (too
           many).
    row  : the position of the cell that shows it.
    cell : its text.
    n    : how many cells are odd, or how many different texts there are.
    """

    sort: str
    row: int = 0
    cell: str = ""
    n: int = 0


def number_feature(cells: Any, decimal: str, dates: str) -> Feature | Problem:
    """A column of a data frame as numbers; texts are read as numbers, booleans or dates."""
    kind = cells.dtype
    if pd.api.types.is_numeric_dtype(kind) and not pd.api.types.is_complex_dtype(kind):
        values = cells.to_numpy(np.float64, na_value=np.nan)
        if pd.api.types.is_integer_dtype(kind) and np.nanmax(np.abs(values), initial=0) >= _EXACT:
            exact = cells.to_numpy(getattr(kind, "numpy_dtype", kind), na_value=0)
            merged = _first_merged(exact, values)
            if merged is not None:
                return Problem("merged", merged, str(cells.iloc[merged]))
        return _finite(values, "truth" if pd.api.types.is_bool_dtype(kind) else "numbers")
    if pd.api.types.is_datetime64_any_dtype(kind):
        if cells.isna().all():
            return Problem("empty")
        first = int(np.argmax(cells.notna().to_numpy()))
        if dates != "number":
            return _date(cells.iloc, first)
        days = days_of_stamps(cells)
        merged = _first_merged(counts_of_stamps(cells), days)
        return Feature(days[:, None], "dates") if merged is None else Problem("merged", merged, str(cells.iloc[merged]))
    codes, different = _factorize(cells)
    present = codes >= 0
    if not present.any():
        return Problem("empty")
    meant = _meaning(different, decimal)
    if meant is None:
        return _texts(codes, different, decimal, dates)
    return _finite(_spread(codes, meant[0]), meant[1])


def category_feature(cells: Any) -> Feature | Problem:
    """One column of 0 and 1 per text, in the order of the texts; a missing text is all 0."""
    from sklearn.preprocessing import OneHotEncoder

    texts = texts_of(cells)
    kinds = sorted({text for text in texts if text is not None})
    if not kinds:
        return Problem("empty")
    if len(kinds) > MAX_CATEGORIES:
        return Problem("categories", n=len(kinds))
    encoder: Any = OneHotEncoder(categories=[np.array(kinds, object)], handle_unknown="ignore", sparse_output=False)
    # No category is the empty text.
    column = np.array(["" if text is None else text for text in texts], object)[:, None]
    return Feature(encoder.fit(column).transform(column), "categories", tuple(kinds))


def texts_of(cells: Any) -> list[str | None]:
    """Texts without surrounding blanks, None where one is missing."""
    return [None if is_missing(cell, MISSING_TEXTS) else text_of(cell).strip() for cell in cells.astype(object)]


def fill_missing(values: NDArray[np.float64]) -> NDArray[np.float64]:
    """The columns, with missing numbers replaced by the median of each."""
    from sklearn.impute import SimpleImputer

    return SimpleImputer(strategy="median").fit_transform(values)


def looks_like_id(values: NDArray[np.float64]) -> bool:
    """Whether these are many whole numbers that increase from row to row."""
    column = values.ravel()
    return bool(len(column) >= MIN_ROWS and (np.diff(column) > 0).all() and (column == np.floor(column)).all())


def is_choice(feature: Feature) -> bool:
    """Whether a column holds booleans, as such or as 0 and 1, or few different numbers: it counts like one of texts."""
    different = np.unique(feature.values[~np.isnan(feature.values)])
    few = different.size <= MAX_CHOICES and len(feature.values) >= MIN_ROWS
    return feature.sort == "truth" or few or bool(np.isin(different, (0.0, 1.0)).all())


def _finite(values: NDArray[np.float64], sort: str) -> Feature | Problem:
    infinite = np.isinf(values)
    if infinite.any():
        row = int(np.argmax(infinite))
        return Problem("infinite", row, str(values[row]), int(infinite.sum()))
    return Problem("empty") if np.isnan(values).all() else Feature(values[:, None], sort)


def _first_merged(exact: NDArray[Any], values: NDArray[np.float64]) -> int | None:
    """Position of a value that is another as a whole number, but not as a float; None if there is none."""
    order = np.argsort(exact, kind="stable")
    merged = (np.diff(values[order]) == 0) & (exact[order][1:] != exact[order][:-1])
    return int(order[1:][np.argmax(merged)]) if merged.any() else None


def _factorize(cells: Any) -> tuple[NDArray[np.int64], list[Any]]:
    """The different cells that are not missing, and for each row its position among them, or -1."""
    plain = [cell if isinstance(cell, str | float) else _plain(cell) for cell in cells.astype(object)]
    codes, different = pd.factorize(np.array([None if is_missing(cell) else cell for cell in plain], object))
    return codes, list(different)


def _plain(cell: Any) -> Any:
    """A cell that can be compared: a number, a text or None."""
    if is_missing(cell):
        return None
    return cell if number(cell) is not None else str(cell)


def _spread(codes: NDArray[np.int64], values: NDArray[np.float64]) -> NDArray[np.float64]:
    return np.append(values, np.nan)[codes]


def _meaning(different: Sequence[Any], decimal: str) -> tuple[NDArray[np.float64], str] | None:
    """All different cells as numbers or as booleans, and which of the two they are."""
    truth = [TRUTH.get(str(cell).strip().lower()) for cell in different]
    if None not in truth:
        return np.array(truth, np.float64), "truth"
    # One cell that is not a number is enough; most text columns end here.
    numbers: list[float] = []
    for cell in different:
        value = number(cell, decimal)
        if value is None:
            return None
        numbers.append(value)
    return np.array(numbers), "numbers"


def _texts(codes: NDArray[np.int64], different: Sequence[Any], decimal: str, dates: str) -> Feature | Problem:
    """A text column: dates, numbers with odd cells, categories or names."""
    first = int(np.argmax(codes >= 0))
    texts = [str(cell) for cell in different]
    ways = days_of_texts(texts)
    if ways and dates == "number":
        return Problem("days", first, texts[0]) if len(ways) > 1 else Feature(_spread(codes, ways[0])[:, None], "dates")
    if ways:
        return Problem("dates", first, texts[0])
    odd = np.append([number(cell, decimal) is None for cell in different], False)[codes]
    row = int(np.argmax(odd))
    cell = texts[codes[row]]
    n_present = int((codes >= 0).sum())
    if odd.sum() < _MOSTLY * n_present:
        return Problem("odd", row, cell, int(odd.sum()))
    if len(texts) == n_present:
        return Problem("unique", row, cell, len(texts))
    return Problem("few" if len(texts) <= MAX_CATEGORIES else "many", row, cell, len(texts))


def _date(cells: Any, first: int) -> Problem:
    return Problem("dates", first, str(cells[first]))
