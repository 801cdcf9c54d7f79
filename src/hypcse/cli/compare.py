"""`hypcse compare`."""

from __future__ import annotations

import math
from pathlib import Path

from rich.console import Console

from hypcse import methods
from hypcse.cli.cells import run_with_bar
from hypcse.cli.first_run import tell_left_out
from hypcse.cli.reading.inputs import points_of, tell_notes
from hypcse.cli.score import show_scores
from hypcse.experiments import Cell, Experiment, Planned, Results, Row, build_report, write_report
from hypcse.experiments.kept import keep_points
from hypcse.points import Points
from hypcse.points.reading import Columns

NOTE = "Lowest structural entropy first. No method is told the number of classes. Seconds leave out making the graph."


def run_compare(source: str, out: Path, columns: Columns, wanted: list[str] | None, seed: int, n_jobs: int) -> None:
    """Run methods on the points of a file, or what is left of them, and write a table and a page."""
    names = list(dict.fromkeys(wanted or [name for name in methods.available() if methods.describe(name).can_run]))
    rows = [Row(name, methods.describe(name).name) for name in names]
    points = points_of(source, columns)
    tell_notes(points)
    if wanted is None:
        tell_left_out([name for name in methods.available() if name not in names])
    if points.features is None:
        raise ValueError(f"{source} holds a graph; methods are compared on a table of features.")
    out.mkdir(parents=True, exist_ok=True)
    planned = _plan(rows, points, Path(source).name, out, seed)
    records = run_with_bar([cell for _, cell in planned], out / "compare.jsonl", n_jobs, "comparing")
    metrics = ("structural_entropy", "dasgupta_cost", *(() if points.labels is None else ("dendrogram_purity",)))
    title = f"Methods on {Path(source).name}"
    table = Experiment("compare", "Methods", tuple(rows), metrics, table="none", kind="methods", note=NOTE)
    blocks = build_report([Results(table, planned, records)], title, "Written by `hypcse compare`.")
    write_report(blocks, out, "compare")
    scored = [(row.label, records[cell.key]) for row, cell in planned if "error" not in records[cell.key]]
    if scored:
        rows_shown = [{"method": label, **_numbers(r["scores"]), "seconds": r["seconds"]} for label, r in scored]
        # What there is no number for comes last.
        rows_shown.sort(key=lambda row: (math.isnan(row["structural_entropy"]), row["structural_entropy"]))
        show_scores(rows_shown)
    Console(soft_wrap=True, highlight=False).print(
        f"Written to {out}: compare.html, compare.md, compare.jsonl, and a copy of the points.", markup=False
    )


def _numbers(scores: dict[str, float | None]) -> dict[str, float]:
    return {name: math.nan if value is None else value for name, value in scores.items()}


def _plan(rows: list[Row], points: Points, name: str, out: Path, seed: int) -> list[Planned]:
    """One cell a row, on a copy of the points that other processes can read."""
    where = str(keep_points(points, out).absolute())
    return [Planned(row, Cell("tree", row.method, name, seed, refined=row.refined, file=where)) for row in rows]
