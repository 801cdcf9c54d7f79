"""`hypcse compare`."""

from __future__ import annotations

import math
from pathlib import Path

import typer
from rich.console import Console

from hypcse import methods
from hypcse.cli.experiments.tasks import run_with_bar
from hypcse.cli.reading.inputs import points_of, tell_notes
from hypcse.cli.score import show_scores
from hypcse.cli.telling.first_run import tell_left_out
from hypcse.cli.telling.output import say
from hypcse.experiments import Experiment, Planned, Results, Row, Task, build_report, write_report
from hypcse.experiments.running.kept import keep_points
from hypcse.metrics import SCORES
from hypcse.points import Points
from hypcse.points.reading import Columns
from hypcse.writing import check_file, check_folder

SOURCE = "Written by `hypcse compare`."
WRITTEN = ("compare.html", "compare.md", "compare.jsonl")
NOTE = "Lowest structural entropy first. No method is told the number of classes. Seconds leave out making the graph."


def run_compare(source: str, out: Path, columns: Columns, wanted: list[str] | None, seed: int, n_jobs: int) -> None:
    """Run methods on the points of a file, or what is left of them, and write a table and a page."""
    names = list(dict.fromkeys(wanted or [name for name in methods.available() if methods.describe(name).can_run]))
    rows = [Row(name, methods.describe(name).name) for name in names]
    check_folder(out)
    for name in WRITTEN if out.is_dir() else ():
        check_file(out / name)
    points = points_of(source, columns)
    tell_notes(points)
    if wanted is None:
        tell_left_out([name for name in methods.available() if name not in names])
    if points.features is None:
        raise ValueError(f"{source} holds a graph; methods are compared on a table of features.")
    out.mkdir(parents=True, exist_ok=True)
    planned = _plan(rows, points, Path(source).name, out, seed)
    records = run_with_bar([task for _, task in planned], out / "compare.jsonl", n_jobs, "comparing")
    given = {"graph"} if points.labels is None else {"graph", "labels"}
    metrics = tuple(score.name for score in SCORES if given.issuperset(score.needs))
    table = Experiment("compare", "Methods", tuple(rows), metrics, table="none", kind="methods", note=NOTE)
    results = Results(table, planned, records)
    write_report(build_report([results], f"Methods on {Path(source).name}", SOURCE), out, "compare")
    _show(results)
    Console(soft_wrap=True, highlight=False).print(
        f"Written to {out}: {', '.join(WRITTEN)}, and a copy of the points.", markup=False
    )
    if all("error" in record for record in records.values()):
        say("error", f"every method failed. {out / 'compare.md'} lists why.", "red")
        raise typer.Exit(1)


def _show(results: Results) -> None:
    """Print the scores of the methods that did not fail, lowest entropy first, and last what has no number."""
    found = [(row.label, results.records[task.key]) for row, task in results.planned]
    rows = [
        {"method": label, **_numbers(record["scores"]), "seconds": record["seconds"]}
        for label, record in found
        if "error" not in record
    ]
    rows.sort(key=lambda row: (math.isnan(row["structural_entropy"]), row["structural_entropy"]))
    if rows:
        show_scores(rows)


def _numbers(scores: dict[str, float | None]) -> dict[str, float]:
    return {name: math.nan if value is None else value for name, value in scores.items()}


def _plan(rows: list[Row], points: Points, name: str, out: Path, seed: int) -> list[Planned]:
    """One task per row, on a copy of the points that other processes can read."""
    where = str(keep_points(points, out).absolute())
    return [Planned(row, Task("tree", row.method, name, seed, refined=row.refined, file=where)) for row in rows]
