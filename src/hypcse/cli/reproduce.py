"""`hypcse reproduce`, and the bar of running tasks."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

import typer
from rich.console import Console
from rich.markdown import Markdown
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn, TimeRemainingColumn

from hypcse._checks import did_you_mean
from hypcse.datasets import load
from hypcse.paper import build_report, experiment, plan, run_tasks, to_markdown
from hypcse.paper.experiments import Experiment, everything, made_size
from hypcse.paper.hierarchies import size_of
from hypcse.paper.report.render import write_report
from hypcse.paper.report.summary import Results
from hypcse.paper.report.tables import Picture
from hypcse.paper.running.runner import find_finished, read_records
from hypcse.paper.running.tasks import Planned, Record, Task
from hypcse.storage.files import check_folder

EVERYTHING = "all"
RECORDS = "records.jsonl"


def run_reproduce(
    name: str, out: Path, data_sets: list[str] | None, n_seeds: int | None, n_jobs: int, quick: bool, report_only: bool
) -> None:
    """Run what is left of an experiment, or of all of them, and print the report."""
    experiments = everything() if name == EVERYTHING else (experiment(name),)
    check_folder(out)
    for data in data_sets or ():
        if not any(_has(one, data) for one in experiments):
            known = list(dict.fromkeys(known for one in experiments for known in one.data_sets))
            guess = did_you_mean(data, known)
            raise ValueError(f"--data {data}: the experiment has no such data set.{guess} It has {', '.join(known)}.")
    planned = {}
    for one in experiments:
        chosen = None if data_sets is None else [data for data in data_sets if _has(one, data)]
        planned[one.name] = plan(one, chosen, n_seeds, quick)
    path = out / RECORDS
    if report_only and not path.exists():
        raise FileNotFoundError(f"{path} does not exist, so there is nothing to report. Run without --report-only.")
    if report_only:
        records = {record["key"]: record for record in read_records(path)}
    else:
        records = _run([one for tasks in planned.values() for one in tasks], path, n_jobs, name)
    results = [Results(one, planned[one.name], records, judged=not quick) for one in experiments]
    if not any(one.finished for one in results):
        raise ValueError(f"{path} has no record of {name}, so there is nothing to report. Run without --report-only.")
    words = [name, *(f"--data {data}" for data in data_sets or ())]
    words += [f"--seeds {n_seeds}"] if n_seeds is not None else []
    words += ["--quick"] if quick else []
    title = "Results" if name == EVERYTHING else f"Results: {name}"
    source = f"Written by `hypcse reproduce {' '.join(words)}`."
    if quick:
        title += ", smoke run"
        source += " A smoke run: training ran for two epochs only, so its figures say nothing about the paper's."
    part = "-quick" if quick else "-part" if data_sets or n_seeds else ""
    blocks = build_report(results, title, source)
    files = write_report(blocks, out, f"{name}{part}")
    # The terminal shows all but the pictures.
    text = to_markdown([block for block in blocks if not isinstance(block, Picture)])
    console = Console(soft_wrap=True, highlight=False)
    console.print(Markdown(text) if console.is_terminal else text, markup=False)
    last = f"Written: {files[1]} and {files[0]}. The result of each task is a line of {path}."
    console.print(last, markup=False)
    if any("error" in record for one in results for record in one.finished):
        raise typer.Exit(1)


def _has(one: Experiment, data: str) -> bool:
    """Whether an experiment takes a data set; `growth` takes any number of points."""
    return data in one.data_sets or (one.kind == "growth" and size_of(data) is not None)


def _run(planned: Sequence[Planned], path: Path, n_jobs: int, title: str) -> dict[str, Record]:
    """Records of the tasks that can run here, and of those that are finished already.

    All data sets that are still needed are read first, so that a missing one is an error before anything runs.
    """
    done = find_finished([task for _, task in planned], path)
    tasks = _runnable(planned, done)
    for data in dict.fromkeys(task.data for task in tasks if task.key not in done):
        if made_size(data) is None:
            load(data)
    return run_with_bar(tasks, path, n_jobs, title)


def _runnable(planned: Sequence[Planned], done: Mapping[str, Record]) -> list[Task]:
    """The tasks that can run here, and those that are finished already."""
    return [task for row, task in planned if row.can_run or task.key in done]


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
