"""From a table of edges to a graph."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from hypcse.graph import Graph
from hypcse.points.columns import Columns
from hypcse.points.points import Points
from hypcse.points.tables.cells import is_missing, number, text_of
from hypcse.points.tables.table import decimal_mark

_OPTIONS = ("header", "edges", "decimal", "sheet")
"""Options that tables of edges have too."""
_END_NAMES = {("source", "target"), ("from", "to"), ("src", "dst")}
"""Names of two columns of ends, in lower case, that are not themselves vertices."""


def points_of_edges(
    frame: Any,
    columns: Columns,
    place: str = "the data frame",
    *,
    named: bool = True,
    notes: tuple[str, ...] = (),
    prefer_comma: bool = False,
) -> Points:
    """A graph from a data frame of edges; source and target name the vertices, in the order of the rows.

    named        : whether the columns have their names already; otherwise row 1 may hold them.
    prefer_comma : see `decimal_mark`.
    """
    wrong = [option for name, option in columns.options().items() if name not in _OPTIONS]
    if wrong:
        raise ValueError(f"{place} holds edges; there are no columns to choose. Omit {', '.join(wrong)}.")
    if frame.shape[1] not in (2, 3):
        raise ValueError(f"{place} has {frame.shape[1]} cells per row; an edge has source, target and optional weight.")
    frame = frame.set_axis(range(frame.shape[1]), axis=1)
    cells = frame.iloc[:, :2].to_numpy(object).ravel()
    ends = np.array(["" if is_missing(cell, frozenset()) else text_of(cell).strip() for cell in cells], object)
    if not named and (_is_header(frame, ends) if columns.header is None else columns.header):
        titles = ", ".join(text_of(cell).strip() for cell in frame.iloc[0])
        notes += (f"row 1 names the columns: {titles:.60}; {columns.option('header', False)} if it is an edge",)
        frame, ends = frame.iloc[1:], ends[2:]
    if not len(frame):
        raise ValueError(f"{place} has a header but no edges.")
    empty = np.flatnonzero(ends == "")
    if empty.size:
        raise ValueError(f"{place}: edge {empty[0] // 2 + 1} has an empty end. Give both source and target.")
    codes, names = pd.factorize(ends)
    weights: Any = None
    if frame.shape[1] == 3:
        mark, more = decimal_mark(frame, (2,), columns, prefer_comma=prefer_comma)
        notes += more
        weights = [None if is_missing(cell) else number(cell, mark) for cell in frame[2]]
        if None in weights:
            row = weights.index(None)
            raise ValueError(f"{place}: the weight of edge {row + 1} is {frame[2].iloc[row]!r}, which is not a number.")
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
