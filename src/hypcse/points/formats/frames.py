"""Workbooks, Parquet files and data frames."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pandas as pd

from hypcse._checks import first_duplicate
from hypcse.points.columns import Columns, list_names
from hypcse.points.convert import row_names
from hypcse.points.formats.errors import reading, require
from hypcse.points.points import Points
from hypcse.points.tables.assemble import points_of_edges, points_of_table, say_repeated
from hypcse.points.tables.cells import names_columns
from hypcse.points.tables.table import make_table

_WORKBOOK = "an Excel workbook"


def read_frame(frame: Any, columns: Columns, place: str = "the data frame") -> Points:
    """A pandas data frame, as a table or as edges; its index names the rows of a table."""
    if columns.edges:
        return points_of_edges(frame, columns, place)
    header = ["" if name is None else str(name) for name in frame.columns]
    names = row_names(frame) if columns.id is None else None
    twice = None if names is None else first_duplicate(map(str, frame.index))
    if twice is not None and columns.strict:
        raise ValueError(f"two rows of {place} are called {twice!r}; leaf names must be unique. Reset its index.")
    notes = () if twice is None else (say_repeated(twice),)
    return points_of_table(make_table(place, frame.reset_index(drop=True), header, True, columns, names, notes))


def read_parquet(path: Path, columns: Columns) -> Points:
    """A Parquet file; the index that pandas stored in it names the rows."""
    require("pyarrow", ".parquet", "tables")
    with reading(path, "a Parquet file"):
        frame = pd.read_parquet(path, engine="pyarrow")
    return read_frame(frame, columns, str(path))


def read_workbook(path: Path, columns: Columns) -> Points:
    """One sheet of an Excel workbook."""
    require("openpyxl", ".xlsx", "tables")
    with reading(path, _WORKBOOK), pd.ExcelFile(path, engine="openpyxl") as book:
        sheets = [str(name) for name in book.sheet_names]
        sheet = sheets[0] if columns.sheet is None else columns.sheet
        if sheet not in sheets:
            if not (sheet.isdecimal() and 1 <= int(sheet) <= len(sheets)):
                raise ValueError(f"{path} has no sheet {sheet!r}; its sheets are {list_names(sheets, 20)}.")
            sheet = sheets[int(sheet) - 1]
        cells = pd.read_excel(book, sheet, header=None, dtype=object, keep_default_na=False, na_values=[""])
    cells = cells[~cells.isna().all(axis=1)]
    if cells.empty:
        raise ValueError(f"sheet {sheet!r} of {path} is empty; at least one row of numbers is needed.")
    notes = (f"sheet {sheet!r} of {len(sheets)}",) if len(sheets) > 1 else ()
    if columns.edges:
        frame = cells.reset_index(drop=True).infer_objects()
        return points_of_edges(frame, columns, str(path), named=False, notes=notes)
    first = cells.iloc[0].tolist()
    has_header = names_columns(first) if columns.header is None else columns.header
    header = ["" if pd.isna(cell) else str(cell) for cell in first] if has_header else [""] * len(first)
    frame = cells.iloc[int(has_header) :].reset_index(drop=True).infer_objects()
    return points_of_table(make_table(str(path), frame, header, has_header, columns, notes=notes))
