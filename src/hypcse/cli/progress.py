"""A progress bar for the search over trees."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from rich.console import Console
from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn, TimeRemainingColumn

from hypcse.discrete.refine import Callback, Step


@contextmanager
def search_progress() -> Iterator[Callback]:
    """A callback for `refine` that draws a bar with the entropy and the time left on standard error."""
    columns = (TextColumn("{task.description}"), BarColumn(), TextColumn("{task.fields[entropy]}"))
    console = Console(stderr=True)
    bar = Progress(*columns, TimeElapsedColumn(), TimeRemainingColumn(), console=console, transient=True)
    task = bar.add_task("refining", total=1.0, entropy="")

    def show(step: Step) -> None:
        if console.is_terminal:
            bar.start()
            bar.update(task, description=step.stage, completed=step.done, entropy=f"entropy {step.best:.4f}")

    try:
        yield show
    finally:
        if bar.live.is_started:
            bar.stop()
