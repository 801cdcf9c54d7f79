"""Tables of text, workbooks, Parquet files and data frames as one value."""

from __future__ import annotations

import re
import warnings
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from hypcse._checks import say_count
from hypcse.points.convert import row_names
from hypcse.points.reading.cells import MISSING_NUMBERS, names_columns
from hypcse.points.reading.columns import Columns, Roles, listed
from hypcse.points.reading.damage import need, reading
from hypcse.points.reading.decimals import decimal_mark
from hypcse.points.reading.layout import KIND, Layout, layout_of

_NAMELESS = re.compile(r"Unnamed: [0-9]+")
_CASES = (str.lower, str.upper, str.title)
_MISSING = sorted({"NaN", *(form(word) for word in MISSING_NUMBERS for form in _CASES)})


@dataclass(frozen=True, eq=False)
class Table:
    """Columns of a table, numbers where a library could read them, and texts elsewhere.

    place      : the file, for messages.
    frame      : a pandas data frame; its columns are numbered from 0.
    header     : names of the columns, "" where there is none.
    has_header : whether they come from the table.
    rows       : the number of each row, from 1, for messages.
    names      : of the rows, where the table has them apart from its columns.
    decimal    : the mark in texts.
    notes      : what a person should know of how it was read.
    """

    place: str
    frame: Any
    header: tuple[str, ...]
    has_header: bool
    rows: NDArray[np.int64]
    names: tuple[str, ...] | None = None
    decimal: str = "."
    notes: tuple[str, ...] = ()


def text_table(path: Path, asked: Columns) -> Table:
    """A table of text, by the C parser of pandas."""
    layout = layout_of(path, asked.header)
    header = checked_header(str(path), layout.header)
    roles = Roles.of(str(path), header, asked)
    frame = parse(layout, roles.texts, asked.decimal or ".")
    if not len(frame):
        raise ValueError(f"{path} has a header but no rows; at least one row of numbers is needed.")
    decimal, notes = decimal_mark(frame, roles, asked.decimal, layout)
    if decimal == "," and asked.decimal is None:
        frame = parse(layout, roles.texts, ",")
    if layout.encoding != "utf-8-sig":
        notes = (*notes, f"the text is in {layout.encoding}")
    return _table(str(path), frame, header, layout.has_header, decimal=decimal, notes=notes)


def workbook_table(path: Path, asked: Columns) -> Table:
    """One sheet of an Excel workbook."""
    need("openpyxl", ".xlsx", "tables")
    with reading(path, "an Excel workbook"), pd.ExcelFile(path, engine="openpyxl") as book:
        sheets = [str(name) for name in book.sheet_names]
        sheet = _sheet(path, sheets, asked.sheet)
        cells = pd.read_excel(book, sheets[sheet], header=None, dtype=object, keep_default_na=False, na_values=[""])
    cells = cells[~cells.isna().all(axis=1)]
    if cells.empty:
        raise ValueError(f"sheet {sheets[sheet]!r} of {path} is empty; at least one row of numbers is needed.")
    first = cells.iloc[0].tolist()
    has_header = names_columns(first) if asked.header is None else asked.header
    header = ["" if pd.isna(cell) else str(cell) for cell in first] if has_header else [""] * len(first)
    frame = cells.iloc[int(has_header) :].reset_index(drop=True)
    notes = (f"sheet {sheets[sheet]!r} of {len(sheets)}",) if len(sheets) > 1 else ()
    return _typed(str(path), frame.infer_objects(), header, has_header, asked, notes=notes)


def parquet_table(path: Path, asked: Columns) -> Table:
    """A Parquet file; the index that pandas wrote into it names the rows."""
    need("pyarrow", ".parquet", "tables")
    with reading(path, "a Parquet file"):
        frame = pd.read_parquet(path, engine="pyarrow")
    return frame_table(frame, asked, str(path))


def frame_table(frame: Any, asked: Columns, place: str = "the data frame") -> Table:
    """A pandas data frame."""
    header = ["" if name is None else str(name) for name in frame.columns]
    names = row_names(frame) if asked.id is None else None
    return _typed(place, frame.reset_index(drop=True), header, True, asked, names)


