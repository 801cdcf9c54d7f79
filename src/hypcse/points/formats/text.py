"""Tables and edge lists in text files."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from hypcse._checks import filtered, say_count
from hypcse.graph import Graph
from hypcse.points.columns import Columns, Roles
from hypcse.points.formats.damage import reading
from hypcse.points.formats.layout import KIND, Layout, decimal_mark, layout_of
from hypcse.points.points import Points
from hypcse.points.tables.assemble import points_of_table
from hypcse.points.tables.cells import MISSING_NUMBERS, is_missing, number, text_of
from hypcse.points.tables.table import Table, check_header, empty_cells, make_table

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


_OPTIONS = ("header", "edges", "decimal", "sheet")
"""Options that lists of edges have too."""
_END_NAMES = {("source", "target"), ("from", "to"), ("src", "dst")}
"""Names of two columns of ends, in lower case, that are not themselves vertices."""
_WEIGHT = Roles(None, None, (2,), frozenset(), frozenset(), ())


def points_of_edges(
    frame: Any,
    asked: Columns,
    place: str = "the data frame",
    *,
    named: bool = True,
    layout: Layout | None = None,
    notes: Sequence[str] = (),
) -> Points:
    """A graph from a data frame of edges; source and target name the vertices, in the order of the rows.

    Parameters
    ----------
    named : whether the columns have their names already; otherwise row 1 may hold them.
    layout : how the file was written, if it is a text.
    notes : what people should know about how the rows were read.
    """
    wrong = [option for name, option in asked.options().items() if name not in _OPTIONS]
    if wrong:
        raise ValueError(f"{place} holds edges; there are no columns to choose. Omit {', '.join(wrong)}.")
    if frame.shape[1] not in (2, 3):
        raise ValueError(f"{place} has {frame.shape[1]} cells per row; an edge has source, target and optional weight.")
    frame = frame.set_axis(range(frame.shape[1]), axis=1)
    ends = np.array(
        [
            "" if is_missing(end, frozenset()) else text_of(end).strip()
            for end in frame.iloc[:, :2].to_numpy(object).ravel()
        ],
        object,
    )
    if not named and (_is_header(frame, ends) if asked.header is None else asked.header):
        titles = ", ".join(text_of(cell).strip() for cell in frame.iloc[0])
        notes = (*notes, f"row 1 names the columns: {titles:.60}; --no-header if it is an edge")
        frame, ends = frame.iloc[1:], ends[2:]
    if not len(frame):
        raise ValueError(f"{place} has a header but no edges.")
    empty = np.flatnonzero(ends == "")
    if empty.size:
        raise ValueError(f"{place}: edge {empty[0] // 2 + 1} has an empty end. Give both source and target.")
    codes, names = pd.factorize(ends)
    weights = None
    if frame.shape[1] == 3:
        mark, told = decimal_mark(frame, _WEIGHT, asked.decimal, layout)
        notes = (*notes, *told)
        weights = _weights(frame[2], mark, place)
    try:
        graph = Graph.from_edges(codes[::2], codes[1::2], weights, len(names))
    except ValueError as error:
        raise ValueError(f"{place}: {error}") from None
    return Points(graph=graph, names=tuple(names), notes=(f"{len(names)} vertices; {graph.n_edges} edges", *notes))


def _is_header(frame: Any, ends: NDArray[Any]) -> bool:
    """Whether row 1 names the columns: none of its cells is a number or a vertex of another row.

    Without weights this may also be an edge; then the ends below must be numbers, or the names be well-known ones.
    """
    first, others = ends[:2], ends[2:]
    if any(map(_is_number, first)) or np.isin(others, first).any():
        return False
    if frame.shape[1] == 3:
        return not (is_missing(frame[2].iloc[0]) or _is_number(frame[2].iloc[0]))
    known = (first[0].lower(), first[1].lower()) in _END_NAMES
    return known or (others.size > 0 and all(map(_is_number, others)))


def _is_number(cell: Any) -> bool:
    """Whether a cell is a number in any notation, infinite and undefined ones among them."""
    text = str(cell).strip().lower()
    return text.lstrip("+-") in ("inf", "infinity", "nan") or any(number(cell, mark) is not None for mark in (".", ","))


def _weights(cells: Any, decimal: str, place: str) -> list[float]:
    weights = [None if is_missing(cell) else number(cell, decimal) for cell in cells]
    wrong = next((k for k, weight in enumerate(weights) if weight is None), None)
    if wrong is not None:
        raise ValueError(f"{place}: the weight of edge {wrong + 1} is {cells.iloc[wrong]!r}, which is not a number.")
    return [float(weight) for weight in weights if weight is not None]
