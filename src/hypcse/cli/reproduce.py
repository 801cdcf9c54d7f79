"""`hypcse reproduce`."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from rich.console import Console
from rich.markdown import Markdown
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn, TimeRemainingColumn

from hypcse.datasets import describe
from hypcse.experiments import cells, experiment, run_cells, to_markdown


def run_reproduce(
    name: str, out: Path, data_sets: list[str] | None, n_seeds: int | None, n_jobs: int, quick: bool
) -> None:
    """Run an experiment, or what is left of it, and print its tables."""
    wanted = experiment(name)
    for data in data_sets or ():
        describe(data)
    plan = cells(wanted, data_sets, n_seeds, quick)
    path = out / f"{name}.jsonl"
    console = Console(stderr=True)
    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn())
    with Progress(*columns, TimeElapsedColumn(), TimeRemainingColumn(), console=console, transient=True) as bar:
        task = bar.add_task(name, total=len(plan))

        def show(record: dict[str, Any]) -> None:
            bar.update(task, advance=1, description=f"{record['row']}, {record['data']}, seed {record['seed']}")
            if "error" in record:
                console.print(f"{record['row']} failed on {record['data']}: {record['error']}", markup=False)

        records = run_cells(plan, path, n_jobs, show)
    text = to_markdown(wanted, records)
    (out / f"{name}.md").write_text(text + "\n", encoding="utf-8")
    plain = Console(soft_wrap=True, highlight=False)
    if plain.is_terminal:
        plain.print(Markdown(text))
    else:
        plain.print(text, markup=False)
    plain.print(f"\nMean ± deviation over seeds, the paper's figure in brackets. Cells are in {path}.", markup=False)
