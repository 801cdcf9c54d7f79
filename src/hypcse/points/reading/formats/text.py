"""Tables and edge lists in text files."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import Any

import pandas as pd

from hypcse._checks import filtered, say_count
from hypcse.points.points import Points
from hypcse.points.reading.columns import Columns, Roles
from hypcse.points.reading.damage import reading
from hypcse.points.reading.formats.edges import points_of_edges
from hypcse.points.reading.formats.layout import KIND, Layout, layout_of
from hypcse.points.reading.tables.assemble import points_of_table
from hypcse.points.reading.tables.cells import MISSING_NUMBERS
from hypcse.points.reading.tables.decimals import decimal_mark
from hypcse.points.reading.tables.table import Table, check_header, empty_cells, make_table

_CASES = (str.lower, str.upper, str.title)
_MISSING = sorted({"NaN", *(form(word) for word in MISSING_NUMBERS for form in _CASES)})


def read_text(path: Path, asked: Columns) -> Points:
    """A text table, or edges if asked for."""
    return read_edges(path, asked) if asked.edges else points_of_table(text_table(path, asked), asked)


def read_edges(path: Path, asked: Columns) -> Points:
    """A graph from rows of source, target and optional weight."""
    layout = layout_of(path, header=False, edges=True)
    frame = parse(layout, (0, 1, 2)[: len(layout.first)], ".")
    notes = layout.notes()
    if layout.n_comments:
        lines = say_count(layout.n_comments, "line")
        notes = (f"{lines} of comments (# or %) left out; put names that begin so in quotation marks", *notes)
    return points_of_edges(frame, asked, str(path), named=False, layout=layout, notes=notes)


def text_table(path: Path, asked: Columns) -> Table:
    """A text table, read by the C parser of pandas."""
    layout = layout_of(path, asked.header)
    header = check_header(str(path), layout.header)
    roles = Roles.of(str(path), header, asked)
    frame = parse(layout, roles.texts, asked.decimal or ".")
    if not len(frame):
        raise ValueError(f"{path} has a header but no rows; at least one row of numbers is needed.")
    decimal, notes = decimal_mark(frame, roles, asked.decimal, layout)
    if decimal == "," and asked.decimal is None:
        frame = parse(layout, roles.texts, ",")
    return make_table(str(path), frame, header, layout.has_header, decimal=decimal, notes=(*notes, *layout.notes()))


def parse(layout: Layout, texts: Iterable[int], decimal: str) -> Any:
    """The cells of a text table, without row 1 if it is a header; columns in `texts` are kept as written."""
    path, width = layout.path, len(layout.first)
    as_texts = set(texts)
    with reading(path, KIND), filtered("error", pd.errors.ParserWarning), layout.open() as file:
        try:
            frame = pd.read_csv(
                file,
                sep=layout.delimiter,
                header=0 if layout.has_header else None,
                names=range(width),
                index_col=False,
                dtype=dict.fromkeys(as_texts, object),
                keep_default_na=False,
                # One list for all columns: pandas takes long to prepare one per column.
                na_values={k: _MISSING for k in range(width) if k not in as_texts} if as_texts else _MISSING,
                decimal=decimal,
                low_memory=False,
            )
        except (pd.errors.ParserError, pd.errors.ParserWarning) as error:
            frame, wrong = None, str(error)
    # pandas fills short rows silently; the last cell is then missing.
    if frame is None or (width > 1 and empty_cells(frame[width - 1]).any()):
        _check_widths(layout)
    if frame is None:
        raise ValueError(f"{path}: {wrong.strip()}. Is a quotation mark not closed?")
    return frame


def _check_widths(layout: Layout) -> None:
    ragged = layout.ragged_row()
    if ragged is not None:
        row, width = ragged
        raise ValueError(
            f"{layout.path}: row {row} has {width} cells, row 1 has {len(layout.first)}. Give all rows the same number "
            "of cells; put a text with a delimiter in it in quotation marks."
        )
