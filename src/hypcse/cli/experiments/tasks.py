"""Running tasks under a bar."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn, TimeRemainingColumn

from hypcse.experiments import run_tasks
from hypcse.experiments.running.tasks import Record, Task


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
