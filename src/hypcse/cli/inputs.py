"""Reading trees, points and labels from files, without running anything in them."""

from __future__ import annotations

import csv
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from rich.console import Console
from rich.progress import Progress, TaskID

from hypcse import Tree, datasets


@dataclass(frozen=True)
class Points:
    """Features (n, d), and where known a label and a name for each point."""

    features: NDArray[np.float64]
    labels: NDArray[np.generic] | None = None
    names: tuple[str, ...] | None = None


def read_tree(path: Path) -> Tree:
    """A tree from Newick, JSON, or a linkage matrix in .npy."""
    suffix = path.suffix.lower()
    if suffix == ".npy":
        return Tree.from_linkage(_read_numpy(path))
    text = _read_text(path)
    try:
        return Tree.from_json(text) if suffix == ".json" else Tree.from_newick(text)
    except ValueError as error:
        raise ValueError(f"{path}: {error}") from None


def read_points(source: str, label_column: str | None = None, id_column: str | None = None) -> Points:
    """Points from a file or, where no such file exists, from a data set by name."""
    path = Path(source)
    if not path.exists():
        if source in datasets.available():
            return Points(*load_dataset(source))
        raise FileNotFoundError(f"{source!r} is neither a file nor a data set; `hypcse datasets` lists those.")
    suffix = path.suffix.lower()
    if suffix in (".csv", ".tsv", ".txt"):
        return _read_table(path, label_column, id_column)
    if label_column is not None or id_column is not None:
        raise ValueError(f"{path} has no named columns; --label-column and --id-column are for .csv and .tsv.")
    if suffix == ".npy":
        return Points(_read_numpy(path))
    if suffix == ".npz":
        return _read_archive(path)
    raise ValueError(f"{path} ends in {suffix or 'nothing'!r}; points are read from .csv, .tsv, .txt, .npy and .npz.")


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
        return _read_numpy(path)
    return np.array([line.strip() for line in _read_text(path).rstrip("\n").split("\n")])


def _read_text(path: Path) -> str:
    try:
        return path.read_text(encoding="utf-8-sig")
    except UnicodeDecodeError as error:
        raise ValueError(f"{path} is not UTF-8 text (byte {error.start}). Save it as UTF-8.") from None


def _read_numpy(path: Path) -> NDArray[np.float64]:
    try:
        return np.load(path, allow_pickle=False)
    except (ValueError, EOFError) as error:
        raise ValueError(f"{path} is not a plain NumPy file: {error}") from None


def _read_archive(path: Path) -> Points:
    archive = _read_numpy(path)
    if not isinstance(archive, np.lib.npyio.NpzFile) or "X" not in archive:
        raise ValueError(f"{path} must be an .npz archive with an array X, and y where there are labels.")
    with archive:
        return Points(archive["X"], archive.get("y", None))


def _read_table(path: Path, label_column: str | None, id_column: str | None) -> Points:
    delimiter = "\t" if path.suffix.lower() == ".tsv" else ","
    rows = [row for row in csv.reader(_read_text(path).splitlines(), delimiter=delimiter) if any(row)]
    if not rows:
        raise ValueError(f"{path} is empty; at least one row of numbers is needed.")
    ragged = [k for k, row in enumerate(rows, 1) if len(row) != len(rows[0])]
    if ragged:
        raise ValueError(f"{path}: row {ragged[0]} has {len(rows[ragged[0] - 1])} cells, row 1 has {len(rows[0])}.")
    has_header = not any(_is_number(cell) for cell in rows[0])
    header = rows[0] if has_header else [str(k) for k in range(len(rows[0]))]
    columns = dict(zip(header, zip(*rows[has_header:], strict=True), strict=False))
    taken = {kind: _take(columns, name, path) for kind, name in (("label", label_column), ("id", id_column)) if name}
    features = [_numbers(path, name, cells) for name, cells in columns.items()]
    if not features:
        raise ValueError(f"{path} has no feature columns left; at least one column of numbers is needed.")
    labels = np.array(taken["label"]) if "label" in taken else None
    return Points(np.column_stack(features), labels, taken.get("id"))


def _take(columns: dict[str, tuple[str, ...]], name: str, path: Path) -> tuple[str, ...]:
    if name not in columns:
        raise ValueError(f"{path} has no column {name!r}; its columns are {', '.join(columns)}.")
    return columns.pop(name)


def _is_number(cell: str) -> bool:
    try:
        float(cell)
    except ValueError:
        return False
    return True


def _numbers(path: Path, name: str, cells: tuple[str, ...]) -> NDArray[np.float64]:
    for row, cell in enumerate(cells, 1):
        if not _is_number(cell):
            what = "is empty" if not cell.strip() else f"holds {cell!r}"
            raise ValueError(
                f"{path}: column {name!r}, data row {row} {what}, which is no number. "
                "Fill or drop it, or name the column with --label-column or --id-column."
            )
    return np.array([float(cell) for cell in cells])
