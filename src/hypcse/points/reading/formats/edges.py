"""Rows of edges as a graph."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd

from hypcse.graph import Graph
from hypcse.points.points import Points
from hypcse.points.reading.columns import Columns
from hypcse.points.reading.tables.cells import is_missing, number, text_of

_MEANT = ("header", "edges", "decimal")


def points_of_edges(frame: Any, asked: Columns, place: str = "the data frame") -> Points:
    """A graph from a data frame of edges; source and target name the vertices, in the order of the rows."""
    wrong = [option for name, option in asked.options().items() if name not in _MEANT]
    if wrong:
        raise ValueError(f"{place} holds edges; there are no columns to choose. Omit {', '.join(wrong)}.")
    if frame.shape[1] not in (2, 3):
        raise ValueError(f"{place} has {frame.shape[1]} cells per row; an edge has source, target and optional weight.")
    if not len(frame):
        raise ValueError(f"{place} has a header but no edges.")
    ends = np.array(
        [
            "" if is_missing(end, frozenset()) else text_of(end).strip()
            for end in frame.iloc[:, :2].to_numpy(object).ravel()
        ],
        object,
    )
    empty = np.flatnonzero(ends == "")
    if empty.size:
        raise ValueError(f"{place}: edge {empty[0] // 2 + 1} has an empty end. Give both source and target.")
    codes, names = pd.factorize(ends)
    weights = _weights(frame.iloc[:, 2], asked.decimal or ".", place) if frame.shape[1] == 3 else None
    try:
        graph = Graph.from_edges(codes[::2], codes[1::2], weights, len(names))
    except ValueError as error:
        raise ValueError(f"{place}: {error}") from None
    return Points(graph=graph, names=tuple(names), notes=(f"{len(names)} vertices; {graph.n_edges} edges",))


def _weights(cells: Any, decimal: str, place: str) -> list[float]:
    weights = [None if is_missing(cell) else number(cell, decimal) for cell in cells]
    wrong = next((k for k, weight in enumerate(weights) if weight is None), None)
    if wrong is not None:
        raise ValueError(f"{place}: the weight of edge {wrong + 1} is {cells.iloc[wrong]!r}, which is not a number.")
    return [float(weight) for weight in weights if weight is not None]
