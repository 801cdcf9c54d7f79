"""`hypcse compare`: methods on one table, ranked, as a table, as Markdown, as a page and as CSV."""

from __future__ import annotations

import shlex
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any, get_args

import pandas as pd
import typer

from hypcse import Tree, __version__, methods, view
from hypcse._checks import check_labels
from hypcse._choices import RankBy
from hypcse.cli.inputs import points_of
from hypcse.cli.output import print_notes, say, tell, tell_left_out
from hypcse.cli.reproduce import run_with_bar
from hypcse.cli.score import score_cell, score_title, show_scores
from hypcse.kernels.warm import warm_up
from hypcse.metrics.scores import BY_NAME, SCORES
from hypcse.paper.experiments import compare_tasks
from hypcse.paper.report.render import Block, Entry, Grid, Heading, Text, write_report
from hypcse.points import Points
from hypcse.points.columns import Columns
from hypcse.storage.files import check_file, check_folder, write_file

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
    run_compare(data, out, Columns(), names, pages=True, most_pages=1)


def run_compare(
    data: str,
    out: Path,
    columns: Columns,
    method: list[str] | None,
    *,
    pages: bool,
    rank_by: RankBy = "entropy",
    seed: int = 0,
    jobs: int = 1,
    most_pages: int | None = None,
) -> None:
    """Run methods on the points of a file, or those that are left, and write their trees, a table and a page.

    pages : whether each tree has a page, or the best ones if there is a limit to their number.
    """
    names = method or [name for name in methods.available() if methods.describe(name).can_run]
    names = [methods.describe(name).name for name in dict.fromkeys(names)]
    check_folder(out)
    for name in (*WRITTEN, *(f"{name}.nwk" for name in names)) if out.is_dir() else ():
        check_file(out / name)
    points = points_of(data, columns)
    print_notes(points.notes)
    if method is None:
        tell_left_out([name for name in methods.available() if name not in names])
    if points.features is None:
        raise ValueError(f"{data} holds a graph; methods are compared on a table of features.")
    _check_rank(rank_by, points)
    warm_up()
    out.mkdir(parents=True, exist_ok=True)
    tasks = compare_tasks(points, names, Path(data).name, seed, out.absolute())
    records = run_with_bar(tasks, out / RECORDS, jobs, "comparing", one_data_set=True)
    comparison = Comparison({task.method: records[task.key] for task in tasks}, rank_by, points.labels is not None)
    write_report(_to_blocks(comparison, f"Methods on {Path(data).name}", points, seed), out, "compare")
    write_file(out / "compare.csv", _to_csv(comparison))
    if comparison.table.empty:
        say("error", f"every method failed. {out / 'compare.md'} lists why.", "red")
        raise typer.Exit(1)
    show_scores(comparison.table.to_dict("records"), [name for name in SPARE if name != NAMES[rank_by]])
    ranked = comparison.table["method"].tolist()
    best = out / ranked[0]
    look = f"hypcse view {shlex.quote(str(best))}.nwk {shlex.join(['--data', data, *columns.words()])}"
    if pages:
        for name in ranked[:most_pages]:
            tree = Tree.from_newick((out / f"{name}.nwk").read_text(encoding="utf-8"), points.names)
            view(tree, out / f"{name}.html", points, graph=points.similarity(), title=f"{name} on these points")
        look = f"open {best}.html"
    tell(comparison.explanation, f"Written to {out}: {', '.join(WRITTEN[:3])}, and a tree per method.")
    tell(f"Look at the first: {look}")


@dataclass(frozen=True)
class Comparison:
    """The records of the methods, by name, and how they are ranked; `has_classes`: whether there are scores by them."""

    records: dict[str, dict[str, Any]]
    rank_by: RankBy
    has_classes: bool

    @cached_property
    def columns(self) -> list[str]:
        """The scores that these points allow, in the order of the registry, and the seconds."""
        return [*(one.name for one in SCORES if self.has_classes or "labels" not in one.needs), "seconds"]

    @cached_property
    def table(self) -> pd.DataFrame:
        """Scores and seconds of the methods that did not fail, best first; those without a number last."""
        rows = [
            {"method": method, **record["scores"], "seconds": record["seconds"]}
            for method, record in self.records.items()
            if "error" not in record
        ]
        name, table = NAMES[self.rank_by], pd.DataFrame(rows, columns=["method", *self.columns])
        table = table.astype(dict.fromkeys(self.columns, float))
        return table.sort_values(name, ascending=not _is_higher_better(name), kind="stable", ignore_index=True)

    @property
    def failures(self) -> dict[str, str]:
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
    n_classes = "no"
    if points.labels is not None:
        n_classes = f"{check_labels(points.labels, points.n_points, allow_unknown=True).max() + 1:,}"
    about = f"{points.n_points:,} points, {points.features.shape[1]:,} features, {n_classes} classes."
    blocks: list[Block] = [Heading(title, 1), Text(f"{about} {comparison.explanation}")]
    if not comparison.table.empty:
        blocks += [_grid(comparison), Text("The best of each column is bold. ↑ higher is better, ↓ lower is better.")]
        blocks.append(Text(f"Each tree is a file: `hypcse view {comparison.table['method'][0]}.nwk` shows the first."))
    if comparison.failures:
        rows = [(Entry(method), Entry(error)) for method, error in comparison.failures.items()]
        blocks += [Heading("Failures", 2), Grid(("Method", "Error"), tuple(rows))]
    return [*blocks, Text(f"Written by `hypcse compare`, version {__version__}, seed {seed}.")]


def _grid(comparison: Comparison) -> Grid:
    """The scores; the best of a column is marked where two or more can be compared."""
    table, columns = comparison.table, comparison.columns
    best = {name: table[name].max() if _is_higher_better(name) else table[name].min() for name in columns}
    marked = {name: (table[name] == best[name]) & (table[name].count() > 1) for name in columns}
    rows = []
    for k, row in enumerate(table.to_dict("records")):
        entries = [Entry(score_cell(name, row[name]), "best" if marked[name][k] else "") for name in columns]
        rows.append((Entry(row["method"]), *entries, Entry(f"{row['method']}.nwk")))
    titles = map(score_title, columns)
    return Grid(("Method", *(f"{title[0].upper()}{title[1:]}" for title in titles), "Tree"), tuple(rows))


def _to_csv(comparison: Comparison) -> str:
    """Rank, method, tree file, and all numbers unrounded; a method that failed has its error at the end."""
    table, failed = comparison.table, pd.DataFrame(comparison.failures.items(), columns=["method", "error"])
    ranked = table.assign(rank=range(1, len(table) + 1), tree=table["method"] + ".nwk")
    every = pd.concat([ranked, failed]).reindex(columns=["rank", "method", "tree", *comparison.columns, "error"])
    return every.astype({"rank": "Int64"}).to_csv(index=False, lineterminator="\n")
