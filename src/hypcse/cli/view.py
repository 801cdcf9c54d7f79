"""`hypcse view`: where its tree, labels and names come from."""

from __future__ import annotations

import json
import webbrowser
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from rich.console import Console

from hypcse import Tree, view
from hypcse.cli.folder import PAGE
from hypcse.cli.inputs import MAX_DIGITS, leaf_labels, points_of, read_node_names, read_tree, tree_file
from hypcse.cli.score import check_one_label_source, leaf_rows
from hypcse.points import Points
from hypcse.points.columns import Columns
from hypcse.points.formats.errors import naming
from hypcse.show.page.bundle import GENERATOR
from hypcse.show.page.levels import flat_labels
from hypcse.storage.files import check_file


@dataclass(frozen=True)
class Extras:
    """What is known besides the tree, as given on the command line."""

    labels: Path | None
    data: str | None
    columns: Columns
    graph_options: dict[str, Any]
    n_clusters: int | None
    compare: tuple[Path, ...] = ()
    node_names: Path | None = None
    title: str | None = None

    @property
    def is_default(self) -> bool:
        """Whether nothing is known besides the tree."""
        values = (self.labels, self.data, self.n_clusters, self.node_names, self.title)
        return all(value is None for value in values) and not self.columns.options() and not self.compare


def run_view(source: Path, out: Path | None, extras: Extras, *, open_page: bool, overwrite: bool) -> None:
    """Write the page of a tree and show it in the browser."""
    target = out if out is not None else source / PAGE if source.is_dir() else source.with_suffix(".html")
    if out is None and source.is_dir() and target.is_file() and extras.is_default and not overwrite:
        # The page that `hypcse fit` wrote knows more than the tree alone.
        _open(target, "Here is", open_page)
        return
    _check_target(target, overwrite)
    tree, automatic = _read_source(source)
    points = _read_points(tree, extras)
    if extras.labels is not None:
        check_one_label_source(extras.labels, extras.columns)
        points = replace(points, labels=_known_labels(extras.labels, tree))
    names = read_node_names(tree_file(source))
    view(
        tree,
        target,
        points,
        automatic=automatic,
        n_clusters=extras.n_clusters,
        node_names=names if extras.node_names is None else names | read_node_names(extras.node_names),
        compare={path.stem: _known_labels(path, tree) for path in extras.compare},
        title=_title_of(source) if extras.title is None else extras.title,
        scale=extras.graph_options["scale"],
    )
    _open(target, "Written to", open_page)


def _title_of(source: Path) -> str:
    """The heading of a page: the name of the data that `hypcse fit` was given, else that of the file or folder."""
    report = source / "scores.json"
    if report.is_file():
        with naming(report, "a report of `hypcse fit`"):
            content = json.loads(report.read_text(encoding="utf-8"))
        data = content.get("job", {}).get("input") if isinstance(content, dict) else None
        if isinstance(data, str) and data:
            return Path(data).stem
    return source.resolve().name if source.is_dir() else source.stem


def _known_labels(path: Path, tree: Tree) -> NDArray[np.object_]:
    """Labels of the leaves; empty ones are unknown."""
    return np.array([label or None for label in leaf_labels(path, tree)], dtype=object)


def _open(page: Path, word: str, open_page: bool) -> None:
    console = Console(soft_wrap=True, highlight=False)
    console.print(f"{word} {page}.", markup=False)
    if open_page and not webbrowser.open(page.resolve().as_uri()):
        console.print("There is no browser here; open the file in one.")


def _check_target(target: Path, overwrite: bool) -> None:
    """Raise if the page cannot be written, or would replace a file that hypcse did not write."""
    if target.is_dir():
        raise IsADirectoryError(f"{target} is a folder; --out names the page, for example {target / PAGE}.")
    check_file(target)
    if overwrite or not target.exists():
        return
    with target.open("rb") as file:
        ours = f'content="{GENERATOR}"'.encode() in file.read(2000)
    if not ours:
        raise FileExistsError(
            f"{target} exists and is not a page of hypcse. Choose another --out, or pass --overwrite to replace it."
        )


def _read_source(source: Path) -> tuple[Tree, NDArray[np.int64] | None]:
    """The tree in a file, or in a folder that `hypcse fit` wrote, with the folder's flat labels."""
    tree, table = read_tree(tree_file(source)), source / "labels.csv"
    if not source.is_dir() or not table.is_file():
        return tree, None
    cells = leaf_labels(table, tree)
    if not all(cell.isdecimal() and len(cell) <= MAX_DIGITS for cell in cells):
        raise ValueError(
            f"{table} holds labels that are not whole numbers of at most {MAX_DIGITS} digits. Write the folder again "
            "with `hypcse fit`."
        )
    return tree, flat_labels(f"the labels of {table}", np.array([int(cell) for cell in cells]), tree.n_leaves)


def _read_points(tree: Tree, extras: Extras) -> Points:
    """The points behind the tree in the order of its leaves, with their graph; empty without data."""
    if extras.data is None:
        if extras.columns.options():
            raise ValueError(f"{', '.join(extras.columns.options().values())} say how to read --data. Pass --data too.")
        return Points()
    points = points_of(extras.data, extras.columns)
    graph = points.similarity(**extras.graph_options)
    return replace(points, graph=graph).rows(leaf_rows(tree, points, by_name=extras.columns.id is not None))
