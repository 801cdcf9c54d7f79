"""NumPy and AnnData files."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from hypcse.points.points import Points
from hypcse.points.reading.columns import Columns, check_no_columns
from hypcse.points.reading.damage import reading, require
from hypcse.points.reading.formats.heaps import check_heaps
from hypcse.points.reading.formats.trial import check_apart
from hypcse.points.reading.tables.features import texts_of

_KIND = "a plain NumPy file"


def read_array(path: Path, asked: Columns) -> Points:
    """One matrix with one row per point."""
    check_no_columns(path, asked)
    return _points(path, load_array(path))


def load_array(path: Path) -> NDArray[Any]:
    """The array of an .npy file; nothing in the file is run."""
    with reading(path, _KIND):
        array = np.load(path, allow_pickle=False)
    if not isinstance(array, np.ndarray):
        array.close()
        raise ValueError(f"{path} is an .npz archive, but one array was expected. Save it with numpy.save.")
    return _readable(path, array)


def read_archive(path: Path, asked: Columns) -> Points:
    """A matrix X and, if there are classes, y."""
    check_no_columns(path, asked)
    with reading(path, _KIND):
        archive = np.load(path, allow_pickle=False)
    if not isinstance(archive, np.lib.npyio.NpzFile) or "X" not in archive:
        raise ValueError(f"{path} must be an .npz archive with an array X and, if there are labels, an array y.")
    with archive, reading(path, _KIND):
        features, labels = archive["X"], archive.get("y", None)
    for name, member in (("X", features), ("y", labels)):
        if not isinstance(member, np.ndarray | None):
            raise ValueError(f"{path}: {name} is not an array. Save it with numpy.savez.")
    if labels is not None and labels.ndim != 1:
        raise ValueError(f"{path} holds labels of shape {labels.shape}; labels are one list. Save y.ravel().")
    return _points(path, features, None if labels is None else _readable(path, labels))


def _readable(path: Path, array: NDArray[Any]) -> NDArray[Any]:
    """Check that the texts of an array hold valid characters; bytes that are none show up only when read."""
    if array.dtype.kind == "U":
        with reading(path, _KIND):
            array.tolist()
    return array


def read_cells(path: Path, asked: Columns) -> Points:
    """Cells of an AnnData file: their neighbour graph if it exists, else principal components, else X."""
    require("anndata", ".h5ad", "cells")
    from anndata import read_h5ad

    from hypcse.points.cells import points_of_cells

    others = [option for name, option in asked.options().items() if name != "label"]
    if others:
        raise ValueError(f"{path} holds cells; --label-column is the only column option for them.")
    with reading(path, "an .h5ad file"):
        check_heaps(path)
        check_apart(path)
        cells = read_h5ad(path)
        points, used = points_of_cells(cells)
    labels = None if asked.label is None else _read_classes(path, cells.obs, asked.label)
    return replace(points, labels=labels, notes=(f"{points.n_points} cells; {used} is used",))


def _read_classes(path: Path, obs: Any, label: str) -> NDArray[Any]:
    """Classes of the cells, None where unknown."""
    if label not in obs:
        known = ", ".join(map(str, obs.columns)) or "none"
        raise ValueError(f"{path} has no observation {label!r}; it has {known}.")
    texts = texts_of(obs[label])
    return np.array(texts, object if None in texts else str)


def _points(path: Path, features: NDArray[Any], labels: NDArray[Any] | None = None) -> Points:
    if features.ndim != 2:
        raise ValueError(
            f"{path} holds an array of shape {features.shape}; points are a matrix with one row per point. "
            "Save a single feature as X.reshape(-1, 1)."
        )
    with reading(path, "a matrix of numbers"):
        return Points.of(features, labels=labels)
