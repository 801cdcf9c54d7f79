"""`hypcse compare`: methods on one table, ranked, as a table, as Markdown, as a page and as CSV."""

from __future__ import annotations

import math
import shlex
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any, get_args

import numpy as np
import pandas as pd
import typer
from rich.console import Console

from hypcse import Tree, __version__, methods, view
from hypcse._checks import check_labels
from hypcse._choices import RankBy
from hypcse.cli.inputs import points_of
from hypcse.cli.output import print_notes, say, tell_left_out
from hypcse.cli.reproduce import run_with_bar
from hypcse.cli.score import score_cell, score_title, show_scores
from hypcse.kernels.warm import warm_up
from hypcse.metrics.scores import BY_NAME, SCORES
from hypcse.paper.report.render import write_report
from hypcse.paper.report.tables import Block, Entry, Grid, Heading, Text
from hypcse.paper.running.tasks import compare_tasks
from hypcse.points import Points
from hypcse.points.columns import Columns
from hypcse.storage.files import check_file, check_folder
from hypcse.storage.whole import write_file

RECORDS = "compare.jsonl"
WRITTEN = ("compare.html", "compare.md", "compare.csv", RECORDS)
NAMES: dict[RankBy, str] = {
    "entropy": "structural_entropy",
    "purity": "dendrogram_purity",
    "ari": "ari",
    "nmi": "nmi",
    "cost": "dasgupta_cost",
    "seconds": "seconds",
}
"""What people rank by, and what records call it."""
DEMO = (
    *("single-linkage", "ward", "average-linkage", "hdbscan", "hcse"),
    *("graph-paris", "graph-average", "hypcse", "entropy"),
)
"""Methods of the demo; all of them take longer."""
SPARE = ("flat_purity", "ami", "dasgupta_cost")
"""Columns that a narrow terminal goes without; the files have them all."""


def run_demo(data: str, out: Path) -> None:
    """Compare a few methods on a data set, and write the page of the tree of least entropy."""
    names = [name for name in DEMO if methods.describe(name).can_run]
    tell_left_out([name for name in DEMO if name not in names])
    run_compare(data, out, Columns(), names, rank_by="entropy", n_pages=1, seed=0, n_jobs=1)


def run_compare(
    source: str,
    out: Path,
    columns: Columns,
    selected: list[str] | None,
    *,
    rank_by: RankBy,
    n_pages: int | None,
    seed: int,
    n_jobs: int,
) -> None:
    """Run methods on the points of a file, or those that are left, and write their trees, a table and a page.

    n_pages : how many of the trees, the best ones, have a page; None for all.
    """
    names = selected or [name for name in methods.available() if methods.describe(name).can_run]
    names = [methods.describe(name).name for name in dict.fromkeys(names)]
    check_folder(out)
    for name in (*WRITTEN, *(f"{name}.nwk" for name in names)) if out.is_dir() else ():
        check_file(out / name)
    points = points_of(source, columns)
    print_notes(points.notes)
    if selected is None:
        tell_left_out([name for name in methods.available() if name not in names])
    if points.features is None:
        raise ValueError(f"{source} holds a graph; methods are compared on a table of features.")
    _check_rank(rank_by, points)
    warm_up()
    out.mkdir(parents=True, exist_ok=True)
    tasks = compare_tasks(points, names, Path(source).name, seed, out.absolute())
    records = run_with_bar(tasks, out / RECORDS, n_jobs, "comparing", one_data_set=True)
    comparison = Comparison({task.method: records[task.key] for task in tasks}, rank_by, points.labels is not None)
    write_report(_to_blocks(comparison, f"Methods on {Path(source).name}", points, seed), out, "compare")
    write_file(out / "compare.csv", _to_csv(comparison))
    if not comparison.rows:
        say("error", f"every method failed. {out / 'compare.md'} lists why.", "red")
        raise typer.Exit(1)
    show_scores(comparison.rows, [name for name in SPARE if name != NAMES[rank_by]])
    best = out / comparison.rows[0]["method"]
    look = f"hypcse view {shlex.quote(str(best))}.nwk {shlex.join(['--data', source, *columns.words()])}"
    if n_pages != 0:
        for method in (row["method"] for row in comparison.rows[:n_pages]):
            tree = Tree.from_newick((out / f"{method}.nwk").read_text(encoding="utf-8"), points.names)
            view(tree, out / f"{method}.html", points, graph=points.similarity(), title=f"{method} on these points")
        look = f"open {best}.html"
    console = Console(soft_wrap=True, highlight=False)
    console.print(comparison.explanation, markup=False)
    console.print(f"Written to {out}: {', '.join(WRITTEN[:3])}, and a tree per method.", markup=False)
    console.print(f"Look at the first: {look}", markup=False)


