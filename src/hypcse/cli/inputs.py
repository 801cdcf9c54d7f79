"""What the command reads besides options: points, trees, labels and names, from files, folders and data sets."""

from __future__ import annotations

import csv
import json
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from hypcse import Points, Tree, datasets
from hypcse._choices import FORMATS
from hypcse._progress import draw_bar
from hypcse.datasets.catalog import suggest
from hypcse.points.columns import Columns
from hypcse.points.formats.arrays import load_array
from hypcse.points.formats.errors import naming
from hypcse.points.reading import read_points
from hypcse.tree import newick
from hypcse.tree.checks import match_names

TREE = "tree.nwk"
"""The tree in a folder that `hypcse fit` wrote."""


def points_of(source: str, columns: Columns) -> Points:
    """Points of a file or, where no such file exists, of a data set by name."""
    if Path(source).is_file():
        return read_points(source, columns)
    if source not in datasets.available():
        # What has a folder or an ending is meant to be a file.
        guess = suggest(source) if Path(source).stem == source else ""
        raise FileNotFoundError(f"{source!r} is neither a file nor a data set. See `hypcse datasets`.{guess}")
    options = columns.options()
    if options:
        raise ValueError(f"{source} is a data set without named columns. Omit {', '.join(options.values())}.")
    with draw_bar(source) as bar:
        X, y = datasets.load(source, callback=bar)
    return Points(X, labels=y)


def tree_file(source: Path) -> Path:
    """The file of a tree: the one given, or that in a folder of `hypcse fit`."""
    way_out = "Pass a tree file, or a folder that `hypcse fit` wrote."
    if not source.exists():
        raise FileNotFoundError(f"{source} is neither a file nor a folder. {way_out}")
    if not source.is_dir():
        return source
    if (source / TREE).is_file():
        return source / TREE
    others = sorted(source.glob("*.nwk"))
    raise FileNotFoundError(f"the folder {source} has no {TREE}. {f'Pass {others[0]}.' if others else way_out}")


def read_tree(path: Path) -> Tree:
    """A tree from Newick, JSON, or a linkage matrix in .npy."""
    suffix = path.suffix.lower()
    if suffix == ".npy":
        with naming(path, "a linkage matrix"):
            return Tree.from_linkage(load_array(path))
    if suffix in FORMATS and suffix != ".txt":
        raise ValueError(
            f"{path} holds points; a tree is read from Newick (.nwk), JSON or a linkage matrix (.npy). "
            "`hypcse fit` makes a tree from points."
        )
    text = _read_text(path)
    with naming(path, "a tree"):
        return Tree.from_json(text) if suffix == ".json" else Tree.from_newick(text)


def read_node_names(path: Path) -> dict[int, str]:
    """Names of nodes by number: from Newick, a table, JSON as the page exports it, or an object of names by number."""
    suffix = path.suffix.lower()
    if suffix == ".npy":
        return {}
    with naming(path, "names of nodes"):
        if suffix in (".csv", ".tsv"):
            return {int(row[0]): row[-1] for row in read_cells(path) if row[0].strip().isdecimal()}
        if suffix != ".json":
            return newick.read_node_names(_read_text(path))
        form = json.loads(_read_text(path))
        names = form.get("node_names", {}) if isinstance(form, dict) and "parent" in form else form
        if not isinstance(names, dict) or not all(isinstance(name, str) for name in names.values()):
            raise ValueError(f'{path} holds no names of nodes. Write {{"12": "a name", "15": "another"}}.')
        for key in names:
            if not key.isdecimal():
                raise ValueError(
                    f"{path} names the node {key!r}; node numbers are whole numbers, as the page shows them."
                )
        return {int(key): name for key, name in names.items()}


def read_labels(path: Path) -> NDArray[Any]:
    """Labels from .npy, or from text with one per line. A blank last line is ignored; other blanks are unknown."""
    if path.suffix.lower() == ".npy":
        labels = load_array(path)
        if labels.ndim != 1:
            raise ValueError(f"{path} holds labels of shape {labels.shape}; labels are one list. Save y.ravel().")
        return labels
    lines = [line.strip() for line in _read_text(path).rstrip("\n").split("\n")]
    return np.array([line or None for line in lines], dtype=object)


def leaf_labels(path: Path, tree: Tree) -> list[str]:
    """One label per leaf: from a table of names and labels, or one per line in the order of the leaves."""
    if path.suffix.lower() not in (".csv", ".tsv"):
        return [str(label) for label in read_labels(path)]
    rows = read_cells(path)
    if len(rows) == tree.n_leaves + 1:
        rows = rows[1:]
    if len(rows[0]) == 1:
        return [row[0] for row in rows]
    names = tree.names if tree.names is not None else tuple(map(str, range(tree.n_leaves)))
    order = match_names(names, [row[0] for row in rows], "the tree", str(path))
    return [rows[k][1] for k in order]


def read_cells(path: Path) -> list[list[str]]:
    """The cells of a text table, row by row, with the same number in each."""
    text, delimiter = _read_text(path), "\t" if path.suffix.lower() == ".tsv" else ","
    with naming(path, "a table of text"):
        rows = [row for row in csv.reader(text.splitlines(keepends=True), delimiter=delimiter) if row]
    ragged = next((k for k, row in enumerate(rows) if len(row) != len(rows[0])), None)
    if ragged is not None:
        raise ValueError(f"{path}: row {ragged + 1} has {len(rows[ragged])} cells, row 1 has {len(rows[0])}.")
    if not rows:
        raise ValueError(f"{path} is empty; at least one row is needed.")
    return rows


def _read_text(path: Path) -> str:
    try:
        return path.read_text(encoding="utf-8-sig")
    except UnicodeDecodeError as error:
        raise ValueError(f"{path} is not UTF-8 text (byte {error.start}). Save it as UTF-8.") from error
