"""`hypcse reproduce`, and the bar of running tasks."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import typer
from rich.console import Console
from rich.markdown import Markdown
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn, TimeRemainingColumn

from hypcse._checks import did_you_mean
from hypcse.cli.output import tell
from hypcse.datasets import load
from hypcse.paper.experiments import Experiment, Planned, Record, Task, everything, experiment, plan, size_of
from hypcse.paper.report.content import build_report
from hypcse.paper.report.render import Picture, to_markdown, write_report
from hypcse.paper.report.summary import Results
from hypcse.paper.runner import find_finished, read_records, run_tasks
from hypcse.storage.files import check_folder

EVERYTHING = "all"
RECORDS = "records.jsonl"


def run_reproduce(
    name: str, out: Path, data: list[str] | None, seeds: int | None, jobs: int, quick: bool, report_only: bool
) -> None:
    """Run what is left of an experiment, or of all of them, and print the report."""
    experiments = everything() if name == EVERYTHING else (experiment(name),)
    check_folder(out)
    for wanted in data or ():
        if not any(_has(one, wanted) for one in experiments):
            known = list(dict.fromkeys(known for one in experiments for known in one.data_sets))
            guess = did_you_mean(wanted, known)
            raise ValueError(f"--data {wanted}: the experiment has no such data set.{guess} It has {', '.join(known)}.")
    planned = {}
    for one in experiments:
        planned[one.name] = plan(one, None if data is None else [own for own in data if _has(one, own)], seeds, quick)
    path = out / RECORDS
    if report_only and not path.exists():
        raise FileNotFoundError(f"{path} does not exist, so there is nothing to report. Run without --report-only.")
    if report_only:
        records = {record["key"]: record for record in read_records(path)}
    else:
        records = _run([one for tasks in planned.values() for one in tasks], path, jobs, name)
    results = [Results(one, planned[one.name], records, judged=not quick) for one in experiments]
    if not any(one.finished for one in results):
        raise ValueError(f"{path} has no record of {name}, so there is nothing to report. Run without --report-only.")
    words = [name, *(f"--data {own}" for own in data or ()), *([] if seeds is None else [f"--seeds {seeds}"])]
    words += ["--quick"] if quick else []
    title = "Results" if name == EVERYTHING else f"Results: {name}"
    source = f"Written by `hypcse reproduce {' '.join(words)}`."
    if quick:
        title += ", smoke run"
        source += " A smoke run: training ran for two epochs only, so its figures say nothing about the paper's."
    part = "-quick" if quick else "-part" if data or seeds else ""
    blocks = build_report(results, title, source)
    files = write_report(blocks, out, f"{name}{part}")
    # The terminal shows all but the pictures.
    text = to_markdown([block for block in blocks if not isinstance(block, Picture)])
    if (console := Console(highlight=False)).is_terminal:
        console.print(Markdown(text))
    else:
        tell(text)
    tell(f"Written: {files[1]} and {files[0]}. The result of each task is a line of {path}.")
    if any("error" in record for one in results for record in one.finished):
        raise typer.Exit(1)


def _has(one: Experiment, data: str) -> bool:
    """Whether an experiment takes a data set; `growth` takes any number of points."""
    return data in one.data_sets or (one.kind == "growth" and size_of(data) is not None)


def _run(planned: Sequence[Planned], path: Path, n_jobs: int, title: str) -> dict[str, Record]:
    """Records of the tasks; all data sets that are still needed are read first, so that a missing one ends it there."""
    tasks = [task for _, task in planned]
    done = find_finished(tasks, path)
    for data in dict.fromkeys(task.data for task in tasks if task.key not in done):
        if size_of(data) is None:
            load(data)
    return run_with_bar(tasks, path, n_jobs, title)


def run_with_bar(
    tasks: Sequence[Task], path: Path, n_jobs: int, title: str, *, one_data_set: bool = False
) -> dict[str, Record]:
    """Records by key; failures are reported as they come. For one data set, messages name methods only."""
    console = Console(stderr=True)
    columns = (TextColumn("{task.description}", markup=False), BarColumn(), MofNCompleteColumn())
    with Progress(*columns, TimeElapsedColumn(), TimeRemainingColumn(), console=console, transient=True) as bar:
        n_tasks, n_done = len({task.key for task in tasks}), 0
        line = bar.add_task(title, total=n_tasks)

        def show(record: Record) -> None:
            nonlocal n_done
            n_done += 1
            # Counts of the data have no method.
            whole = f"{record['method'] or record['task']} on {record['data']}, seed {record['seed']}"
            what = record["method"] if one_data_set else whole
            if not console.is_terminal:
                text = f"{n_done} of {n_tasks}: {what}, {record['seconds']:.1f} s"
                console.print(text, markup=False, soft_wrap=True, highlight=False)
            bar.update(line, advance=1, description=what)
            if "error" in record:
                text = f"{what.rpartition(', seed')[0] or what} failed: {record['error']}"
                console.print(text, markup=False, soft_wrap=True)

        try:
            return run_tasks(tasks, path, n_jobs, show)
        except KeyboardInterrupt:
            kept = f"the results of {n_done} of {n_tasks} {'methods' if one_data_set else 'tasks'} are kept in {path}"
            raise KeyboardInterrupt(f"stopped; {kept}. Run the same command to continue.") from None
