"""Which reader is for which file."""

from __future__ import annotations

from collections.abc import Callable
from os import PathLike
from pathlib import Path
from typing import Any

import pandas as pd

from hypcse.points.points import Points
from hypcse.points.reading.arrays import read_archive, read_array, read_cells, read_matrix_market
from hypcse.points.reading.assemble import points_of_table
from hypcse.points.reading.columns import Columns
from hypcse.points.reading.edges import points_of_edges, read_edges
from hypcse.points.reading.layout import EDGE_SUFFIXES, suffix_of
from hypcse.points.reading.tables import Table, frame_table, parquet_table, text_table, workbook_table

Reader = Callable[[Path, Columns], Points]


def _of_table(read: Callable[[Path, Columns], Table]) -> Reader:
    def reader(path: Path, asked: Columns) -> Points:
        table = read(path, asked)
        return points_of_edges(table.frame, asked, str(path)) if asked.edges else points_of_table(table, asked)

    return reader


def _of_text(path: Path, asked: Columns) -> Points:
    return read_edges(path, asked) if asked.edges else points_of_table(text_table(path, asked), asked)


READERS: dict[str, Reader] = {
    **dict.fromkeys((".csv", ".tsv", ".txt"), _of_text),
    ".xlsx": _of_table(workbook_table),
    ".parquet": _of_table(parquet_table),
    ".npy": read_array,
    ".npz": read_archive,
    ".mtx": read_matrix_market,
    ".h5ad": read_cells,
    **dict.fromkeys(EDGE_SUFFIXES, read_edges),
}
"""The reader for each suffix."""


def read_source(source: Any, asked: Columns) -> Points:
    """Points of a file or of a data frame."""
    if isinstance(source, pd.DataFrame):
        _check_sheet("a data frame", asked, None)
        if asked.edges:
            return points_of_edges(source, asked)
        return points_of_table(frame_table(source, asked), asked)
    if not isinstance(source, str | PathLike):
        raise TypeError(
            f"read takes a path or a pandas data frame, got {type(source).__name__}. hypcse.Points.of takes arrays, "
            "graphs and AnnData."
        )
    path = Path(source)
    suffix = suffix_of(path)
    if not path.is_file():
        raise FileNotFoundError(f"there is no file {str(path)!r}. Points are read from {', '.join(READERS)}.")
    packed = path.suffix.lower() == ".gz" and READERS.get(suffix) not in (_of_text, read_edges)
    if suffix not in READERS or packed:
        raise ValueError(f"{path} ends in {path.suffix or 'nothing'!r}; points are read from {', '.join(READERS)}.")
    _check_sheet(str(path), asked, suffix)
    return READERS[suffix](path, asked)


def _check_sheet(place: str, asked: Columns, suffix: str | None) -> None:
    if asked.sheet is not None and suffix != ".xlsx":
        raise ValueError(f"{place} has no sheets; --sheet is for .xlsx. Omit it.")
