"""Workbooks, Parquet files and data frames."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import IO, Any
from zipfile import BadZipFile, ZipFile

import pandas as pd

from hypcse.points.columns import Columns, list_names
from hypcse.points.convert import row_names
from hypcse.points.formats.damage import reading, require
from hypcse.points.formats.text import points_of_edges
from hypcse.points.points import Points
from hypcse.points.tables.assemble import points_of_table
from hypcse.points.tables.cells import names_columns
from hypcse.points.tables.table import Table, make_typed_table


def read_frame(frame: Any, asked: Columns) -> Points:
    """A pandas data frame, as a table or as edges."""
    return points_of_edges(frame, asked) if asked.edges else points_of_table(frame_table(frame, asked), asked)


def read_workbook(path: Path, asked: Columns) -> Points:
    """One sheet of an Excel workbook."""
    # Row 1 of edges may be an edge, although it holds no number.
    return _points(workbook_table(path, replace(asked, header=False) if asked.edges else asked), asked)


def read_parquet(path: Path, asked: Columns) -> Points:
    """A Parquet file; the index that pandas stored in it names the rows."""
    require("pyarrow", ".parquet", "tables")
    with reading(path, "a Parquet file"):
        frame = pd.read_parquet(path, engine="pyarrow")
    return _points(frame_table(frame, asked, str(path)), asked)


def workbook_table(path: Path, asked: Columns) -> Table:
    """The cells of one sheet."""
    require("openpyxl", ".xlsx", "tables")
    with reading(path, "an Excel workbook"):
        check_rows(path)
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
    return make_typed_table(str(path), frame.infer_objects(), header, has_header, asked, notes=notes)


def frame_table(frame: Any, asked: Columns, place: str = "the data frame") -> Table:
    """A pandas data frame."""
    header = ["" if name is None else str(name) for name in frame.columns]
    names = row_names(frame) if asked.id is None else None
    return make_typed_table(place, frame.reset_index(drop=True), header, True, asked, names)


def _points(table: Table, asked: Columns) -> Points:
    if not asked.edges:
        return points_of_table(table, asked)
    return points_of_edges(table.frame, asked, table.place, named=table.has_header, notes=table.notes)


def _sheet(path: Path, sheets: list[str], wanted: str | None) -> int:
    if wanted is None:
        return 0
    if wanted in sheets:
        return sheets.index(wanted)
    if wanted.isdecimal() and 1 <= int(wanted) <= len(sheets):
        return int(wanted) - 1
    raise ValueError(f"{path} has no sheet {wanted!r}; its sheets are {list_names(sheets, 20)}.")


MAX_ROWS = 1_048_576
"""Maximum number of rows of a sheet in Excel."""
_PIECE = 1 << 20
_LONGEST = 64
"""Bytes at the end of a chunk that are read again with the next one: a number may span two chunks."""
_NUMBER = re.compile(rb'<(?:\w+:)?(?:row|c)\b[^>]*?\br="[A-Za-z]*(\d{7,})"')


def check_rows(path: Path) -> None:
    """Raise for a sheet with a row beyond Excel's last.

    openpyxl creates an empty row for every number that a sheet skips: one wrong digit keeps it busy for hours.
    """
    try:
        book = ZipFile(path)
    except BadZipFile:
        return  # The reader reports what is wrong.
    with book:
        for name in book.namelist():
            if not name.startswith("xl/worksheets/") or not name.endswith(".xml"):
                continue
            with book.open(name) as sheet:
                for row in _large_numbers(sheet):
                    if row > MAX_ROWS:
                        raise ValueError(
                            f"{path} is damaged or not an Excel workbook: {name} has row {row:,}, and Excel's last is "
                            f"{MAX_ROWS:,}. Write it again, or restore it from a copy."
                        )


def _large_numbers(sheet: IO[bytes]) -> Iterator[int]:
    """Row numbers of seven digits or more, chunk by chunk."""
    kept = b""
    while piece := sheet.read(_PIECE):
        text = kept + piece
        for found in _NUMBER.finditer(text):
            yield int(found[1][:18])
        kept = text[-_LONGEST:]
