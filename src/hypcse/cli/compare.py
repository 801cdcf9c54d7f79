"""`hypcse compare`."""

from __future__ import annotations

import hashlib
from pathlib import Path
from typing import Any

import numpy as np
from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn

from hypcse import methods
from hypcse.cli.reading.columns import Columns
from hypcse.cli.reading.inputs import read_points
from hypcse.cli.reading.points import Points
from hypcse.cli.score import show_scores
from hypcse.experiments import Cell, Experiment, Row, run_cells, to_html, to_markdown

REFINED = "graph-average, refined"


def run_compare(source: str, out: Path, columns: Columns, wanted: list[str] | None, seed: int, n_jobs: int) -> None:
    """Run methods on the points of a file, or what is left of them, and write a table and a page."""
    names = wanted or methods.available()
    rows = [Row(name, methods.describe(name).name) for name in names]
    if wanted is None:
        rows.append(Row(REFINED, "graph-average", refined=True))
    points = read_points(source, columns)
    if points.features is None:
        raise ValueError(f"{source} holds a graph; methods are compared on a table of features.")
    out.mkdir(parents=True, exist_ok=True)
    plan = _cells(rows, points, Path(source).name, out, seed)
    records = _run(plan, out / "compare.jsonl", n_jobs)
    metrics = ("structural_entropy", "dasgupta_cost", *(() if points.labels is None else ("dendrogram_purity",)))
    title = f"Methods on {Path(source).name}"
    table = Experiment("compare", title, tuple(rows), metrics, data_sets=(plan[0].data,), table="none")
    (out / "compare.md").write_text(to_markdown(table, records) + "\n", encoding="utf-8")
    (out / "compare.html").write_text(to_html(table, records), encoding="utf-8")
    good = sorted((r for r in records if "error" not in r), key=lambda r: r["scores"]["structural_entropy"])
    if good:
        show_scores([{"method": r["row"], **r["scores"], "seconds": r["seconds"]} for r in good])
    Console(soft_wrap=True, highlight=False).print(
        f"Written to {out}: compare.html, compare.md, compare.jsonl, and a copy of the points.", markup=False
    )


def _cells(rows: list[Row], points: Points, name: str, out: Path, seed: int) -> list[Cell]:
    """One cell a row, on a copy of the points that other processes can read, named by what is in it: changed points
    are other cells."""
    features = np.ascontiguousarray(points.features)
    labels = None if points.labels is None else np.asarray(points.labels).astype(str)
    content = features.tobytes() + (b"" if labels is None else "\n".join(labels.tolist()).encode("utf-8", "replace"))
    file = out / f"points-{hashlib.sha256(content).hexdigest()[:12]}.npz"
    if labels is None:
        np.savez(file, X=features)
    else:
        np.savez(file, X=features, y=labels)
    return [Cell("compare", row.label, name, seed, row.method, {}, row.refined, str(file.absolute())) for row in rows]


def _run(plan: list[Cell], path: Path, n_jobs: int) -> list[dict[str, Any]]:
    console = Console(stderr=True)
    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeElapsedColumn())
    with Progress(*columns, console=console, transient=True) as bar:
        task = bar.add_task("comparing", total=len(plan))

        def show(record: dict[str, Any]) -> None:
            bar.update(task, advance=1, description=record["row"])
            if "error" in record:
                console.print(f"{record['row']} failed: {record['error']}", markup=False, soft_wrap=True)

        return run_cells(plan, path, n_jobs, show)
