"""`hypcse view`: where its tree, labels and names come from."""

from __future__ import annotations

import webbrowser
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from hypcse import Tree, view
from hypcse.cli.folder import PAGE, job_of
from hypcse.cli.inputs import leaf_labels, points_of, read_node_names, read_tree, tree_file
from hypcse.cli.output import tell
from hypcse.cli.score import check_one_label_source, leaf_points
from hypcse.points import Points
from hypcse.points.columns import Columns
from hypcse.points.formats.errors import naming
from hypcse.show.page.bundle import GENERATOR
from hypcse.show.page.levels import flat_labels
from hypcse.storage.files import check_file


def run_view(
    source: Path,
    out: Path | None,
    open_page: bool,
    overwrite: bool,
    columns: Columns,
    graph: dict[str, Any],
    labels: Path | None,
    data: str | None,
    compare: list[Path] | None,
    node_names: Path | None,
    clusters: int | None,
    title: str | None,
) -> None:
    """Write the page of a tree and show it in the browser."""
    target = out if out is not None else source / PAGE if source.is_dir() else source.with_suffix(".html")
    asked = any(value is not None for value in (labels, data, compare, node_names, clusters, title))
    if out is None and source.is_dir() and target.is_file() and not (asked or columns.options() or overwrite):
        # The page that `hypcse fit` wrote knows more than the tree alone.
        _open(target, "Here is", open_page)
        return
    _check_target(target, overwrite)
    tree, automatic = _read_source(source)
    points = Points()
    if data is not None:
        points = leaf_points(tree, points_of(data, columns), graph, by_name=columns.id is not None)
    elif columns.options():
        raise ValueError(f"{', '.join(columns.options().values())} say how to read --data. Pass --data too.")
    check_one_label_source(labels, columns)
    if labels is not None:
        points = replace(points, labels=_known_labels(labels, tree))
    names = read_node_names(tree_file(source))
    view(
        tree,
        target,
        points,
        automatic=automatic,
        n_clusters=clusters,
        node_names=names if node_names is None else names | read_node_names(node_names),
        compare={path.stem: _known_labels(path, tree) for path in compare or ()},
        title=_title_of(source) if title is None else title,
        scale=graph["scale"],
    )
    _open(target, "Written to", open_page)


def _title_of(source: Path) -> str:
    """The heading of a page: the name of the data that `hypcse fit` was given, else that of the file or folder."""
    data = job_of(source).get("input")
    return Path(str(data)).stem if data else source.resolve().name if source.is_dir() else source.stem


def _known_labels(path: Path, tree: Tree) -> NDArray[np.object_]:
    """Labels of the leaves; empty ones are unknown."""
    return np.array([label or None for label in leaf_labels(path, tree)], dtype=object)


def _open(page: Path, word: str, open_page: bool) -> None:
    tell(f"{word} {page}.")
    if open_page and not webbrowser.open(page.resolve().as_uri()):
        tell("There is no browser here; open the file in one.")


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
    with naming(table, "labels that `hypcse fit` wrote"):
        try:
            labels = np.array(leaf_labels(table, tree)).astype(np.int64)
        except (ValueError, OverflowError):
            raise ValueError("its labels are not numbers of clusters. Write the folder again: `hypcse fit`.") from None
        return tree, flat_labels("its labels", labels, tree.n_leaves, least=-1)
