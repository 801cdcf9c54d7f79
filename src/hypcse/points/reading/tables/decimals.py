"""Finds the decimal mark of a text table."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from itertools import islice
from typing import Any

import pandas as pd

from hypcse.points.reading.columns import Roles
from hypcse.points.reading.formats.layout import BLANKS, Layout
from hypcse.points.reading.tables.cells import number

_N_CELLS = 1000
"""How many cells of a column are examined."""


def decimal_mark(
    frame: Any, roles: Roles, asked: str | None, layout: Layout | None = None
) -> tuple[str, tuple[str, ...]]:
    """The decimal mark, as asked for or as most columns have it, and notes about it.

    Columns vote by the cells that are a number with only one of the marks: "1,5" or "1,234.5". If all cells are like
    "1,234", the comma is a decimal mark where semicolons or blanks separate the cells; else it separates thousands.
    """
    if asked is not None:
        return asked, ()
    votes: Counter[str] = Counter()
    open_columns = 0
    for column in set(roles.features) - roles.texts:
        texts = list(islice(_texts(frame[column], column, layout), _N_CELLS))
        point, comma = (sum(number(text, mark) is not None for text in texts) for mark in (".", ","))
        votes["."] += point > comma
        votes[","] += comma > point
        open_columns += point == comma > 0 and any("," in text for text in texts)
    if votes[","] > votes["."] or (open_columns and not votes.total() and layout and layout.delimiter in (";", BLANKS)):
        return ",", ("numbers are read with a decimal comma; --decimal . if that is wrong",)
    if open_columns:
        return ".", ("commas in numbers are read as separators of thousands; --decimal , if that is wrong",)
    return ".", ()


def _texts(cells: Any, column: int, layout: Layout | None) -> Iterator[str]:
    """Texts with a mark: from the column if it is still text, or from the sample if it was converted to numbers."""
    found: Iterable[Any] = ()
    if not pd.api.types.is_numeric_dtype(cells.dtype):
        found = cells
    elif layout is not None and pd.api.types.is_float_dtype(cells.dtype):
        found = (row[column] for row in layout.sample if column < len(row))
    return (text for text in found if isinstance(text, str) and ("," in text or "." in text))
