"""`hypcse score`, and scores as a table."""

from __future__ import annotations

import json
import math
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from rich.console import Console
from rich.markup import escape
from rich.measure import Measurement
from rich.table import Column, Table

from hypcse import Tree, score
from hypcse._choices import SelfLoops
from hypcse.cli.inputs import points_of, read_labels, read_tree, tree_file
from hypcse.metrics.scores import BY_NAME, format_score
from hypcse.points import Points
from hypcse.points.columns import Columns
from hypcse.tree.checks import match_names

_SHORT = {"dasgupta_cost": "cost ↓", "seconds": "s"}
"""Titles of columns that would be wider than their numbers."""


def run_score(
    tree_source: Path,
    source: str,
    labels_path: Path | None,
    columns: Columns,
    graph_options: dict[str, Any],
    *,
    self_loops: SelfLoops,
    as_json: bool,
) -> None:
    """Score a tree (a file or a folder of `hypcse fit`) on the similarity graph of its points, and print the row."""
    if labels_path is not None and columns.label is not None:
        raise ValueError(f"--labels {labels_path} and --label-column {columns.label} both give labels; pass one.")
    tree_path = tree_file(tree_source)
    tree = read_tree(tree_path)
    points = points_of(source, columns)
    if tree_path.suffix.lower() == ".npy":
        # A linkage matrix holds no names: its leaf k is row k, whatever the id column says.
        points = replace(points, names=None)
    order = leaf_rows(tree, points, by_name=columns.id is not None)
    if labels_path is not None:
        points = replace(points, labels=read_labels(labels_path))
    points = replace(points, graph=points.similarity(**graph_options)).rows(order)
    row = score(tree, graph=points.graph, labels=points.labels, self_loops=self_loops)
    if as_json:
        print(json.dumps({name: finite(value) for name, value in row.items()}, allow_nan=False))
    else:
        show_scores([row])


def leaf_rows(tree: Tree, points: Points, by_name: bool) -> NDArray[np.int64]:
    """The row of each leaf of the tree.

    by_name : whether names were asked for. If the rows were named by a column that looked like an id, a tree without
        leaf names is matched by row.
    """
    n = points.n_points
    if tree.n_leaves != n:
        raise ValueError(
            f"the tree has {tree.n_leaves} leaves, but the data has {n} rows; they must be the same points."
        )
    if points.names is not None and (by_name or tree.names is not None):
        names = tree.names if tree.names is not None else tuple(map(str, range(n)))
        return match_names(names, points.names, "the tree", "the id column")
    if tree.names is not None:
        raise ValueError(
            f"the tree names its leaves ({tree.names[0]!r}, ...). Say which column of the data holds these names: "
            "--id-column."
        )
    return np.arange(n)


def show_scores(rows: list[dict[str, Any]], spare: Sequence[str] = ("dasgupta_cost",)) -> None:
    """Print rows of scores as one table, with an arrow in the better direction; a single row is printed vertically.

    spare : scores that are left out, one after the other, where the terminal is too narrow. Numbers are never cut.
    """
    console = Console()
    if len(rows) == 1:
        table = Table("score", Column("value", justify="right"))
        for name, value in rows[0].items():
            table.add_row(_title(name), _cell(name, value))
        console.print(table)
        return
    names = list(rows[0])
    table = _score_table(rows, names)
    for name in spare:
        if _natural_width(table, console) > console.width:
            names = [other for other in names if other != name]
            table = _score_table(rows, names)
    # What is still too wide is wrapped by the terminal, which loses nothing.
    console.width = max(console.width, _natural_width(table, console))
    console.print(table)


def _natural_width(table: Table, console: Console) -> int:
    """The width at which nothing is cut."""
    return Measurement.get(console, console.options.update(width=10_000), table).maximum


def _score_table(rows: list[dict[str, Any]], names: list[str]) -> Table:
    table = Table()
    for name in names:
        table.add_column(_SHORT.get(name, _title(name)), justify="left" if name == "method" else "right", no_wrap=True)
    for row in rows:
        table.add_row(*(_cell(name, row[name]) for name in names))
    return table


def _title(name: str) -> str:
    known = BY_NAME.get(name)
    return name if known is None else f"{known.title} {'↑' if known.higher else '↓'}"


def _cell(name: str, value: Any) -> str:
    """The value as a table shows it; `-` if it is undefined, such as the purity of classes of one."""
    if name == "seconds":
        return f"{value:.2f}"
    if name not in BY_NAME:
        return escape(str(value))
    return "-" if finite(value) is None else format_score(name, value)


def finite(value: float) -> float | None:
    """The value, or None if it is not a number."""
    return value if math.isfinite(value) else None
