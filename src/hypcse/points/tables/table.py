"""A table as one value, whatever it was read from."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from hypcse._checks import say_count
from hypcse.points.columns import Columns, Roles, as_option, list_names, name_column
from hypcse.points.formats.layout import decimal_mark
from hypcse.points.tables.cells import first_odd_stamp

_NAMELESS = re.compile(r"Unnamed: [0-9]+")


@dataclass(frozen=True, eq=False)
class Table:
    """Columns of a table: numbers if a library could read them, else text.

    place      : the file, for messages.
    frame      : a pandas data frame; its columns are numbered from 0.
    header     : names of the columns, "" where there is none.
    has_header : whether they come from the table.
    rows       : the number of each row, from 1, for messages.
    names      : names of the rows, if the table holds them apart from its columns.
    decimal    : the mark in texts.
    notes      : what people should know about how it was read.
    """

    place: str
    frame: Any
    header: tuple[str, ...]
    has_header: bool
    rows: NDArray[np.int64]
    names: tuple[str, ...] | None = None
    decimal: str = "."
    notes: tuple[str, ...] = ()


def check_header(place: str, header: Sequence[str]) -> tuple[str, ...]:
    """Names without surrounding blanks; the name that pandas makes up becomes "". Names must be unique."""
    names = tuple("" if _NAMELESS.fullmatch(name.strip()) else name.strip() for name in header)
    twice = [name for name, times in Counter(filter(None, names)).items() if times > 1]
    if twice:
        raise ValueError(
            f"{place} has two columns called {list_names(list(map(repr, twice)), 5)}; rename one, or pass --no-header "
            "if row 1 is data."
        )
    return names


def make_typed_table(
    place: str,
    frame: Any,
    header: Sequence[str],
    has_header: bool,
    asked: Columns,
    names: tuple[str, ...] | None = None,
    notes: tuple[str, ...] = (),
) -> Table:
    """A table from a data frame that holds numbers already, except in text columns."""
    if not len(frame) or not len(header):
        raise ValueError(f"{place} has no rows; at least one row of numbers is needed.")
    columns = check_header(place, header)
    frame = frame.set_axis(range(len(columns)), axis=1)
    roles = Roles.of(place, columns, asked)
    for column in sorted({*roles.features, *roles.texts}):
        _check_dates(place, frame[column], columns, column)
    decimal, told = decimal_mark(frame, roles, asked.decimal)
    return make_table(place, frame, columns, has_header, names, decimal, (*notes, *told))


def _check_dates(place: str, cells: Any, header: Sequence[str], column: int) -> None:
    odd = first_odd_stamp(cells) if pd.api.types.is_datetime64_any_dtype(cells.dtype) else None
    if odd is not None:
        raise ValueError(
            f"{place}: {name_column(header, column)}, data row {odd + 1} holds a date that is out of range. "
            f"Correct it, or pass --drop {as_option(header, column)}."
        )


def make_table(
    place: str,
    frame: Any,
    header: tuple[str, ...],
    has_header: bool,
    names: tuple[str, ...] | None = None,
    decimal: str = ".",
    notes: tuple[str, ...] = (),
) -> Table:
    """The table without its empty rows."""
    rows = np.arange(1, len(frame) + 1)
    blank = np.ones(len(frame), bool)
    for column in frame:
        blank &= empty_cells(frame[column])
        if not blank.any():
            return Table(place, frame, header, has_header, rows, names, decimal, notes)
    if blank.all():
        raise ValueError(f"{place} has only empty rows; at least one row of numbers is needed.")
    kept = None if names is None else tuple(name for name, empty in zip(names, blank, strict=True) if not empty)
    notes = (*notes, f"{say_count(int(blank.sum()), 'empty row')} left out")
    return Table(place, frame[~blank].reset_index(drop=True), header, has_header, rows[~blank], kept, decimal, notes)


def empty_cells(cells: Any) -> NDArray[np.bool_]:
    """Where a cell is missing or an empty text."""
    empty = cells.isna().to_numpy(bool)
    if not pd.api.types.is_numeric_dtype(cells.dtype) and not pd.api.types.is_datetime64_any_dtype(cells.dtype):
        return empty | np.array([isinstance(cell, str) and not cell.strip() for cell in cells], bool)
    return empty
