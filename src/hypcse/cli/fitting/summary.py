"""The flat clusters in words: how large each is, and the columns that set it apart."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray
from rich.console import Console
from rich.markup import escape
from rich.table import Table

from hypcse._checks import say_count
from hypcse.cli.fitting.findings import Findings
from hypcse.points import Points
from hypcse.tree.flat import cluster_sizes, count_clusters

MOST_CLUSTERS, MOST_COLUMNS = 12, 2
"""How many clusters are listed, the largest first, and how many columns of each."""


def show_clusters(labels: NDArray[np.int64], points: Points, found: Findings) -> None:
    """Print the clusters as a table, the largest first and outliers last; without structure, the level to look at."""
    console = Console(soft_wrap=True, highlight=False)
    if found.main is not None and count_clusters(labels) < count_clusters(found.levels[found.main]):
        console.print("All points are one cluster. What the level to look at shows may be chance:", markup=False)
        labels = found.levels[found.main]
    sizes, n_outliers = cluster_sizes(labels), int(np.count_nonzero(labels < 0))
    which = "" if found.main is None else f", level {found.main + 1} of {len(found.levels)}"
    told = f"{say_count(sizes.size, 'cluster')}{which}"
    told += f" and {say_count(n_outliers, 'outlier')}" if n_outliers else ""
    console.print(f"{told}." if sizes.size == 1 else f"{told}:", markup=False)
    if sizes.size == 1:
        return
    order = np.argsort(-sizes, kind="stable")[:MOST_CLUSTERS]
    table = Table("cluster", "points")
    apart = None if points.features is None else columns_apart(points, labels)
    if apart is not None:
        table.add_column("set apart by (mean here, mean of all)")
    for cluster in order.tolist():
        cells = [str(cluster), f"{sizes[cluster]:,}"]
        table.add_row(*cells, *(() if apart is None else (escape("; ".join(apart[cluster])),)))
    if n_outliers:
        table.add_row("outliers", f"{n_outliers:,}", style="dim")
    Console().print(table)
    if sizes.size > MOST_CLUSTERS:
        console.print(f"and {sizes.size - MOST_CLUSTERS} smaller ones.")


def columns_apart(points: Points, labels: NDArray[np.int64]) -> list[list[str]]:
    """For each cluster, the two columns with the mean farthest from the overall mean, in standard deviations.

    >>> points = Points(np.array([[1.0, 5.0], [1.2, 3.0], [9.0, 4.0]]), feature_names=("size", "age"))
    >>> columns_apart(points, np.array([0, 0, 1]))[1]
    ['size 9 (3.73)', 'age 4 (4)']
    """
    X: NDArray[Any] = np.asarray(points.table, dtype=np.float64)
    titles = points.feature_names or tuple(f"column {k}" for k in range(1, X.shape[1] + 1))
    inside, sizes = labels >= 0, cluster_sizes(labels)
    sums = np.zeros((sizes.size, X.shape[1]))
    np.add.at(sums, labels[inside], X[inside])
    means, mean, deviation = sums / sizes[:, None], X.mean(axis=0), X.std(axis=0)
    away = np.abs(means - mean) / np.where(deviation > 0, deviation, np.inf)
    ranked = np.argsort(-away, axis=1, kind="stable")
    kinds = points.kinds or (None,) * X.shape[1]
    return [
        [f"{titles[k]} {_short(means[cluster, k])} ({_short(mean[k])})" for k in _of_different_kinds(row, kinds)]
        for cluster, row in enumerate(ranked.tolist())
    ]


def _of_different_kinds(ranked: list[int], kinds: Sequence[str | None]) -> list[int]:
    """The first columns, but only one from each text column."""
    chosen: list[int] = []
    for column in ranked:
        if len(chosen) < MOST_COLUMNS and kinds[column] not in {kinds[k] for k in chosen} - {None}:
            chosen.append(column)
    return chosen


def _short(value: float) -> str:
    """Three digits, and no powers of ten where people would not write them.

    >>> _short(8612.7), _short(0.0123), _short(3.0)
    ('8,613', '0.0123', '3')
    """
    return f"{value:,.0f}" if 1000 <= abs(value) < 1e9 else f"{value:.3g}"
