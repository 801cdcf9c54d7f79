"""Running cells under a bar."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn, TimeRemainingColumn

from hypcse.experiments import Cell, run_cells


def run_with_bar(cells: Sequence[Cell], path: Path, n_jobs: int, title: str) -> dict[str, dict[str, Any]]:
    """Records by key; failures are told as they come."""
    console = Console(stderr=True)
    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn())
    with Progress(*columns, TimeElapsedColumn(), TimeRemainingColumn(), console=console, transient=True) as bar:
        n_cells, n_done = len({cell.key for cell in cells}), 0
        task = bar.add_task(title, total=n_cells)

        def show(record: dict[str, Any]) -> None:
            nonlocal n_done
            n_done += 1
            if not console.is_terminal:
                told = f"{n_done} of {n_cells}: {record['method']} on {record['data']}, seed {record['seed']}"
                console.print(f"{told}, {record['seconds']:.1f} s", markup=False, soft_wrap=True, highlight=False)
            bar.update(task, advance=1, description=f"{record['method']}, {record['data']}, seed {record['seed']}")
            if "error" in record:
                text = f"{record['method']} failed on {record['data']}: {record['error']}"
                console.print(text, markup=False, soft_wrap=True)

        try:
            return run_cells(cells, path, n_jobs, show)
        except KeyboardInterrupt:
            text = f"stopped; {n_done} of {n_cells} cells are kept in {path}. The same command goes on from there."
            console.print(text, markup=False, soft_wrap=True, highlight=False)
            raise
