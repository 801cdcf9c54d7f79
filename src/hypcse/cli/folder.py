"""The folder that `hypcse fit` writes: what was found, its files, and the summary of its clusters."""

from __future__ import annotations

import io
import json
import re
import time
from collections.abc import Collection, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from rich.console import Console
from rich.markup import escape
from rich.table import Table

from hypcse import Structure, Tree, __version__, score
from hypcse._checks import say_count
from hypcse.cli.output import tell
from hypcse.cli.score import finite, show_scores
from hypcse.partitions.description import Description, Groups, names_of
from hypcse.partitions.resampling import is_quick
from hypcse.partitions.words import columns_of
from hypcse.points import Points
from hypcse.points.formats.errors import naming
from hypcse.show.page import view
from hypcse.show.source import flat_of
from hypcse.storage.archive import FILES as MODEL_FILES
from hypcse.storage.models import INNER, pack_model
from hypcse.tree.flat import Labels, by_size, count_clusters

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
    """A tree, its flat labels, nested ones from coarse to fine, and what is known of them, each level's stability too.

    main : the level to look at first; None if the user asked for a number of clusters.
    """

    tree: Tree
    labels: Labels
    levels: Sequence[Labels]
    main: int | None
    structure: Structure
    scores: dict[str, float]
    seconds: float
    stability: Sequence[float] | None = None

    @property
    def counts(self) -> list[int]:
        return [count_clusters(labels) for labels in self.levels]

    def report(self, facts: dict[str, Any], job: dict[str, Any]) -> dict[str, Any]:
        """For `scores.json`, with facts about the data, and what was asked for."""
        return {
            "scores": {name: finite(value) for name, value in self.scores.items()},
            "clusters": count_clusters(self.labels),
            "levels": self.counts,
            "main_level": None if self.main is None else self.main + 1,
            "stability": None if self.stability is None else [round(value, 4) for value in self.stability],
            "structure": {"found": self.structure.found, **asdict(self.structure)},
            "points": self.tree.n_leaves,
            **facts,
            "seconds": round(self.seconds, 3),
            "job": job,
            "version": __version__,
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


def find(model: Any, points: Points, begin: float, stability: bool | None = None) -> Findings:
    """The findings of a model, fitted since `begin`. Stability is measured if asked for, or by default if quick."""
    # Levels are numbered by size; clusters of an updated model keep their numbers.
    main = model.levels_.main if np.array_equal(model.levels_[model.levels_.main], by_size(flat_of(model))) else None
    values = None
    if stability or (stability is None and is_quick(model.graph_)):
        with Console(stderr=True).status("measuring stability"):
            values = model.stability_
    scores = score(model.tree_, graph=model.graph_, labels=points.labels, clusters=model.labels_)
    seconds = time.perf_counter() - begin
    return Findings(model.tree_, model.labels_, model.levels_, main, model.structure_, scores, seconds, values)


def model_files(
    model: Any,
    points: Points,
    findings: Findings,
    notes: Sequence[str],
    job: dict[str, Any],
    title: str,
    *,
    as_parquet: bool = False,
    compare: Any = None,
) -> dict[str, bytes]:
    """Contents of the folder of a fitted model by file name; the page sets it beside the labels to `compare` with."""
    n_features = 0 if points.features is None else model.n_features_in_
    facts = {"features": n_features, "edges": model.graph_.n_edges, "notes": list(notes)}
    page = view(
        model, points=points, scale=model.scale, title=title, stability=findings.stability, compare=compare
    ).html
    files = folder_files(findings, points.names, facts, job, page)
    if hasattr(model, "embedding_"):
        files["embedding.npy"] = _npy_bytes(model.embedding_)
    # Also measures how far each point lies out, which the model keeps.
    own = model.to_frame().reset_index(drop=True)
    if points.frame is not None or points.features is not None:
        table = joined(table_of(points), own)
        files[CLUSTERS] = csv_bytes(table)
        if as_parquet:
            files["clusters.parquet"] = table.to_parquet(index=False)
    return files | {f"{INNER}/{name}": content for name, content in pack_model(model).items()}


def folder_files(
    findings: Findings, names: Sequence[str] | None, facts: dict[str, Any], job: dict[str, Any], page: str
) -> dict[str, bytes]:
    """Contents of the folder by file name, without the model."""
    tree, table = findings.tree, {"name": names or range(findings.labels.size), "label": findings.labels}
    table |= {f"level_{k}": level for k, level in enumerate(findings.levels, 1)}
    files = {
        "tree.nwk": (tree.to_newick() + "\n").encode(),
        "labels.csv": csv_bytes(pd.DataFrame(table)),
        REPORT: (json.dumps(findings.report(facts, job), indent=2, allow_nan=False) + "\n").encode(),
        PAGE: page.encode("utf-8", "replace"),
    }
    return files | ({"linkage.npy": _npy_bytes(tree.to_linkage())} if tree.n_leaves > 1 else {})


def job_of(folder: Path) -> dict[str, Any]:
    """What a folder was written with, as its report says; empty without one."""
    report = folder / REPORT
    if not report.is_file():
        return {}
    with naming(report, "a report of `hypcse fit`"):
        form = json.loads(report.read_text(encoding="utf-8"))
        job = form.get("job") if isinstance(form, dict) else None
        # Another program's scores have the same name.
        return job if isinstance(job, dict) else {}


def table_of(points: Points) -> pd.DataFrame:
    """The table that was read, or the features where none was."""
    if points.frame is not None:
        return points.frame
    table = pd.DataFrame(np.asarray(points.table), columns=points.feature_names)
    return table.rename(columns=lambda name: name if isinstance(name, str) else f"column {name + 1}")


def joined(table: pd.DataFrame, own: pd.DataFrame) -> pd.DataFrame:
    """A table with columns of ours behind its own; one of its own by the same name gets an underscore."""
    table = table.rename(columns={name: f"{name}_" for name in own if name in table})
    return pd.concat([table.reset_index(drop=True), own], axis=1)


def csv_bytes(table: pd.DataFrame) -> bytes:
    return table.to_csv(index=False, lineterminator="\n").encode()


def _npy_bytes(array: Any) -> bytes:
    with io.BytesIO() as buffer:
        np.save(buffer, array, allow_pickle=False)
        return buffer.getvalue()


def show_findings(
    findings: Findings, points: Points, method: str, place: object, files: Collection[str], more: Sequence[str] = ()
) -> None:
    """Print the findings and `more` in a line each, the clusters as a table, the scores, and where the files are."""
    tell(*findings.lines(), *more)
    show_clusters(findings, points)
    show_scores([{"method": method, **findings.scores, "seconds": findings.seconds}])
    tell(f"Written to {place}: {', '.join(sorted({name.split('/')[0] for name in files}))}")


def show_clusters(findings: Findings, points: Points) -> None:
    """Print the clusters as a table, the largest first and outliers last; without structure, the level to look at."""
    labels, main, which = findings.labels, findings.main, ""
    if main is not None:
        which = f", level {main + 1} of {len(findings.levels)}"
        if count_clusters(labels) < findings.counts[main]:
            tell("All points are one cluster. What the level to look at shows may be chance:")
            labels = findings.levels[main]
    numbers, sizes = np.unique(labels[labels >= 0], return_counts=True)
    n_outliers = int(np.count_nonzero(labels < 0))
    outliers = f" and {say_count(n_outliers, 'outlier')}" if n_outliers else ""
    tell(f"{say_count(sizes.size, 'cluster')}{which}{outliers}{'.' if sizes.size == 1 else ':'}")
    if sizes.size == 1:
        return
    table, columns = Table("cluster", "points"), [list(map(str, numbers)), [f"{size:,}" for size in sizes]]
    if points.features is not None:
        table.add_column("what sets it apart: typical values")
        described = Description(columns_of(points), Groups.of_labels(labels, numbers))
        columns.append(list(map(escape, names_of(described, numbers))))
    for cluster in np.argsort(-sizes, kind="stable")[:MOST_CLUSTERS].tolist():
        table.add_row(*(column[cluster] for column in columns))
    if n_outliers:
        table.add_row("outliers", f"{n_outliers:,}", style="dim")
    Console().print(table)
    if sizes.size > MOST_CLUSTERS:
        tell(f"and {sizes.size - MOST_CLUSTERS} smaller ones.")
