"""The folder that `hypcse fit` writes: what the fit found, its files, and the summary of its clusters."""

from __future__ import annotations

import io
import json
import re
from collections.abc import Collection, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from rich.console import Console
from rich.markup import escape
from rich.table import Table

from hypcse import Structure, Tree, __version__
from hypcse._checks import say_count
from hypcse.cli.score import finite, show_scores
from hypcse.partitions.cluster_table import names_of
from hypcse.partitions.description import Description, Groups, columns_of
from hypcse.partitions.offered import Labels
from hypcse.partitions.resampling import is_quick
from hypcse.points import Points
from hypcse.show.page import view
from hypcse.show.source import flat_of
from hypcse.storage.archive import FILES as MODEL_FILES
from hypcse.storage.models import INNER, pack_model
from hypcse.tree.flat import by_size, count_clusters

PAGE, CLUSTERS, REPORT = "tree.html", "clusters.csv", "scores.json"
FILES = (
    *(CLUSTERS, "clusters.parquet", "embedding.npy", "labels.csv", "linkage.npy", REPORT, PAGE, "tree.nwk"),
    *(f"{INNER}/{name}" for name in MODEL_FILES),
)
MOST_CLUSTERS = 12
"""How many clusters are listed, the largest first."""
OWN = re.compile(r"cluster|outlier_score|level_[0-9]+")
"""The columns of `clusters.csv` that the table did not have."""


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
    stability: Sequence[float] | None = None

    @property
    def counts(self) -> list[int]:
        """Clusters of each level."""
        return [count_clusters(labels) for labels in self.levels]

    def report(self) -> dict[str, Any]:
        """For `scores.json`."""
        return {
            "levels": self.counts,
            "main_level": None if self.main is None else self.main + 1,
            "stability": None if self.stability is None else [round(value, 4) for value in self.stability],
            "structure": {"found": self.structure.found, **asdict(self.structure)},
        }

    def lines(self) -> list[str]:
        """For people: structure, and the levels."""
        structure, counts = str(self.structure), list(map(str, self.counts))
        for k, value in enumerate(self.stability or ()):
            # Stability means nothing for one cluster of all points, or for clusters of one point.
            if 1 < self.counts[k] < self.levels[k].size:
                counts[k] += f" ({value:.2f})"
        measured = "" if self.stability is None else ", with their stability"
        levels = f"Levels by number of clusters{measured}: {', '.join(counts)}."
        return [f"{structure[0].upper()}{structure[1:]}.", levels]


def find(model: Any, stability: bool | None = None) -> Findings:
    """The findings of a fitted model. Stability is measured if asked for, or by default if it is quick."""
    # Levels are numbered by size; clusters of an updated model keep their numbers.
    main = model.levels_.main if np.array_equal(model.levels_[model.levels_.main], by_size(flat_of(model))) else None
    values = None
    if stability or (stability is None and is_quick(model.graph_)):
        with Console(stderr=True).status("measuring stability"):
            values = model.stability_
    return Findings(model.levels_, main, model.structure_, values)


def files_of_model(
    model: Any,
    points: Points,
    findings: Findings,
    row: dict[str, float],
    report: dict[str, Any],
    title: str,
    *,
    as_parquet: bool = False,
    compare: Any = None,
) -> dict[str, bytes]:
    """Contents of the folder of a fitted model by file name; the page sets it beside the labels to `compare` with."""
    page = view(
        model, points=points, scale=model.scale, title=title, stability=findings.stability, compare=compare
    ).html
    embedding = getattr(model, "embedding_", None)
    files = folder_files(model.tree_, model.labels_, findings, points.names, row, report, page, embedding)
    files |= table_files(model, points, as_parquet)
    return files | {f"{INNER}/{name}": content for name, content in pack_model(model).items()}


