"""`hypcse score`, and scores as a table."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace
from json import dumps
from pathlib import Path
from typing import Any

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
    tree: Path,
    data: str,
    labels: Path | None,
    columns: Columns,
    graph: dict[str, Any],
    self_loops: SelfLoops,
    json: bool,
) -> None:
    """Score a tree (a file or a folder of `hypcse fit`) on the similarity graph of its points, and print the row."""
    check_one_label_source(labels, columns)
    path = tree_file(tree)
    leaves, points = read_tree(path), points_of(data, columns)
    if path.suffix.lower() == ".npy":
        # A linkage matrix holds no names: its leaf k is row k, whatever the id column says.
        points = replace(points, names=None)
    if labels is not None:
        points = replace(points, labels=read_labels(labels))
    points = leaf_points(leaves, points, graph, by_name=columns.id is not None)
    row = score(leaves, graph=points.graph, labels=points.labels, self_loops=self_loops)
    if json:
        print(dumps({name: finite(value) for name, value in row.items()}, allow_nan=False))
    else:
        show_scores([row])


def check_one_label_source(labels: Path | None, columns: Columns) -> None:
    """Raise if a column gives labels too."""
    if labels is not None and columns.label is not None:
        raise ValueError(f"--labels {labels} and --label-column {columns.label} both give labels; pass one.")


def leaf_points(tree: Tree, points: Points, graph: dict[str, Any], by_name: bool) -> Points:
    """The points in the order of the leaves, with their graph; by row if the tree has no names, unless `by_name`."""
    n, order = points.n_points, None
    if tree.n_leaves != n:
        raise ValueError(
            f"the tree has {tree.n_leaves} leaves, but the data has {n} rows; they must be the same points."
        )
    if points.names is not None and (by_name or tree.names is not None):
        names = tree.names if tree.names is not None else tuple(map(str, range(n)))
        order = match_names(names, points.names, "the tree", "the id column")
    elif tree.names is not None:
        raise ValueError(
            f"the tree names its leaves ({tree.names[0]!r}, ...). Say which column of the data holds these names: "
            "--id-column."
        )
    points = replace(points, graph=points.similarity(**graph))
    return points if order is None else points.rows(order)


def show_scores(rows: list[dict[str, Any]], spare: Sequence[str] = ("dasgupta_cost",)) -> None:
    """Print rows of scores as one table, a single row vertically; the `spare` ones give way in a narrow terminal."""
    console = Console()
    if len(rows) == 1:
        table = Table("score", Column("value", justify="right"))
        for name, value in rows[0].items():
            table.add_row(score_title(name), escape(score_cell(name, value)))
        console.print(table)
        return
    names = list(rows[0])
    for name in ("", *spare):
        names = [other for other in names if other != name]
        table = Table()
        for name in names:
            title = _SHORT.get(name, score_title(name))
            table.add_column(title, justify="left" if name == "method" else "right", no_wrap=True)
        for row in rows:
            table.add_row(*(escape(score_cell(name, row[name])) for name in names))
        width = Measurement.get(console, console.options.update(width=10_000), table).maximum
        if width <= console.width:
            break
    # What is still too wide is wrapped by the terminal, which loses nothing.
    console.width = max(console.width, width)
    console.print(table)


def score_title(name: str) -> str:
    """The title of a column of scores, with an arrow in the better direction."""
    known = BY_NAME.get(name)
    return name if known is None else f"{known.title} {'↑' if known.higher else '↓'}"


def score_cell(name: str, value: Any) -> str:
    """The value as a table shows it; `-` if it is undefined, such as the purity of classes of one."""
    if isinstance(value, str):
        return value
    if finite(value) is None:
        return "-"
    return f"{value:.2f}" if name == "seconds" else format_score(name, value) if name in BY_NAME else str(value)


def finite(value: float) -> float | None:
    """The value, or None if it is not a number."""
    return value if math.isfinite(value) else None
