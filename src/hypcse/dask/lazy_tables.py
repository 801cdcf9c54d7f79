"""Tables in files that are read a block of rows at a time: Parquet by row groups, NPY by a memory map."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any, NamedTuple

import dask.array as da
import numpy as np
import pyarrow as pa
from dask.delayed import delayed
from numpy.typing import NDArray
from pyarrow import parquet

from hypcse._checks import did_you_mean
from hypcse.dask.edge_files import parquet_files
from hypcse.dask.similarity.blocks import BLOCK_BYTES

INDEX = "__index_level_"
"""How pandas names the column of an index."""


class LazyTable(NamedTuple):
    """A table whose rows, (n, d) numbers in blocks, are read when they are needed; what the file lacks is None."""

    rows: da.Array
    columns: tuple[str, ...] | None
    ids: tuple[str, ...] | None = None
    labels: NDArray[Any] | None = None


class Span(NamedTuple):
    """Row groups of a Parquet file that are read together."""

    path: Path
    first: int
    last: int
    n_rows: int


def open_npy(path: Path) -> LazyTable:
    """A table in NumPy's format."""
    try:
        table = np.load(path, mmap_mode="r", allow_pickle=False)
    except (ValueError, EOFError):
        raise ValueError(f"{path} is damaged or not an NPY file of numbers.") from None
    if table.ndim != 2 or table.dtype.kind not in "fiub":
        raise ValueError(f"{path} holds {table.dtype} of shape {table.shape}; a table of numbers has two dimensions.")
    n, d = table.shape
    step = max(1, BLOCK_BYTES // (d * table.dtype.itemsize))
    read = delayed(_npy_rows, pure=True)
    blocks = [
        da.from_delayed(read(path.absolute(), first, min(first + step, n)), (min(step, n - first), d), table.dtype)
        for first in range(0, n, step)
    ]
    return LazyTable(da.concatenate(blocks), None)


def open_parquet(
    path: Path, *, use: Sequence[str] = (), drop: Sequence[str] = (), id: str | None = None, label: str | None = None
) -> LazyTable:
    """A table in a Parquet file, or in all of a folder; its features are the columns of numbers that remain."""
    spans: list[Span] = []
    schemas = []
    for file, opened in parquet_files(path):
        schemas.append(opened.schema_arrow)
        spans += _spans(file, opened.metadata)
    for name in (*use, *drop, *((id,) if id else ()), *((label,) if label else ())):
        if name not in schemas[0].names:
            raise ValueError(f"{path} has no column {name!r}.{did_you_mean(name, schemas[0].names)}")
    columns = tuple(use) or tuple(
        name for name in schemas[0].names if name not in (*drop, id, label) and not name.startswith(INDEX)
    )
    _check_numbers(path, schemas[0], columns)
    read = delayed(_parquet_rows, pure=True)
    blocks = [
        da.from_delayed(read(span, columns), (span.n_rows, len(columns)), np.float64) for span in spans if span.n_rows
    ]
    if not blocks:
        raise ValueError(f"{path} has no rows.")
    files = list(dict.fromkeys(span.path for span in spans))
    ids = None if id is None else _ids(files, id)
    labels = None if label is None else _labels(files, label)
    return LazyTable(da.concatenate(blocks), columns, ids, labels)


def _spans(path: Path, metadata: parquet.FileMetaData) -> list[Span]:
    """Row groups one after the other, as many together as make a block."""
    width = 8 * max(1, metadata.num_columns)
    spans: list[Span] = []
    for number in range(metadata.num_row_groups):
        size = metadata.row_group(number).num_rows
        if spans and (spans[-1].n_rows + size) * width <= BLOCK_BYTES:
            spans[-1] = spans[-1]._replace(last=number, n_rows=spans[-1].n_rows + size)
        else:
            spans.append(Span(path, number, number, size))
    return spans


def _check_numbers(path: Path, schema: pa.Schema, columns: Sequence[str]) -> None:
    numbers = (pa.types.is_integer, pa.types.is_floating, pa.types.is_boolean)
    wrong = [name for name in columns if not any(check(schema.field(name).type) for check in numbers)]
    if wrong:
        raise ValueError(
            f"{path}: columns are not numbers: {', '.join(map(repr, wrong[:8]))}. Name them with --drop, --id-column "
            "or --label-column, or encode them first."
        )
    if not columns:
        raise ValueError(f"{path} has no column of numbers left to compare points by.")


def _npy_rows(path: Path, first: int, last: int) -> NDArray[Any]:
    return np.array(np.load(path, mmap_mode="r", allow_pickle=False)[first:last])


def _parquet_rows(span: Span, columns: tuple[str, ...]) -> NDArray[np.float64]:
    with parquet.ParquetFile(span.path) as file:
        table = file.read_row_groups(range(span.first, span.last + 1), list(columns))
    return np.column_stack([table.column(name).to_numpy().astype(np.float64) for name in columns])


def _column(files: Sequence[Path], name: str) -> pa.ChunkedArray:
    """A column of all files, with the categories themselves in place of their codes."""
    columns = [parquet.read_table(file, columns=[name]).column(name) for file in files]
    kinds = [one.type.value_type if pa.types.is_dictionary(one.type) else one.type for one in columns]
    # Files that do not agree are compared as text.
    kind = kinds[0] if len(set(kinds)) == 1 else pa.string()
    return pa.chunked_array([chunk for one in columns for chunk in one.cast(kind).chunks], kind)


def _ids(files: Sequence[Path], name: str) -> tuple[str, ...]:
    column = _column(files, name)
    if column.null_count:
        row = column.is_null().to_numpy().argmax()
        raise ValueError(f"row {row} has no value in the column {name!r}. Fill it, or choose another --id-column.")
    return tuple(map(str, column.to_numpy()))


def _labels(files: Sequence[Path], name: str) -> NDArray[Any]:
    """The classes; if some are missing, text with None for these."""
    column = _column(files, name)
    if not column.null_count:
        return column.to_numpy()
    return np.array([None if value is None else str(value) for value in column.to_pylist()], dtype=object)