def folder_files(
    tree: Tree,
    labels: NDArray[np.int64],
    findings: Findings,
    names: Sequence[str] | None,
    row: dict[str, float],
    report: dict[str, Any],
    page: str,
    embedding: NDArray[Any] | None = None,
) -> dict[str, bytes]:
    """Contents of the folder by file name, without the model."""
    report = {
        "scores": {name: finite(value) for name, value in row.items()},
        "clusters": count_clusters(labels),
        **findings.report(),
        "points": tree.n_leaves,
        **report,
        "version": __version__,
    }
    table = {"name": names or range(labels.size), "label": labels}
    table |= {f"level_{k}": level for k, level in enumerate(findings.levels, 1)}
    files = {
        "tree.nwk": (tree.to_newick() + "\n").encode(),
        "labels.csv": pd.DataFrame(table).to_csv(index=False, lineterminator="\n").encode(),
        REPORT: (json.dumps(report, indent=2, allow_nan=False) + "\n").encode(),
        PAGE: page.encode("utf-8", "replace"),
    }
    if tree.n_leaves > 1:
        files["linkage.npy"] = _npy_bytes(tree.to_linkage())
    if embedding is not None:
        files["embedding.npy"] = _npy_bytes(embedding)
    return files


def table_files(model: Any, points: Points, as_parquet: bool) -> dict[str, bytes]:
    """The table that was read with the cluster, the outlier score and the levels of each row; {} without a table."""
    own = model.to_frame().reset_index(drop=True)
    if points.frame is None and points.features is None:
        return {}
    table = points.frame
    if table is None:
        table = pd.DataFrame(np.asarray(points.table), columns=points.feature_names)
        table.columns = [name if isinstance(name, str) else f"column {name + 1}" for name in table.columns]
    table = joined(table, own)
    files = {CLUSTERS: table.to_csv(index=False, lineterminator="\n").encode()}
    if as_parquet:
        files["clusters.parquet"] = table.to_parquet(index=False)
    return files


def joined(table: pd.DataFrame, own: pd.DataFrame) -> pd.DataFrame:
    """A table with columns of ours behind its own; one of its own by the same name gets an underscore."""
    table = table.rename(columns={name: f"{name}_" for name in own if name in table})
    return pd.concat([table.reset_index(drop=True), own], axis=1)


def _npy_bytes(array: NDArray[np.float64]) -> bytes:
    with io.BytesIO() as buffer:
        np.save(buffer, array, allow_pickle=False)
        return buffer.getvalue()


def show_findings(
    findings: Findings,
    labels: NDArray[np.int64],
    points: Points,
    place: Path,
    files: Collection[str],
    scores: dict[str, Any],
    more: Sequence[str] = (),
) -> None:
    """Print the findings and `more` in a line each, the clusters as a table, the scores, and where the files are."""
    console = Console(soft_wrap=True, highlight=False)
    for line in [*findings.lines(), *more]:
        console.print(line, markup=False)
    show_clusters(labels, points, findings)
    show_scores([scores])
    names = ", ".join(sorted({name.split("/")[0] for name in files}))
    console.print(f"Written to {place}: {names}", markup=False)


def show_clusters(labels: NDArray[np.int64], points: Points, findings: Findings) -> None:
    """Print the clusters as a table, the largest first and outliers last; without structure, the level to look at."""
    console = Console(soft_wrap=True, highlight=False)
    main, which = findings.main, ""
    if main is not None:
        which = f", level {main + 1} of {len(findings.levels)}"
        if count_clusters(labels) < findings.counts[main]:
            console.print("All points are one cluster. What the level to look at shows may be chance:", markup=False)
            labels = findings.levels[main]
    numbers, sizes = np.unique(labels[labels >= 0], return_counts=True)
    n_outliers = int(np.count_nonzero(labels < 0))
    outliers = f" and {say_count(n_outliers, 'outlier')}" if n_outliers else ""
    end = "." if sizes.size == 1 else ":"
    console.print(f"{say_count(sizes.size, 'cluster')}{which}{outliers}{end}", markup=False)
    if sizes.size == 1:
        return
    table = Table("cluster", "points")
    names = None
    if points.features is not None:
        table.add_column("what sets it apart: typical values")
        names = names_of(Description(columns_of(points), Groups.of_labels(labels, numbers)), numbers)
    for cluster in np.argsort(-sizes, kind="stable")[:MOST_CLUSTERS].tolist():
        table.add_row(
            str(numbers[cluster]), f"{sizes[cluster]:,}", *([] if names is None else [escape(names[cluster])])
        )
    if n_outliers:
        table.add_row("outliers", f"{n_outliers:,}", style="dim")
    Console().print(table)
    if sizes.size > MOST_CLUSTERS:
        console.print(f"and {sizes.size - MOST_CLUSTERS} smaller ones.")
