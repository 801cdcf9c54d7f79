"""Tables in files that are read a block of rows at a time: Parquet by row groups, NPY by a memory map."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import dask.array as da
import numpy as np
from dask.delayed import delayed
from numpy.typing import NDArray
from pandas.api.types import is_numeric_dtype
from pyarrow import dataset

from hypcse._checks import did_you_mean
from hypcse.dask.edge_files import parquet_files
from hypcse.dask.similarity.blocks import BLOCK_BYTES
from hypcse.kernels.arrays import Reals
from hypcse.points.columns import list_names
from hypcse.points.formats.errors import reading


class LazyTable(NamedTuple):
    """A table whose rows, (n, d) numbers in blocks, are read when they are needed; None for what the file lacks."""

    rows: da.Array
    ids: tuple[str, ...] | None = None
    labels: NDArray[Any] | None = None


def open_npy(path: Path) -> LazyTable:
    """A table in NumPy's format."""
    with reading(path, "an NPY file of numbers"):
        table = np.load(path, mmap_mode="r", allow_pickle=False)
    if table.ndim != 2 or table.dtype.kind not in "fiub":
        raise ValueError(f"{path} holds {table.dtype} of shape {table.shape}; a table of numbers has two dimensions.")
    step = max(1, BLOCK_BYTES // (table.shape[1] * table.dtype.itemsize))
    chunks = da.core.normalize_chunks((step, -1), table.shape)
    return LazyTable(da.map_blocks(_npy_rows, path.absolute(), chunks=chunks, dtype=table.dtype))


def open_parquet(
    path: Path, *, use: Sequence[str] = (), drop: Sequence[str] = (), id: str | None = None, label: str | None = None
) -> LazyTable:
    """A table in a Parquet file, or in all of a folder; its features are the columns of numbers that remain."""
    table = dataset.dataset([str(file) for file, _ in parquet_files(path)], format="parquet")
    kinds = table.schema.empty_table().to_pandas(ignore_metadata=True).dtypes
    for name in (*use, *drop, *filter(None, (id, label))):
        if name not in kinds:
            raise ValueError(f"{path} has no column {name!r}.{did_you_mean(name, kinds.index)}")
    # Pandas gives the columns of an index such names.
    others = (name for name in kinds.index if name not in (*drop, id, label) and not name.startswith("__index_level_"))
    columns = list(use or others)
    wrong = list_names([repr(name) for name in columns if not is_numeric_dtype(kinds[name])], 8)
    if wrong or not columns:
        raise ValueError(
            f"{path}: columns are not numbers: {wrong or 'none is left'}. Name them with --drop, "
            "--id-column or --label-column, or encode them first."
        )
    read = delayed(_parquet_rows, pure=True)
    blocks = [
        da.from_delayed(read(span, columns), (n_rows, len(columns)), np.float64)
        for fragment in table.get_fragments()
        for span, n_rows in _spans(fragment, 8 * len(columns))
    ]
    if not blocks:
        raise ValueError(f"{path} has no rows.")
    ids, labels = (None if name is None else table.to_table([name]).column(0).to_pandas() for name in (id, label))
    if ids is not None and ids.isna().any():
        row = ids.isna().to_numpy().argmax()
        raise ValueError(f"row {row} has no value in the column {id!r}. Fill it, or choose another --id-column.")
    names = None if ids is None else tuple(map(str, ids))
    return LazyTable(da.concatenate(blocks), names, None if labels is None else labels.to_numpy())


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


def _npy_rows(path: Path, block_info: Any) -> NDArray[Any]:
    rows, _ = block_info[None]["array-location"]
    return np.array(np.load(path, mmap_mode="r", allow_pickle=False)[slice(*rows)])


def _parquet_rows(group: Any, columns: list[str]) -> Reals:
    return group.to_table(columns=columns).to_pandas(ignore_metadata=True).to_numpy(np.float64)
