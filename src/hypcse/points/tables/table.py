"""A table as one value, whatever it was read from."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from hypcse._checks import number_repeated, say_count
from hypcse.points.columns import Columns, Roles, list_names
from hypcse.points.tables.cells import number

_NAMELESS = re.compile(r"Unnamed: [0-9]+")
_N_CELLS = 1000
"""How many cells of a column vote for the decimal mark."""


@dataclass(frozen=True, eq=False)
class Table:
    """Columns of a table, numbered from 0: numbers if a library could read them, else text.

    header : names of the columns, "" where there is none; `has_header` if they come from the table.
    names  : names of the rows, if the table holds them apart from its columns.
    """

    place: str
    frame: Any
    header: tuple[str, ...]
    has_header: bool
    columns: Columns
    roles: Roles
    rows: NDArray[np.int64]
    names: tuple[str, ...] | None
    decimal: str
    notes: tuple[str, ...]

    def option(self, name: str, column: int) -> str:
        """The option that names a column, as people pass it."""
        return self.columns.option(name, self.header[column] or column + 1)


def make_table(
    place: str,
    frame: Any,
    header: Sequence[str],
    has_header: bool,
    columns: Columns,
    names: tuple[str, ...] | None = None,
    notes: tuple[str, ...] = (),
    decimal: str | None = None,
) -> Table:
    """A table from a data frame, without its empty rows; the decimal mark is detected unless it is known."""
    if not len(frame) or not len(header):
        raise ValueError(f"{place} has no rows; at least one row of numbers is needed.")
    titles = title_columns(place, header, columns)
    repeated = [title for title, name in zip(titles, header, strict=True) if title and title != name.strip()]
    if repeated:
        notes += (f"names of columns that repeat have a number: {list_names(repeated, 5)}",)
    frame = frame.set_axis(range(len(titles)), axis=1)
    roles = Roles.of(place, titles, columns)
    if decimal is None:
        decimal, more = decimal_mark(frame, roles.numeric, columns)
        notes += more
    rows, blank = np.arange(1, len(frame) + 1), np.ones(len(frame), bool)
    for column in frame:
        blank &= empty_cells(frame[column])
        if not blank.any():
            break
    if blank.all():
        raise ValueError(f"{place} has only empty rows; at least one row of numbers is needed.")
    if blank.any():
        notes += (f"{say_count(int(blank.sum()), 'empty row')} left out",)
        frame, rows = frame[~blank].reset_index(drop=True), rows[~blank]
        names = None if names is None else tuple(np.array(names, object)[~blank])
    return Table(place, frame, titles, has_header, columns, roles, rows, names, decimal, notes)


def title_columns(place: str, header: Sequence[str], columns: Columns) -> tuple[str, ...]:
    """Names without surrounding blanks; the name that pandas makes up becomes "". Names that repeat get a number."""
    names = tuple("" if _NAMELESS.fullmatch(name.strip()) else name.strip() for name in header)
    titles = number_repeated(names)
    if columns.strict and titles != names:
        twice = list(map(repr, dict.fromkeys(name for name in names if name and names.count(name) > 1)))
        raise ValueError(
            f"{place} has two columns called {list_names(twice, 5)}; rename one, or pass "
            f"{columns.option('header', False)} if row 1 is data."
        )
    return titles


def empty_cells(cells: Any) -> NDArray[np.bool_]:
    """Where a cell is missing or an empty text."""
    empty: NDArray[np.bool_] = cells.isna().to_numpy(bool)
    if not pd.api.types.is_numeric_dtype(cells.dtype) and not pd.api.types.is_datetime64_any_dtype(cells.dtype):
        empty = empty | np.array([isinstance(cell, str) and not cell.strip() for cell in cells], bool)
    return empty


def decimal_mark(
    frame: Any,
    numeric: Iterable[int],
    columns: Columns,
    sample: Sequence[Sequence[str]] = (),
    prefer_comma: bool = False,
) -> tuple[str, tuple[str, ...]]:
    """The decimal mark, as asked for or as most columns have it, and notes about it.

    Columns vote by the cells that are a number with only one of the marks: "1,5" or "1,234.5". `prefer_comma` decides
    if all cells are like "1,234"; the `sample` has rows as written, for columns that are numbers already.
    """
    if columns.decimal is not None:
        return columns.decimal, ()
    votes = {".": 0, ",": 0}
    n_open = 0
    for column in numeric:
        cells: Iterable[Any] = frame[column]
        if pd.api.types.is_numeric_dtype(frame[column].dtype):
            is_float = pd.api.types.is_float_dtype(frame[column].dtype)
            cells = (row[column] for row in sample if column < len(row)) if is_float else ()
        texts = (cell for cell in cells if isinstance(cell, str) and ("," in cell or "." in cell))
        written = list(islice(texts, _N_CELLS))
        point, comma = (sum(number(text, mark) is not None for text in written) for mark in votes)
        votes["."] += point > comma
        votes[","] += comma > point
        n_open += point == comma > 0 and any("," in text for text in written)
    if votes[","] > votes["."] or (n_open and not any(votes.values()) and prefer_comma):
        return ",", (f"numbers are read with a decimal comma; {columns.option('decimal', '.')} if that is wrong",)
    if n_open:
        return ".", (
            f"commas in numbers are read as separators of thousands; {columns.option('decimal', ',')} if that is wrong",
        )
    return ".", ()
