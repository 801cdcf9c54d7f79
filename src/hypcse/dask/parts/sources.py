"""Where edges come from, in chunks that a worker reads one at a time."""

from __future__ import annotations

from pathlib import Path
from typing import Any, NamedTuple

import distributed
import numpy as np
import pyarrow as pa
from pyarrow import parquet

from hypcse._checks import check_finite, real_numbers
from hypcse.dask.parts.edges import COLUMNS, Edges
from hypcse.dask.parts.files import UNFINISHED
from hypcse.graph.compressed import vertex_ids


class RowGroup(NamedTuple):
    """One row group of a Parquet file."""

    path: Path
    number: int


def parquet_sources(path: Path) -> list[RowGroup]:
    """The row groups of a Parquet file or of all in a folder, in the order of their names."""
    files = sorted(path.glob("*.parquet")) if path.is_dir() else [path]
    if not path.exists():
        raise FileNotFoundError(f"{path} does not exist.")
    if (path / UNFINISHED).exists():
        raise ValueError(f"{path} holds part of a graph whose making was stopped. Make it again from its edges.")
    if not files:
        raise ValueError(f"{path} holds no files named *.parquet.")
    found = []
    for file in files:
        try:
            with parquet.ParquetFile(file) as opened:
                _check_columns(str(file), opened.schema_arrow.names)
                found += [RowGroup(file.absolute(), number) for number in range(opened.num_row_groups)]
        except pa.ArrowInvalid:
            raise ValueError(f"{file} is damaged or not a Parquet file.") from None
    return found


def check_apart(path: Path, sources: list[RowGroup], folder: Path) -> None:
    """Raise where parts of a new graph would lie among the files of its edges, or could replace one."""
    place = folder.resolve()
    named = [source.path for source in sources if source.path.name.startswith("part-")]
    if place == path.resolve() or any(file.resolve().parent == place for file in named):
        raise ValueError(f"the edges of {path} are in {folder}, where the parts are to be. Name another folder.")


def frame_sources(frame: Any, folder: Path, client: distributed.Client) -> list[RowGroup]:
    """The row groups of a dask.dataframe, which Dask writes to a folder first, a partition at a time."""
    if not hasattr(frame, "to_parquet") or not hasattr(frame, "npartitions"):
        raise TypeError(f"a dask.dataframe is needed, got {type(frame).__name__}. Use dask.dataframe.from_pandas.")
    names = list(frame.columns)
    _check_columns("the table", names)
    kept = frame[[name for name in COLUMNS if name in names]]
    client.compute(kept.to_parquet(str(folder), write_index=False, compute=False), sync=True)
    return parquet_sources(folder)


def read_source(source: RowGroup) -> Edges:
    """The edges of a row group, checked."""
    with parquet.ParquetFile(source.path) as file:
        names = [name for name in COLUMNS if name in file.schema_arrow.names]
        table = file.read_row_group(source.number, names)
    columns = {name: table.column(name).to_numpy() for name in names}
    first, second = vertex_ids("source", columns["source"]), vertex_ids("target", columns["target"])
    weight = real_numbers("the weights", columns["weight"]) if "weight" in columns else np.ones(first.size)
    check_finite("the weights", weight)
    if min(first.min(initial=0), second.min(initial=0)) < 0:
        raise ValueError("an edge names a vertex below 0; vertices are numbered from 0.")
    if weight.min(initial=0) < 0:
        raise ValueError(f"an edge has the weight {weight.min()}; weights must not be negative.")
    return Edges(first, second, weight)


def _check_columns(place: str, names: list[str]) -> None:
    for name in ("source", "target"):
        if name not in names:
            raise ValueError(f"{place} has no column {name!r}; edges have source, target and an optional weight.")
