"""`hypcse score`."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any, cast

import numpy as np
from numpy.typing import NDArray
from rich.console import Console
from rich.table import Table

from hypcse import Tree, score, similarity_graph
from hypcse.cli.inputs import Points, read_labels, read_points, read_tree
from hypcse.entropy import SelfLoops


def run_score(
    tree_path: Path,
    source: str,
    labels_path: Path | None,
    columns: dict[str, str | None],
    graph_options: dict[str, Any],
    *,
    self_loops: str,
    as_json: bool,
) -> None:
    """Score a tree file on the similarity graph of its points and print the row."""
    tree = read_tree(tree_path)
    points = read_points(source, columns["label"], columns["id"])
    order = leaf_rows(tree, points)
    labels = read_labels(labels_path) if labels_path is not None else points.labels
    if labels is not None and len(labels) != len(points.features):
        raise ValueError(f"there are {len(labels)} labels for {len(points.features)} points; pass one per point.")
    graph_options["bandwidth"] = parse_bandwidth(graph_options["bandwidth"])
    graph = similarity_graph(points.features, **graph_options)
    if not np.array_equal(order, np.arange(len(order))):
        graph = graph.subgraph(order)[0]
        labels = None if labels is None else labels[order]
    row = score(tree, graph=graph, labels=labels, self_loops=cast(SelfLoops, self_loops))
    if as_json:
        print(json.dumps(row))
    else:
        show_scores([{"tree": str(tree_path), **row}])


def leaf_rows(tree: Tree, points: Points) -> NDArray[np.int64]:
    """Row of the points that each leaf of the tree stands for."""
    n = len(points.features)
    if tree.n_leaves != n:
        raise ValueError(
            f"the tree has {tree.n_leaves} leaves, but the data has {n} rows; they must be the same points."
        )
    if tree.names is None:
        return np.arange(n)
    if points.names is None:
        raise ValueError(
            f"the tree names its leaves ({tree.names[0]!r}, ...). Say which column of the data holds these names: "
            "--id-column."
        )
    rows = {name: row for row, name in enumerate(points.names)}
    if len(rows) != n:
        raise ValueError("the id column names a row twice; leaf names must be unique.")
    missing = next((name for name in tree.names if name not in rows), None)
    if missing is not None or len(set(tree.names)) != n:
        raise ValueError(f"the tree's leaves and the id column differ, for example at leaf {missing!r}.")
    return np.array([rows[name] for name in tree.names])


def parse_bandwidth(text: str) -> float | str:
    """A number, or the word median."""
    if text == "median":
        return text
    try:
        return float(text)
    except ValueError:
        raise ValueError(f"--bandwidth {text!r} is neither a number nor 'median'.") from None


def show_scores(rows: list[dict[str, Any]]) -> None:
    """Print rows of scores as one table, purity in percent."""
    table = Table()
    for name in rows[0]:
        table.add_column(_TITLES.get(name, name), justify="right" if name in _FORMATS else "left", no_wrap=True)
    for row in rows:
        table.add_row(*(_FORMATS.get(name, "{}").format(value) for name, value in row.items()))
    Console().print(table)


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
