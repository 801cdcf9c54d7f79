"""NumPy, Matrix Market and AnnData files; nothing in them is run."""

from __future__ import annotations

import io
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from hypcse._memory import check_memory
from hypcse.points.cells import points_of_cells
from hypcse.points.columns import Columns, check_no_columns
from hypcse.points.formats.errors import reading, require
from hypcse.points.points import Points
from hypcse.points.tables.features import classes_of

_NUMPY, _MATRIX_MARKET = "a plain NumPy file", "a Matrix Market file"
_BYTES_PER_SIDE, _BYTES_PER_ENTRY = 24, 64
"""Memory per row or column of a sparse matrix, and per entry, until the graph is built."""


def load_array(path: Path) -> NDArray[Any]:
    """The array of an .npy file."""
    with reading(path, _NUMPY):
        array = np.load(path, allow_pickle=False)
    if not isinstance(array, np.ndarray):
        array.close()
        raise ValueError(f"{path} is an .npz archive, but one array was expected. Save it with numpy.save.")
    return array


def read_numpy(path: Path, columns: Columns) -> Points:
    """One matrix with one row per point; or an archive of a matrix X and, if there are classes, y."""
    check_no_columns(path, columns)
    labels = None
    if path.suffix.lower() == ".npy":
        features = load_array(path)
    else:
        with reading(path, _NUMPY):
            archive = np.load(path, allow_pickle=False)
        if not isinstance(archive, np.lib.npyio.NpzFile) or "X" not in archive:
            raise ValueError(f"{path} must be an .npz archive with an array X and, if there are labels, an array y.")
        with archive, reading(path, _NUMPY):
            features, labels = np.asarray(archive["X"]), archive.get("y")
        if labels is not None and np.ndim(labels) != 1:
            raise ValueError(f"{path} holds labels of shape {np.shape(labels)}; labels are one list. Save y.ravel().")
    if features.ndim != 2:
        raise ValueError(
            f"{path} holds an array of shape {features.shape}; points are a matrix with one row per point. "
            "Save a single feature as X.reshape(-1, 1)."
        )
    with reading(path, "a matrix of numbers"):
        return Points.of(features, labels=labels)


def read_matrix_market(path: Path, columns: Columns) -> Points:
    """A sparse symmetric matrix without negative entries is a graph, any other a table."""
    from scipy.io import mminfo, mmread

    check_no_columns(path, columns)
    with reading(path, _MATRIX_MARKET):
        # SciPy's parser reads beyond the end of a file that stops within a line, or holds a zero byte.
        content = path.read_bytes() + b"\n"
        if b"\0" in content:
            raise ValueError("it holds a zero byte, which no text file does")
        n_rows, n_columns, n_entries, _, field, _ = mminfo(io.BytesIO(content))
    if field == "complex":
        raise ValueError(f"{path} holds complex numbers; points and weights are real. Save the real or imaginary part.")
    if n_rows == 0 or n_columns == 0:
        raise ValueError(f"{path} is a matrix of {n_rows} x {n_columns}; at least one row is needed.")
    check_memory(
        f"{path}: a matrix of {n_rows} x {n_columns} with {n_entries} entries",
        _BYTES_PER_SIDE * (n_rows + n_columns) + _BYTES_PER_ENTRY * n_entries,
        "Leave out rows and columns without entries.",
    )
    with reading(path, _MATRIX_MARKET):
        matrix = mmread(io.BytesIO(content))
    return Points.of(matrix)


def read_cells(path: Path, columns: Columns) -> Points:
    """Cells of an AnnData file: their neighbor graph if it exists, else principal components, else X."""
    require("anndata", ".h5ad", "cells")
    from anndata import read_h5ad

    if any(name != "label" for name in columns.options()):
        raise ValueError(f"{path} holds cells; {columns.option('label')} is the only column option for them.")
    with reading(path, "an .h5ad file"):
        cells = read_h5ad(path)
        points, used = points_of_cells(cells)
    if columns.label is not None and columns.label not in cells.obs:
        known = ", ".join(map(str, cells.obs.columns)) or "none"
        raise ValueError(f"{path} has no observation {columns.label!r}; it has {known}.")
    labels = None if columns.label is None else classes_of(cells.obs[columns.label])
    return replace(points, labels=labels, notes=(f"{points.n_points} cells; {used} is used",))
