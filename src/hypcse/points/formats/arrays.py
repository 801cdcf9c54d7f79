"""NumPy and AnnData files; nothing in them is executed."""

from __future__ import annotations

import mmap
import signal
import subprocess
import sys
from dataclasses import replace
from importlib import import_module
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from hypcse.points.columns import Columns, check_no_columns
from hypcse.points.formats.damage import reading, require
from hypcse.points.points import Points
from hypcse.points.tables.features import texts_of

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


_SIGNATURE = b"\x89HDF\r\n\x1a\n"
_MARK = b"GCOL\x01\0\0\0"
"""Start of a heap: its signature, version and three unused bytes. Its size follows."""
_HEAD = 16
"""Bytes of the header of a heap, and of an object in it: number, references, unused, size."""


def check_heaps(path: Path) -> None:
    """Raise unless a walk through the objects of every heap comes to its end. O(bytes).

    The library steps from object to object by their sizes. The size of object 0, the rest of the heap, includes its
    header; if damage makes it 0, the library never moves on.
    """
    with path.open("rb") as file, mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as content:
        if content.find(_SIGNATURE) < 0:
            raise ValueError("it has no signature of HDF5")
        start = content.find(_MARK)
        while start >= 0:
            _walk(content, start)
            start = content.find(_MARK, start + len(_MARK))


def _walk(content: mmap.mmap, start: int) -> None:
    size = int.from_bytes(content[start + len(_MARK) : start + _HEAD], "little")
    place, end = start + _HEAD, min(start + size, len(content))
    while place + _HEAD <= end:
        held = int.from_bytes(content[place + 8 : place + _HEAD], "little")
        is_object = any(content[place : place + 2])
        step = _HEAD + -(-held // 8) * 8 if is_object else held
        if not 0 < step <= size:
            raise ValueError(f"the heap at byte {start} holds an object of {held} bytes at byte {place}")
        place += step


SMALL = 2**20
"""A data set of at most this many bytes is read whole; of a larger one, only the first and the last row."""
MAX_CPU = 60
"""Seconds of CPU time after which the library counts as stuck. Waiting for a slow disk does not count."""
MAX_WAIT = 1800
"""Seconds after which the trial ends in any case."""
_HARMLESS = {0, 1, 120, -getattr(signal, "SIGKILL", 9), -signal.SIGTERM, -signal.SIGINT}
"""Exit codes that say nothing about the file: success, an error, or stopped by the user."""


def check_apart(path: Path) -> None:
    """Raise if reading the file in another process crashes that process. Takes about half a second.

    Files that the library merely refuses are reported when they are read here. If no process can be started, nothing is
    checked.
    """
    if not sys.executable:
        return
    command = [sys.executable, "-P", __file__, str(path.absolute())]
    try:
        ended = subprocess.run(
            command, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, timeout=MAX_WAIT
        ).returncode
    except subprocess.TimeoutExpired:
        raise ValueError(f"the HDF5 library does not finish within {MAX_WAIT} s") from None
    except OSError:
        return  # No process can be started here.
    if ended not in _HARMLESS:
        raise ValueError(f"it crashes the HDF5 library (exit code {ended})")


def read_small(path: str) -> None:
    """Read the attributes of every object in a file, and its data if they are small."""
    h5py = import_module("h5py")
    with h5py.File(path, "r") as file:
        _read_object("/", file)
        file.visititems(_read_object)


def _read_object(name: str, found: Any) -> None:
    try:
        dict(found.attrs)
        if hasattr(found, "shape"):
            whole = not found.shape or found.size * found.dtype.itemsize <= SMALL
            _ = found[()] if whole else (found[:1], found[-1:])
    except Exception:
        return  # Errors are reported when the file is really read; here, only crashes matter.


def _limit_work() -> None:
    """Limit CPU time, and write no core dump, if the system has such limits."""
    try:
        import resource
    except ImportError:
        return
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    hard = resource.getrlimit(resource.RLIMIT_CPU)[1]
    resource.setrlimit(resource.RLIMIT_CPU, (MAX_CPU if hard < 0 else min(MAX_CPU, hard), hard))


if __name__ == "__main__":
    _limit_work()
    read_small(sys.argv[1])
