"""`hypcse compare`."""

from __future__ import annotations

import shlex
from pathlib import Path

import typer
from rich.console import Console

from hypcse import Tree, methods, view
from hypcse._choices import RankBy
from hypcse.cli.experiments.ranking import Comparison, check_rank, describe_points, to_blocks, to_csv
from hypcse.cli.experiments.tasks import run_with_bar
from hypcse.cli.reading.inputs import points_of, tell_notes
from hypcse.cli.score import show_scores
from hypcse.cli.telling.first_run import tell_left_out
from hypcse.cli.telling.output import say
from hypcse.experiments import Task, write_report
from hypcse.experiments.running.kept import keep_points
from hypcse.points import Points
from hypcse.points.reading import Columns
from hypcse.writing import check_file, check_folder, write_file

RECORDS = "compare.jsonl"
WRITTEN = ("compare.html", "compare.md", "compare.csv", RECORDS)


def run_compare(
    source: str,
    out: Path,
    columns: Columns,
    wanted: list[str] | None,
    *,
    rank_by: RankBy,
    pages: bool,
    seed: int,
    n_jobs: int,
) -> None:
    """Run methods on the points of a file, or those that are left, and write their trees, a table and a page."""
    names = list(dict.fromkeys(wanted or [name for name in methods.available() if methods.describe(name).can_run]))
    names = [methods.describe(name).name for name in names]
    check_folder(out)
    for name in (*WRITTEN, *(f"{name}.nwk" for name in names)) if out.is_dir() else ():
        check_file(out / name)
    points = points_of(source, columns)
    tell_notes(points)
    if wanted is None:
        tell_left_out([name for name in methods.available() if name not in names])
    if points.features is None:
        raise ValueError(f"{source} holds a graph; methods are compared on a table of features.")
    check_rank(rank_by, points)
    out.mkdir(parents=True, exist_ok=True)
    tasks = _plan(names, points, Path(source).name, out, seed)
    records = run_with_bar(tasks, out / RECORDS, n_jobs, "comparing", one_data_set=True)
    found = Comparison({task.method: records[task.key] for task in tasks}, rank_by, points.labels is not None)
    title = f"Methods on {Path(source).name}"
    write_report(to_blocks(found, title, describe_points(points), seed), out, "compare")
    write_file(out / "compare.csv", to_csv(found))
    if found.rows:
        show_scores(found.rows, () if rank_by == "cost" else ("dasgupta_cost",))
    _tell(found, out, shlex.join(["--data", source, *columns.words()]), pages and _write_pages(found, out, points))


def _tell(found: Comparison, out: Path, data: str, pages: bool) -> None:
    """What was written, and how to look at it; or that every method failed.

    data : the words of `hypcse view` that say where the points are.
    """
    console = Console(soft_wrap=True, highlight=False)
    if not found.rows:
        say("error", f"every method failed. {out / 'compare.md'} lists why.", "red")
        raise typer.Exit(1)
    best = found.rows[0]["method"]
    console.print(found.explanation, markup=False)
    console.print(f"Written to {out}: {', '.join(WRITTEN[:3])}, and a tree per method.", markup=False)
    place = shlex.quote(str(out / best))
    look = f"open {out / best}.html" if pages else f"hypcse view {place}.nwk {data}"
    console.print(f"Look at the first: {look}", markup=False)


def _write_pages(found: Comparison, out: Path, points: Points) -> bool:
    """A page per tree, which knows what is known of the points."""
    for row in found.rows:
        method = row["method"]
        tree = Tree.from_newick((out / f"{method}.nwk").read_text(encoding="utf-8"), points.names)
        view(tree, out / f"{method}.html", points, graph=points.similarity(), title=f"{method} on these points")
    return True


def _plan(names: list[str], points: Points, data: str, out: Path, seed: int) -> list[Task]:
    """One task per method, on a copy of the points that other processes can read."""
    where = str(keep_points(points, out).absolute())
    return [Task("compare", name, data, seed, file=where) for name in names]
