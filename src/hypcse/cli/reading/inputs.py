"""Reading trees, points and labels from files, without running anything in them."""

from __future__ import annotations

import struct
import tokenize
import zipfile
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from rich.console import Console
from rich.progress import Progress, TaskID

from hypcse import Tree, datasets
from hypcse.cli.reading.columns import Columns
from hypcse.cli.reading.formats import read_h5ad, read_matrix_market, read_parquet
from hypcse.cli.reading.points import Points
from hypcse.cli.reading.tables import EDGE_SUFFIXES, read_edges, read_table, table_rows

TREE = "tree.nwk"
"""The tree in a folder that `hypcse fit` wrote."""


def tree_file(source: Path) -> Path:
    """The file of a tree: the one given, or that in a folder of `hypcse fit`."""
    if not source.exists():
        raise FileNotFoundError(
            f"{source} is neither a file nor a folder. Pass a tree file, or what `hypcse fit` wrote."
        )
    if not source.is_dir():
        return source
    if (source / TREE).is_file():
        return source / TREE
    others = sorted(source.glob("*.nwk"))
    way_out = f"Pass {others[0]}." if others else "Pass a tree file, or a folder that `hypcse fit` wrote."
    raise FileNotFoundError(f"the folder {source} has no {TREE}. {way_out}")


def read_tree(path: Path) -> Tree:
    """A tree from Newick, JSON, or a linkage matrix in .npy."""
    suffix = path.suffix.lower()
    if suffix == ".npy":
        return Tree.from_linkage(_read_array(path))
    if suffix in SUFFIXES and suffix != ".txt":
        raise ValueError(
            f"{path} holds points; a tree is read from Newick (.nwk), JSON or a linkage matrix (.npy). "
            "`hypcse fit` makes a tree of points."
        )
    text = _read_text(path)
    try:
        return Tree.from_json(text) if suffix == ".json" else Tree.from_newick(text)
    except ValueError as error:
        raise ValueError(f"{path}: {error}") from None


def read_points(source: str, columns: Columns) -> Points:
    """Points from a file or, where no such file exists, from a data set by name."""
    path = Path(source)
    suffix = path.suffix.lower()
    if not path.is_file():
        if source not in datasets.available():
            raise FileNotFoundError(f"{source!r} is neither a file nor a data set; `hypcse datasets` lists those.")
        _check_no_columns(source, columns)
        return Points(*load_dataset(source))
    if suffix in EDGE_SUFFIXES or (columns.edges and suffix in TEXT_SUFFIXES):
        return read_edges(path, _read_text(path, newline=""), columns)
    if suffix in TEXT_SUFFIXES:
        return read_table(path, _read_text(path, newline=""), columns)
    if suffix == ".parquet":
        return read_parquet(path, columns)
    if suffix == ".h5ad":
        return read_h5ad(path, columns)
    _check_no_columns(source, columns)
    if suffix == ".mtx":
        return read_matrix_market(path)
    if suffix == ".npy":
        return _check_points(path, Points(_read_array(path)))
    if suffix == ".npz":
        return _check_points(path, _read_archive(path))
    raise ValueError(f"{path} ends in {suffix or 'nothing'!r}; points are read from {', '.join(SUFFIXES)}.")


TEXT_SUFFIXES = (".csv", ".tsv", ".txt")
SUFFIXES = (*TEXT_SUFFIXES, ".parquet", ".npy", ".npz", ".mtx", ".h5ad", *EDGE_SUFFIXES)


def _check_no_columns(source: str, columns: Columns) -> None:
    if not columns.is_default:
        raise ValueError(
            f"{source} has no named columns; options of columns are for {', '.join(TEXT_SUFFIXES)}, .parquet and .h5ad."
        )


def load_dataset(name: str) -> tuple[NDArray[np.float64], NDArray[np.int64]]:
    """A data set by name, with a progress bar on standard error while it is fetched."""
    bar = Progress(console=Console(stderr=True), transient=True)
    tasks: list[TaskID] = []

    def show(done: int, total: int) -> None:
        if not tasks:
            bar.start()
            tasks.append(bar.add_task(f"fetching {name}", total=total))
        bar.update(tasks[0], completed=done)

    try:
        return datasets.load(name, progress=show)
    finally:
        if tasks:
            bar.stop()


def read_labels(path: Path) -> NDArray[np.generic]:
    """Labels from .npy, or from text with one a line; a blank last line is no label."""
    if path.suffix.lower() == ".npy":
        return _check_labels(path, _read_array(path))
    return np.array([line.strip() for line in _read_text(path).rstrip("\n").split("\n")])


def read_cells(path: Path) -> list[list[str]]:
    """The cells of a table of text, row by row."""
    return table_rows(path, _read_text(path, newline=""))


def _read_text(path: Path, newline: str | None = None) -> str:
    """The text of a file; `newline=""` keeps the ends of its lines as they are."""
    try:
        with path.open(encoding="utf-8-sig", newline=newline) as file:
            return file.read()
    except UnicodeDecodeError as error:
        raise ValueError(f"{path} is not UTF-8 text (byte {error.start}). Save it as UTF-8.") from None


@contextmanager
def _reading(path: Path) -> Iterator[None]:
    """Say which file it was when NumPy or the zip archive under it cannot make sense of one."""
    try:
        yield
    except _DAMAGED as error:
        if isinstance(error, OSError) and error.filename is not None:
            raise  # The system's own words name the file already: not there, not allowed, a folder.
        raise ValueError(f"{path} is damaged or no plain NumPy file: {error}") from None
    except MemoryError as error:
        raise MemoryError(f"{path}: {error}") from None


# What reading a file that was cut short or has wrong bytes can raise, in NumPy, zipfile and zlib.
_DAMAGED = (
    ValueError,
    EOFError,
    OSError,
    KeyError,
    TypeError,
    SyntaxError,
    OverflowError,
    NotImplementedError,
    RuntimeError,
    struct.error,
    tokenize.TokenError,
    zlib.error,
    zipfile.BadZipFile,
)


def _read_array(path: Path) -> NDArray[np.float64]:
    with _reading(path):
        array = np.load(path, allow_pickle=False)
    if not isinstance(array, np.ndarray):
        array.close()
        raise ValueError(f"{path} is an .npz archive, but one array was expected. Save it with numpy.save.")
    return array


def _read_archive(path: Path) -> Points:
    with _reading(path):
        archive = np.load(path, allow_pickle=False)
    if not isinstance(archive, np.lib.npyio.NpzFile) or "X" not in archive:
        raise ValueError(f"{path} must be an .npz archive with an array X, and y where there are labels.")
    with archive, _reading(path):
        features, labels = archive["X"], archive.get("y", None)
    return Points(features, None if labels is None else _check_labels(path, labels))


def _check_points(path: Path, points: Points) -> Points:
    assert points.features is not None
    if points.features.ndim != 2:
        raise ValueError(
            f"{path} holds an array of shape {points.features.shape}; points are a matrix with one row a point. "
            "Save a single feature as X.reshape(-1, 1)."
        )
    return points


def _check_labels(path: Path, labels: NDArray[np.generic]) -> NDArray[np.generic]:
    if labels.ndim != 1:
        raise ValueError(f"{path} holds labels of shape {labels.shape}; labels are one list. Save y.ravel().")
    return labels
