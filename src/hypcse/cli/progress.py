"""Progress bars for methods, for training and for the search over trees."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

from rich.console import Console
from rich.progress import BarColumn, TextColumn, TimeElapsedColumn, TimeRemainingColumn
from rich.progress import Progress as Bars

from hypcse.discrete.refining.budget import Step as SearchStep
from hypcse.methods.progress import Progress, Step


@contextmanager
def watching(model: Any, name: str) -> Iterator[None]:
    """A bar on standard error of how an estimator's fit goes: of its method, of training, and of the search."""
    with _bar(name) as update:
        model._watcher = _teller(name, update)
        try:
            yield
        finally:
            del model._watcher


def _teller(name: str, update: Callable[[str, float, str], None]) -> Callable[[Any], None]:
    """What draws any step that there is."""
    lowest = float("inf")

    def show(told: Any) -> None:
        nonlocal lowest
        if isinstance(told, SearchStep):
            update(f"refining, {told.stage}", told.done, f"entropy {told.best:.4f}")
        elif isinstance(told, Step):
            update(f"{name}, step {told.step}", told.step / told.n_steps, f"loss {told.loss:.4f}, best {told.best:.4f}")
        elif isinstance(told, Progress):
            update(f"{name}, {told.stage}", told.done, "")
        else:
            lowest = min(lowest, float("inf") if told.entropy is None else told.entropy)
            text = f"loss {told.losses.total:.4f}" + (f", entropy {lowest:.4f}" if lowest < float("inf") else "")
            update(f"epoch {told.epoch}", told.epoch / told.n_epochs, text)

    return show


@contextmanager
def _bar(name: str) -> Iterator[Callable[[str, float, str], None]]:
    """A function (description, share done, text) that draws, where standard error is a terminal."""
    columns = (TextColumn("{task.description}"), BarColumn(), TextColumn("{task.fields[text]}"))
    console = Console(stderr=True)
    bar = Bars(*columns, TimeElapsedColumn(), TimeRemainingColumn(), console=console, transient=True)
    task = bar.add_task(name, total=1.0, text="")

    def update(description: str, done: float, text: str) -> None:
        if console.is_terminal:
            bar.start()
            bar.update(task, description=description, completed=done, text=text)

    try:
        yield update
    finally:
        if bar.live.is_started:
            bar.stop()
