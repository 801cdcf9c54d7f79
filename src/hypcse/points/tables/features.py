"""Turns one column of a table into numeric columns, or says what is wrong with it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from hypcse.points.tables.cells import (
    MISSING_TEXTS,
    TRUTH,
    days_of_stamps,
    days_of_texts,
    is_missing,
    quantities,
    quantity,
    text_of,
)

MAX_CATEGORIES = 100
"""A column with more different texts holds names, not categories."""
MIN_ROWS = 10
"""From this many rows on, increasing whole numbers look like an id, and a few numbers like choices."""
MAX_CHOICES = 3
"""A column of so many different numbers, such as 1 and 2 or three years, says which kind a row is."""


@dataclass(frozen=True, eq=False)
class Feature:
    """What one column of a table became: (n, k) numbers, NaN where one is missing; `changed` says how it was read.

    sort : "numbers", "truth", "dates" or "categories"; `texts` are those, one per column of values.
    """

    values: NDArray[np.float64]
    sort: str = "numbers"
    texts: tuple[str, ...] = ()
    unit: str = "#"
    changed: str = ""

    @property
    def is_missing(self) -> NDArray[np.bool_]:
        """Where nothing is known: a number is missing, or a row has none of the texts."""
        missing: NDArray[np.bool_] = np.isnan(self.values[:, 0])
        return self.values.sum(axis=1) == 0 if self.sort == "categories" else missing

    @property
    def is_choice(self) -> bool:
        """Whether it holds booleans, as such or as 0 and 1, or few different numbers: it counts like one of texts."""
        different = np.unique(self.values[~np.isnan(self.values)])
        few = different.size <= MAX_CHOICES and len(self.values) >= MIN_ROWS
        return self.sort == "truth" or few or bool(np.isin(different, (0.0, 1.0)).all())


@dataclass(frozen=True)
class Problem:
    """Why a column cannot be used as it is: its sort, the cell that shows it, and how many are odd or different."""

    sort: str
    row: int = 0
    cell: str = ""
    n: int = 0


def number_feature(cells: pd.Series, decimals: Sequence[str], dates: str) -> Feature | Problem:
    """A column as numbers, booleans or dates; where the first decimal mark fails for all of it, the second is tried."""
    kind = cells.dtype
    if pd.api.types.is_numeric_dtype(kind) and not pd.api.types.is_complex_dtype(kind):
        values = cells.to_numpy(np.float64, na_value=np.nan)
        return _finite(values, "truth" if pd.api.types.is_bool_dtype(kind) else "numbers")
    if pd.api.types.is_datetime64_any_dtype(kind):
        if cells.isna().all():
            return Problem("empty")
        if dates == "number":
            return Feature(days_of_stamps(cells)[:, None], "dates")
        first = int(np.argmax(cells.notna()))
        return Problem("dates", first, str(cells.iloc[first]))
    codes, different = pd.factorize(np.array(list(map(_comparable, cells.astype(object))), object))
    if not different.size:
        return Problem("empty")
    truth = [TRUTH.get(str(cell).strip().lower(), np.nan) for cell in different]
    if not np.isnan(truth).any():
        return _finite(_spread(codes, truth), "truth")
    for decimal in decimals:
        found = quantities(different, decimal)
        if found is not None:
            changed = "" if decimal == decimals[0] else f"{decimal!r} is its decimal mark"
            return _finite(_spread(codes, found[0]), unit=found[1], changed=changed)
    return _read_texts(codes, different, decimals[0], dates)


def readable_numbers(cells: pd.Series, decimal: str) -> Feature:
    """The finite numbers of a column; what is none is missing."""
    read = [None if is_missing(cell) else quantity(cell, decimal) for cell in cells.astype(object)]
    values = np.array([np.nan if found is None else found[0] for found in read])
    units = Counter(found[1] for found in read if found is not None)
    return Feature(np.where(np.isfinite(values), values, np.nan)[:, None], unit=units.most_common(1)[0][0])


def category_feature(cells: pd.Series) -> Feature | Problem:
    """One column of 0 and 1 per text, in order; case does not count, and a missing text is all 0."""
    texts = texts_of(cells)
    times = Counter(text for text in texts if text is not None)
    # Of spellings that are equally frequent, the first in the alphabet.
    usual = {
        text.casefold(): text for text, _ in sorted(times.items(), key=lambda one: (one[1], [-ord(c) for c in one[0]]))
    }
    if not usual:
        return Problem("empty")
    if len(usual) > MAX_CATEGORIES:
        return Problem("categories", n=len(usual))
    codes = pd.Categorical([None if text is None else usual[text.casefold()] for text in texts])
    names = tuple(codes.categories)
    changed = "upper and lower case count as one" if len(names) < len(times) else ""
    values = (codes.codes[:, None] == np.arange(len(names))).astype(np.float64)
    return Feature(values, "categories", names, changed=changed)


def texts_of(cells: pd.Series) -> list[str | None]:
    """Texts without surrounding blanks, None where one is missing."""
    return [None if is_missing(cell, MISSING_TEXTS) else text_of(cell).strip() for cell in cells.astype(object)]


def classes_of(cells: pd.Series) -> NDArray[Any]:
    """The classes as text; if some are missing, objects with None for these."""
    texts = texts_of(cells)
    return np.array(texts, object if None in texts else str)


def _finite(values: NDArray[np.float64], sort: str = "numbers", **more: str) -> Feature | Problem:
    infinite = np.isinf(values)
    if infinite.any():
        row = int(np.argmax(infinite))
        return Problem("infinite", row, str(values[row]), int(infinite.sum()))
    return Problem("empty") if np.isnan(values).all() else Feature(values[:, None], sort, (), **more)


def _comparable(cell: Any) -> Any:
    """A cell that can be compared: a number, a text or None."""
    if is_missing(cell):
        return None
    return cell if isinstance(cell, str | float) or quantity(cell) is not None else str(cell)


def _spread(codes: NDArray[np.intp], values: Sequence[float]) -> NDArray[np.float64]:
    """For each row the value of its code, NaN for -1."""
    return np.array([*values, np.nan], np.float64)[codes]


def _read_texts(codes: NDArray[np.intp], different: Sequence[Any], decimal: str, dates: str) -> Feature | Problem:
    """A text column: dates, numbers with odd cells, categories or names."""
    first, n_present = int(np.argmax(codes >= 0)), int((codes >= 0).sum())
    texts = [str(cell) for cell in different]
    ways = days_of_texts(texts)
    if len(ways) == 1 and dates == "number":
        return Feature(_spread(codes, ways[0].tolist())[:, None], "dates")
    if ways:
        return Problem("days" if dates == "number" else "dates", first, texts[0])
    found = [quantity(cell, decimal) for cell in different]
    odd = np.array([*(one is None for one in found), False])[codes]
    row, n_odd = int(np.argmax(odd)), int(odd.sum())
    if n_odd < n_present / 2 and len({one[1] for one in found if one is not None} - {"#"}) <= 1:
        return Problem("odd", row, texts[codes[row]], n_odd)
    sort = "unique" if len(texts) == n_present else "few" if len(texts) <= MAX_CATEGORIES else "many"
    return Problem(sort, first, texts[0], len(texts))
