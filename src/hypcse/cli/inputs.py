"""What the command is given, read: points, trees, labels and options, from files, folders, data sets and words."""

from __future__ import annotations

import csv
import json
import math
from collections.abc import Sequence
from pathlib import Path
from types import NoneType
from typing import Any

import numpy as np
from numpy.typing import NDArray
from rich.console import Console

from hypcse import Points, Tree, datasets
from hypcse._checks import did_you_mean
from hypcse._choices import FORMATS
from hypcse._progress import draw_bar
from hypcse.methods.options import Option, check_names
from hypcse.methods.registry import Method
from hypcse.points.columns import Columns
from hypcse.points.formats.arrays import load_array
from hypcse.points.formats.damage import naming
from hypcse.points.reading import read_points
from hypcse.tree.formats import newick

TREE = "tree.nwk"
"""The tree in a folder that `hypcse fit` wrote."""
MAX_DIGITS = 18
"""Digits of the longest node number: it has 64 bits."""


def points_of(source: str, columns: Columns) -> Points:
    """Points of a file or, where no such file exists, of a data set by name."""
    if Path(source).is_file():
        return read_points(source, columns)
    if source not in datasets.available():
        # What has a folder or an ending is meant to be a file.
        near = did_you_mean(source, datasets.available()) if Path(source).stem == source else ""
        raise FileNotFoundError(f"{source!r} is neither a file nor a data set. See `hypcse datasets`.{near}")
    asked = columns.options()
    if asked:
        raise ValueError(f"{source} is a data set without named columns. Omit {', '.join(asked.values())}.")
    X, y = load_dataset(source)
    return Points(X, labels=y)


def tell_notes(points: Points) -> None:
    """Print, on standard error, how each column was used and how the data were changed."""
    for note in points.notes:
        Console(stderr=True, soft_wrap=True, highlight=False).print(f"note: {note}", markup=False)


def load_dataset(name: str) -> tuple[NDArray[np.float64], NDArray[np.int64]]:
    """A data set by name, with a progress bar on standard error while it is downloaded."""
    with draw_bar(name) as bar:
        return datasets.load(name, callback=bar)