@dataclass(frozen=True)
class Comparison:
    """The records of the methods, by name, and how they are ranked.

    has_classes : whether there are scores by classes.
    """

    records: dict[str, dict[str, Any]]
    rank_by: RankBy
    has_classes: bool

    @cached_property
    def columns(self) -> list[str]:
        """The scores that these points allow, in the order of the registry, and the seconds."""
        return [*(one.name for one in SCORES if self.has_classes or "labels" not in one.needs), "seconds"]

    @cached_property
    def rows(self) -> list[dict[str, Any]]:
        """Scores and seconds of the methods that did not fail, best first; those without a number last."""
        rows = []
        for method, record in self.records.items():
            if "error" not in record:
                values = {**record["scores"], "seconds": record["seconds"]}
                numbers = {name: values.get(name) for name in self.columns}
                rows.append({"method": method, **{k: math.nan if v is None else v for k, v in numbers.items()}})
        name = NAMES[self.rank_by]
        sign = -1 if _is_higher_better(name) else 1
        return sorted(rows, key=lambda row: (math.isnan(row[name]), sign * np.nan_to_num(row[name])))

    @property
    def failures(self) -> dict[str, str]:
        """The errors of those that failed."""
        return {method: record["error"] for method, record in self.records.items() if "error" in record}

    @property
    def explanation(self) -> str:
        """How the rows are ranked, and what the columns mean, in plain words."""
        known = BY_NAME.get(NAMES[self.rank_by])
        what, way = (known.phrase, "highest" if known.higher else "lowest") if known else ("seconds", "fewest")
        parts = [f"Ranked by {what}, {way} first."]
        if self.has_classes:
            parts.append(
                "Trees are made without the number of classes. Flat purity, ARI, AMI and NMI use it: they are those of "
                "one cut of each tree, into as many clusters as there are classes, with least entropy."
            )
        return " ".join([*parts, "Seconds are for finding the tree, without making the graph."])


def _check_rank(rank_by: RankBy, points: Points) -> None:
    """Raise where the score that methods are ranked by needs classes, and there are none."""
    by_classes = [word for word in get_args(RankBy) if "labels" in getattr(BY_NAME.get(NAMES[word]), "needs", ())]
    if rank_by in by_classes and points.labels is None:
        *others, last = (word for word in get_args(RankBy) if word not in by_classes)
        raise ValueError(
            f"--rank-by {rank_by} needs classes, and these points have none. Name their column with --label-column, "
            f"or rank by {', '.join(others)} or {last}."
        )


def _is_higher_better(name: str) -> bool:
    return name in BY_NAME and BY_NAME[name].higher


def _to_blocks(comparison: Comparison, title: str, points: Points, seed: int) -> list[Block]:
    """The comparison as a report."""
    n_classes = "no"
    if points.labels is not None:
        n_classes = f"{check_labels(points.labels, points.n_points, allow_unknown=True).max() + 1:,}"
    about = f"{points.n_points:,} points, {points.features.shape[1]:,} features, {n_classes} classes."
    blocks: list[Block] = [Heading(title, 1), Text(f"{about} {comparison.explanation}")]
    if comparison.rows:
        blocks += [_grid(comparison), Text("The best of each column is bold. ↑ higher is better, ↓ lower is better.")]
        blocks.append(Text(f"Each tree is a file: `hypcse view {comparison.rows[0]['method']}.nwk` shows the first."))
    if comparison.failures:
        rows = [(Entry(method), Entry(error)) for method, error in comparison.failures.items()]
        blocks += [Heading("Failures", 2), Grid(("Method", "Error"), tuple(rows))]
    return [*blocks, Text(f"Written by `hypcse compare`, version {__version__}, seed {seed}.")]


def _grid(comparison: Comparison) -> Grid:
    """The scores; the best of a column is marked where two or more can be compared."""
    best: dict[str, float] = {}
    for name in comparison.columns:
        values = [row[name] for row in comparison.rows if not math.isnan(row[name])]
        best[name] = math.nan if len(values) < 2 else max(values) if _is_higher_better(name) else min(values)
    rows = []
    for row in comparison.rows:
        entries = [Entry(score_cell(name, row[name]), "best" if row[name] == best[name] else "") for name in best]
        rows.append((Entry(row["method"]), *entries, Entry(f"{row['method']}.nwk")))
    titles = map(score_title, best)
    return Grid(("Method", *(f"{title[0].upper()}{title[1:]}" for title in titles), "Tree"), tuple(rows))


def _to_csv(comparison: Comparison) -> str:
    """Rank, method, tree file, and all numbers unrounded; a method that failed has its error at the end."""
    rows = [{"rank": rank, "tree": f"{row['method']}.nwk", **row} for rank, row in enumerate(comparison.rows, 1)]
    rows += [{"method": method, "error": error} for method, error in comparison.failures.items()]
    table = pd.DataFrame(rows, columns=["rank", "method", "tree", *comparison.columns, "error"])
    return table.astype({"rank": "Int64"}).to_csv(index=False, lineterminator="\n")