def parse(layout: Layout, texts: Iterable[int], decimal: str) -> Any:
    """The cells of a text, row 1 apart where it names columns; `texts` are columns to leave as they are written."""
    path, width = layout.path, len(layout.first)
    as_texts = set(texts)
    with reading(path, KIND), warnings.catch_warnings():
        warnings.simplefilter("error", pd.errors.ParserWarning)
        try:
            frame = pd.read_csv(
                path,
                sep=layout.delimiter,
                encoding=layout.encoding,
                header=0 if layout.has_header else None,
                names=range(width),
                index_col=False,
                dtype=dict.fromkeys(as_texts, object),
                keep_default_na=False,
                na_values={column: _MISSING for column in range(width) if column not in as_texts},
                decimal=decimal,
                low_memory=False,
            )
        except (pd.errors.ParserError, pd.errors.ParserWarning) as error:
            frame, wrong = None, str(error)
    # pandas fills short rows silently, and then the last cell is missing.
    if frame is None or (width > 1 and _empty(frame[width - 1]).any()):
        _check_widths(layout)
    if frame is None:
        raise ValueError(f"{path}: {wrong.strip()}. Is a quotation mark left open?")
    return frame


def _check_widths(layout: Layout) -> None:
    ragged = layout.ragged_row()
    if ragged is not None:
        row, width = ragged
        raise ValueError(
            f"{layout.path}: row {row} has {width} cells, row 1 has {len(layout.first)}. Give every row as many cells; "
            "a text with a delimiter in it needs quotation marks."
        )


def checked_header(place: str, header: Sequence[str]) -> tuple[str, ...]:
    """Names without blanks around them; pandas' name for a nameless column is none. Names must differ."""
    names = tuple("" if _NAMELESS.fullmatch(name.strip()) else name.strip() for name in header)
    twice = [name for name, times in Counter(filter(None, names)).items() if times > 1]
    if twice:
        raise ValueError(
            f"{place} has two columns called {listed(list(map(repr, twice)), 5)}; rename one, or pass --no-header if "
            "row 1 is data."
        )
    return names


def _typed(
    place: str,
    frame: Any,
    header: Sequence[str],
    has_header: bool,
    asked: Columns,
    names: tuple[str, ...] | None = None,
    notes: tuple[str, ...] = (),
) -> Table:
    """A table whose numbers are numbers already, except in columns of texts."""
    if not len(frame) or not len(header):
        raise ValueError(f"{place} has no rows; at least one row of numbers is needed.")
    columns = checked_header(place, header)
    frame = frame.set_axis(range(len(columns)), axis=1)
    decimal, told = decimal_mark(frame, Roles.of(place, columns, asked), asked.decimal)
    return _table(place, frame, columns, has_header, names, decimal, (*notes, *told))


def _table(
    place: str,
    frame: Any,
    header: tuple[str, ...],
    has_header: bool,
    names: tuple[str, ...] | None = None,
    decimal: str = ".",
    notes: tuple[str, ...] = (),
) -> Table:
    """The table without the rows in which every cell is empty."""
    rows = np.arange(1, len(frame) + 1)
    blank = np.ones(len(frame), bool)
    for column in frame:
        blank &= _empty(frame[column])
        if not blank.any():
            return Table(place, frame, header, has_header, rows, names, decimal, notes)
    if blank.all():
        raise ValueError(f"{place} has no row with anything in it; at least one row of numbers is needed.")
    kept = None if names is None else tuple(name for name, empty in zip(names, blank, strict=True) if not empty)
    notes = (*notes, f"{say_count(int(blank.sum()), 'empty row')} left out")
    return Table(place, frame[~blank].reset_index(drop=True), header, has_header, rows[~blank], kept, decimal, notes)


def _empty(cells: Any) -> NDArray[np.bool_]:
    """Where a cell is missing or an empty text."""
    empty = cells.isna().to_numpy(bool)
    if not pd.api.types.is_numeric_dtype(cells.dtype) and not pd.api.types.is_datetime64_any_dtype(cells.dtype):
        return empty | np.array([isinstance(cell, str) and not cell.strip() for cell in cells], bool)
    return empty


def _sheet(path: Path, sheets: list[str], wanted: str | None) -> int:
    if wanted is None:
        return 0
    if wanted in sheets:
        return sheets.index(wanted)
    if wanted.isdecimal() and 1 <= int(wanted) <= len(sheets):
        return int(wanted) - 1
    raise ValueError(f"{path} has no sheet {wanted!r}; its sheets are {listed(sheets, 20)}.")
