"""`hypcse score`."""

from __future__ import annotations

import json
import math
from dataclasses import replace
from pathlib import Path
from typing import Any, cast

import numpy as np
from numpy.typing import NDArray
from rich.console import Console
from rich.markup import escape
from rich.table import Table

from hypcse import Tree, score
from hypcse.cli.reading.inputs import points_of, read_labels, read_tree, tree_file
from hypcse.entropy import SelfLoops
from hypcse.points import Points
from hypcse.points.reading import Columns
from hypcse.tree.names import match_names


def run_score(
    tree_source: Path,
    source: str,
    labels_path: Path | None,
    columns: Columns,
    graph_options: dict[str, Any],
    *,
    self_loops: str,
    as_json: bool,
) -> None:
    """Score a tree, of a file or a folder of `hypcse fit`, on the similarity graph of its points; print the row."""
    if labels_path is not None and columns.label is not None:
        raise ValueError(f"--labels {labels_path} and --label-column {columns.label} both give labels; pass one.")
    tree_path = tree_file(tree_source)
    tree = read_tree(tree_path)
    points = points_of(source, columns)
    if tree_path.suffix.lower() == ".npy":
        # A linkage matrix cannot hold names: its leaf k is row k, whatever the id column says.
        points = replace(points, names=None)
    order = leaf_rows(tree, points)
    if labels_path is not None:
        points = replace(points, labels=read_labels(labels_path))
    points = replace(points, graph=points.similarity(**graph_options)).rows(order)
    row = score(tree, graph=points.graph, labels=points.labels, self_loops=cast(SelfLoops, self_loops))
    if as_json:
        print(json.dumps({name: finite(value) for name, value in row.items()}, allow_nan=False))
    else:
        show_scores([row])


def leaf_rows(tree: Tree, points: Points) -> NDArray[np.int64]:
    """Row of the points that each leaf of the tree stands for."""
    n = points.n_points
    if tree.n_leaves != n:
        raise ValueError(
            f"the tree has {tree.n_leaves} leaves, but the data has {n} rows; they must be the same points."
        )
    if points.names is not None:
        names = tree.names if tree.names is not None else tuple(map(str, range(n)))
        return match_names(names, points.names, "the tree", "the id column")
    if tree.names is not None:
        raise ValueError(
            f"the tree names its leaves ({tree.names[0]!r}, ...). Say which column of the data holds these names: "
            "--id-column."
        )
    return np.arange(n)


def show_scores(rows: list[dict[str, Any]]) -> None:
    """Print rows of scores as one table, purity in percent."""
    table = Table()
    for name in rows[0]:
        table.add_column(_TITLES.get(name, name), justify="right" if name in _FORMATS else "left", no_wrap=True)
    for row in rows:
        table.add_row(*(_cell(name, value) for name, value in row.items()))
    Console().print(table)


def _cell(name: str, value: Any) -> str:
    """The value as a table shows it; what there is no number for, such as the purity of classes of one, is `-`."""
    if name not in _FORMATS:
        return escape(str(value))
    return "-" if finite(value) is None else _FORMATS[name].format(value)


def finite(value: float) -> float | None:
    """The value, or None where it is no number."""
    return value if math.isfinite(value) else None


_TITLES = {
    "dendrogram_purity": "purity ↑",
    "structural_entropy": "entropy ↓",
    "dasgupta_cost": "Dasgupta cost ↓",
}
_FORMATS = {
    "dendrogram_purity": "{:.1%}",
    "structural_entropy": "{:.4f}",
    "dasgupta_cost": "{:,.1f}",
    "seconds": "{:.2f}",
}