def tree_file(source: Path) -> Path:
    """The file of a tree: the one given, or that in a folder of `hypcse fit`."""
    if not source.exists():
        raise FileNotFoundError(
            f"{source} is neither a file nor a folder. Pass a tree file, or a folder that `hypcse fit` wrote."
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
    """Names of nodes by number: from Newick or JSON text, or from a table with a node and a name per row.

    JSON is what the page exports, where names stand under "node_names", or an object of names by number.
    """
    suffix = path.suffix.lower()
    if suffix == ".npy":
        return {}
    if suffix in (".csv", ".tsv"):
        cells = [row for row in read_cells(path) if row[0].strip().isdecimal()]
        pairs = [(row[0].strip(), row[-1]) for row in cells]
    elif suffix == ".json":
        pairs = _json_names(path)
    else:
        with naming(path, "a tree"):
            return newick.read_node_names(_read_text(path))
    wrong = next((key for key, _ in pairs if not key.isdecimal() or len(key) > MAX_DIGITS), None)
    if wrong is not None:
        raise ValueError(f"{path} names the node {wrong!r}; node numbers are whole numbers, as the page shows them.")
    return {int(key): name for key, name in pairs}


def _json_names(path: Path) -> list[tuple[str, str]]:
    with naming(path, "names of nodes"):
        form = json.loads(_read_text(path))
    found = form.get("node_names", {}) if isinstance(form, dict) and "parent" in form else form
    if not isinstance(found, dict) or not all(isinstance(name, str) for name in found.values()):
        raise ValueError(f'{path} holds no names of nodes. Write {{"12": "a name", "15": "another"}}.')
    return list(found.items())


def read_labels(path: Path) -> NDArray[Any]:
    """Labels from .npy, or from text with one per line. A blank last line is ignored; other blanks are unknown."""
    if path.suffix.lower() == ".npy":
        labels = load_array(path)
        if labels.ndim != 1:
            raise ValueError(f"{path} holds labels of shape {labels.shape}; labels are one list. Save y.ravel().")
        return labels
    lines = [line.strip() for line in _read_text(path).rstrip("\n").split("\n")]
    return np.array([line or None for line in lines], dtype=object)


def read_cells(path: Path) -> list[list[str]]:
    """The cells of a text table, row by row, with the same number in each."""
    text = _read_text(path)
    delimiter = "\t" if path.suffix.lower() == ".tsv" else ","
    with naming(path, "a table of text"):
        rows = [row for row in csv.reader(text.splitlines(keepends=True), delimiter=delimiter) if row]
    if not rows:
        raise ValueError(f"{path} is empty; at least one row is needed.")
    ragged = [k for k, row in enumerate(rows, 1) if len(row) != len(rows[0])]
    if ragged:
        raise ValueError(f"{path}: row {ragged[0]} has {len(rows[ragged[0] - 1])} cells, row 1 has {len(rows[0])}.")
    return rows


def _read_text(path: Path) -> str:
    try:
        return path.read_text(encoding="utf-8-sig")
    except UnicodeDecodeError as error:
        raise ValueError(f"{path} is not UTF-8 text (byte {error.start}). Save it as UTF-8.") from error


# Parameters of estimators that the command has its own options for, for every method.
ELSEWHERE = {
    "refine": "--refine, --no-refine or --effort",
    "n_neighbors": "--neighbors",
    "bandwidth": "--bandwidth",
}
# Parameters that the command sets itself.
TAKEN = ("callback", "checkpoint_dir", "verbose")
_WORDS: dict[str, Any] = {"none": None, "true": True, "false": False}
_KINDS = {bool: "true or false", int: "a whole number", float: "a number", str: "a text", NoneType: "none"}


def settable(method: Method) -> tuple[Option, ...]:
    """The options that `--set` takes: all of the method's except those that the command sets itself."""
    own = {*TAKEN, *(ELSEWHERE if method.estimator is not None else ())}
    return tuple(option for option in method.parameters if option.name not in own)


def read_options(words: Sequence[str], method: Method) -> dict[str, Any]:
    """The options of `--set`, each converted to the type that the method declares."""
    texts = _texts_of(words)
    for name in texts if method.estimator is not None else ():
        if name in ELSEWHERE:
            raise ValueError(f"--set {name}: the command has an option for it. Pass {ELSEWHERE[name]}.")
    for name in texts:
        if name in TAKEN:
            raise ValueError(f"--set {name}: the command sets it itself. In Python, pass {name}= to the estimator.")
    return read_words(words, method.name, {option.name: option for option in settable(method)} if texts else {})


def read_words(words: Sequence[str], title: str, options: dict[str, Option]) -> dict[str, Any]:
    """The values of NAME=VALUE, of what has that title and takes these options."""
    texts = _texts_of(words)
    check_names(title, texts, options)
    return {name: typed_value(text, options[name]) for name, text in texts.items()}


def _texts_of(words: Sequence[str]) -> dict[str, str]:
    texts: dict[str, str] = {}
    for word in words:
        name, equals, text = (part.strip() for part in word.partition("="))
        if not (name and equals):
            raise ValueError(f"--set {word!r} is not NAME=VALUE. `hypcse methods` lists the names.")
        if name in texts:
            raise ValueError(f"--set gives {name} twice, {texts[name]!r} and {text!r}. Pass one of them.")
        texts[name] = text
    return texts


def parse_value(text: str) -> Any:
    """None, a boolean, a whole number, a number, or else the text. Nothing is run.

    >>> [parse_value(text) for text in ("3", "1e-3", "inf", "True", "none", "unit")]
    [3, 0.001, inf, True, None, 'unit']
    """
    if text.lower() in _WORDS:
        return _WORDS[text.lower()]
    for kind in (int, float):
        try:
            return kind(text)
        except ValueError:
            continue
    return text


def typed_value(text: str, option: Option) -> Any:
    """The value of an option; raise if the text is not of its type."""
    from hypcse.storage.options import fits, to_plain

    for read in (parse_value(text), text):
        value = to_plain(read, option.kind)
        # The method decides whether a number may be infinite.
        bounded = 0.0 if isinstance(value, float) and not math.isfinite(value) else value
        if fits(bounded, option.kind):
            return value
    wanted = " or ".join(_described(option.kind))
    raise ValueError(
        f"--set {option.name}={text}: {option.name} takes {wanted}; by default {format_value(option.default)}."
    )


def _described(kind: Any) -> list[str]:
    """The values of an annotation in words."""
    from hypcse.storage.options import kinds_of, literals

    return [*map(str, literals(kind)), *(_KINDS[part] for part in kinds_of(kind))]


def format_value(value: Any) -> str:
    """A value as `--set` takes it."""
    return str(value).lower() if value is None or isinstance(value, bool) else str(value)
