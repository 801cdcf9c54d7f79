"""Tables in files that are read a block of rows at a time: Parquet by row groups, NPY by a memory map."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import dask.array as da
import numpy as np
import pyarrow as pa
from dask.delayed import delayed
from numpy.typing import NDArray
from pyarrow import dataset

from hypcse._checks import did_you_mean
from hypcse.dask.edge_files import parquet_files
from hypcse.dask.similarity.blocks import BLOCK_BYTES
from hypcse.kernels.arrays import Reals

INDEX = "__index_level_"
"""How pandas names the column of an index."""


class LazyTable(NamedTuple):
    """A table whose rows, (n, d) numbers in blocks, are read when they are needed; None for what the file lacks."""

    rows: da.Array
    columns: tuple[str, ...] | None
    ids: tuple[str, ...] | None = None
    labels: NDArray[Any] | None = None


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
    table = dataset.dataset([str(file) for file, _ in parquet_files(path)], format="parquet")
    names = table.schema.names
    for name in (*use, *drop, *filter(None, (id, label))):
        if name not in names:
            raise ValueError(f"{path} has no column {name!r}.{did_you_mean(name, names)}")
    columns = tuple(use) or tuple(
        name for name in names if name not in (*drop, id, label) and not name.startswith(INDEX)
    )
    _check_numbers(path, table.schema, columns)
    read = delayed(_parquet_rows, pure=True)
    blocks = [
        da.from_delayed(read(span, columns), (n_rows, len(columns)), np.float64)
        for fragment in table.get_fragments()
        for span, n_rows in _spans(fragment, 8 * len(names))
    ]
    if not blocks:
        raise ValueError(f"{path} has no rows.")
    ids = None if id is None else _ids(table, id)
    return LazyTable(da.concatenate(blocks), columns, ids, None if label is None else _labels(table, label))


def _spans(fragment: Any, width: int) -> Iterator[tuple[Any, int]]:
    """Row groups of a file, as many together as make a block, and their numbers of rows."""
    groups: list[int] = []
    n_rows = 0
    for group in fragment.row_groups:
        if groups and (n_rows + group.num_rows) * width > BLOCK_BYTES:
            yield fragment.subset(row_group_ids=groups), n_rows
            groups, n_rows = [], 0
        groups, n_rows = [*groups, group.id], n_rows + group.num_rows
    if n_rows:
        yield fragment.subset(row_group_ids=groups), n_rows


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


def _parquet_rows(span: Any, columns: tuple[str, ...]) -> Reals:
    table = span.to_table(columns=list(columns))
    return np.column_stack([table.column(name).to_numpy().astype(np.float64) for name in columns])


def _column(table: Any, name: str) -> pa.ChunkedArray:
    """A column, with the categories themselves in place of their codes."""
    column = table.to_table(columns=[name]).column(name)
    return column.cast(column.type.value_type) if pa.types.is_dictionary(column.type) else column


def _ids(table: Any, name: str) -> tuple[str, ...]:
    column = _column(table, name)
    if column.null_count:
        row = column.is_null().to_numpy().argmax()
        raise ValueError(f"row {row} has no value in the column {name!r}. Fill it, or choose another --id-column.")
    return tuple(map(str, column.to_numpy()))


def _labels(table: Any, name: str) -> NDArray[Any]:
    """The classes; if some are missing, text with None for these."""
    column = _column(table, name)
    if not column.null_count:
        return column.to_numpy()
    return np.array([None if value is None else str(value) for value in column.to_pylist()], dtype=object)
