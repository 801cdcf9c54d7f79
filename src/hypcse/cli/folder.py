"""The folder that `hypcse fit` writes: what the fit found, its files, and the summary of its clusters."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from rich.console import Console
from rich.markup import escape
from rich.table import Table

from hypcse import Structure, __version__
from hypcse._checks import say_count
from hypcse.cli.score import finite
from hypcse.partitions.nested_levels import Labels
from hypcse.partitions.resampling import is_quick
from hypcse.points import Points
from hypcse.show.page.bundle import render
from hypcse.show.page.contents import Look, gather
from hypcse.show.source import flat_of
from hypcse.storage.archive import FILES as FILES_OF_A_MODEL
from hypcse.storage.models import INNER, pack_model
from hypcse.tree.flat import cluster_sizes, count_clusters

PAGE = "tree.html"
MODEL_FILES = tuple(f"{INNER}/{name}" for name in FILES_OF_A_MODEL)
FILES = ("embedding.npy", "labels.csv", "linkage.npy", *MODEL_FILES, "scores.json", PAGE, "tree.nwk")


def folder_files(
    model: Any, points: Points, found: Findings, row: dict[str, float], job: dict[str, Any], title: str
) -> dict[str, bytes]:
    """Contents of the folder by file name."""
    tree, labels = model.tree_, model.labels_
    report = {
        "scores": {name: finite(value) for name, value in row.items()},
        "clusters": count_clusters(labels),
        **found.report(),
        "points": tree.n_leaves,
        "features": 0 if points.features is None else points.features.shape[1],
        "edges": model.graph_.n_edges,
        "notes": list(points.notes),
        "seconds": job.pop("seconds"),
        "job": job,
        "version": __version__,
    }
    page = render(gather(model, points, Look(scale=model.scale, title=title, stability=found.stability)))
    files = {
        "tree.nwk": (tree.to_newick() + "\n").encode(),
        "labels.csv": label_table(labels, model.levels_, points).encode(),
        "scores.json": (json.dumps(report, indent=2, allow_nan=False) + "\n").encode(),
        PAGE: page.encode("utf-8", "replace"),
    }
    if tree.n_leaves > 1:
        files["linkage.npy"] = npy_bytes(tree.to_linkage())
    if hasattr(model, "embedding_"):
        files["embedding.npy"] = npy_bytes(model.embedding_)
    return files | {f"{INNER}/{name}": content for name, content in pack_model(model).items()}


def npy_bytes(array: NDArray[np.float64]) -> bytes:
    """The file of an array."""
    with io.BytesIO() as buffer:
        np.save(buffer, array, allow_pickle=False)
        return buffer.getvalue()


def label_table(labels: NDArray[np.int64], partitions: list[NDArray[np.int64]], points: Points) -> str:
    """One row per point: its name, its flat label, and its label at every level from coarse to fine."""
    names = points.names or tuple(map(str, range(labels.size)))
    header = ["name", "label", *(f"level_{k}" for k in range(1, len(partitions) + 1))]
    text = io.StringIO(newline="")
    table = csv.writer(text, lineterminator="\n")
    table.writerow(header)
    table.writerows(zip(names, labels.tolist(), *(level.tolist() for level in partitions), strict=True))
    return text.getvalue()


@dataclass(frozen=True, eq=False)
class Findings:
    """Nested labels, coarse to fine, and what is known of them.

    main      : the level of the flat labels, or to look at where these are one cluster for want of structure; None if
                the user asked for a number of clusters.
    stability : one value per level, or None if it was not measured.
    """

    levels: Sequence[Labels]
    main: int | None
    structure: Structure
    stability: list[float] | None

    @property
    def counts(self) -> list[int]:
        """Clusters of each level."""
        return [count_clusters(labels) for labels in self.levels]

    def report(self) -> dict[str, Any]:
        """For `scores.json`."""
        rounded = None if self.stability is None else [round(value, 4) for value in self.stability]
        return {
            "levels": self.counts,
            "main_level": None if self.main is None else self.main + 1,
            "stability": rounded,
            "structure": {"found": self.structure.found, **asdict(self.structure)},
        }

    def lines(self) -> list[str]:
        """For people: structure, and the levels."""
        structure = str(self.structure)
        told = list(map(str, self.counts))
        for k, value in enumerate(self.stability or ()):
            # Stability means nothing for one cluster of all points, or for clusters of one point.
            if 1 < self.counts[k] < self.levels[k].size:
                told[k] += f" ({value:.2f})"
        measured = "" if self.stability is None else ", with their stability"
        levels = f"Levels by number of clusters{measured}: {', '.join(told)}."
        return [f"{structure[0].upper()}{structure[1:]}.", levels]


def find(model: Any, wanted: bool | None = None) -> Findings:
    """The findings of a fitted model. Stability is measured if asked for, or by default if it is quick."""
    main = model.levels_.main if np.array_equal(model.levels_[model.levels_.main], flat_of(model)) else None
    measured = None
    if wanted or (wanted is None and is_quick(model.graph_)):
        with Console(stderr=True).status("measuring stability"):
            measured = model.stability_
    return Findings(model.levels_, main, model.structure_, measured)


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
