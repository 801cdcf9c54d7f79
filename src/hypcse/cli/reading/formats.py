"""Files that other libraries read: Parquet, Matrix Market and AnnData."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
from scipy import sparse

from hypcse import Graph
from hypcse.cli.reading.columns import Cells, Columns
from hypcse.cli.reading.points import Points
from hypcse.cli.reading.tables import points_of_columns


def read_parquet(path: Path, asked: Columns) -> Points:
    """Points of a Parquet file, one a row; its columns are named."""
    try:
        from pyarrow import ArrowException
        from pyarrow.parquet import read_table
    except ImportError:
        raise ImportError('reading .parquet needs pyarrow: pip install "hypcse[tables]".') from None
    try:
        table = read_table(path)
    except (ArrowException, OSError, ValueError) as error:
        raise ValueError(f"{path} is damaged or no Parquet file: {str(error).splitlines()[0]}") from None
    if table.num_rows == 0:
        raise ValueError(f"{path} has no rows; at least one row of numbers is needed.")
    columns: dict[int, Cells] = {k: _cells(column) for k, column in enumerate(table.columns)}
    return points_of_columns(path, list(table.column_names), columns, asked, has_header=True)


def _cells(column: Any) -> Cells:
    """Numbers of a numeric column, NaN where there is none; texts of any other."""
    from pyarrow import types

    kind = column.type
    if types.is_integer(kind) or types.is_floating(kind) or types.is_boolean(kind) or types.is_null(kind):
        return np.array([np.nan if value is None else float(value) for value in column.to_pylist()])
    return tuple("" if value is None else str(value) for value in column.to_pylist())


def read_matrix_market(path: Path) -> Points:
    """A symmetric matrix is an affinity, any other a table with a point a row."""
    from scipy.io import mmread

    try:
        matrix = mmread(path)
    except (ValueError, TypeError, OSError, IndexError, OverflowError) as error:
        raise ValueError(f"{path} is damaged or no Matrix Market file: {error}") from None
    dense = matrix.toarray() if sparse.issparse(matrix) and matrix.shape[0] != matrix.shape[1] else matrix
    if sparse.issparse(dense):
        return Points(None, graph=Graph.from_scipy(dense))
    return Points(np.asarray(dense, dtype=np.float64))


def read_h5ad(path: Path, asked: Columns) -> Points:
    """Cells of an AnnData file: their neighbour graph where there is one, else principal components, else values."""
    try:
        from anndata import read_h5ad as read
    except ImportError:
        raise ImportError('reading .h5ad needs anndata: pip install "hypcse[cells]".') from None
    try:
        cells = read(path)
    except (OSError, KeyError, ValueError, TypeError) as error:
        raise ValueError(f"{path} is damaged or no .h5ad file: {str(error).splitlines()[0]}") from None
    labels = None
    if asked.label is not None:
        if asked.label not in cells.obs:
            known = ", ".join(map(str, cells.obs.columns)) or "none"
            raise ValueError(f"{path} has no observation {asked.label!r}; it has {known}.")
        labels = np.asarray(cells.obs[asked.label].astype(str))
    names = tuple(map(str, cells.obs_names))
    if "connectivities" in cells.obsp:
        return Points(None, labels, names, graph=Graph.from_scipy(cells.obsp["connectivities"]))
    values = cells.obsm.get("X_pca", cells.X)
    table = values.toarray() if sparse.issparse(values) else np.asarray(values)
    return Points(table.astype(np.float64), labels, names)
