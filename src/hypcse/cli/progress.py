"""Progress bars for methods, for training and for the search over trees."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from rich.console import Console
from rich.progress import BarColumn, TextColumn, TimeElapsedColumn, TimeRemainingColumn
from rich.progress import Progress as Bars

from hypcse.discrete.budget import Callback
from hypcse.discrete.budget import Step as SearchStep
from hypcse.methods.progress import Progress, Step

if TYPE_CHECKING:
    from hypcse.training import TrainingStep


@contextmanager
def search_progress() -> Iterator[Callback]:
    """A callback for `refine` that draws a bar with the entropy and the time left on standard error."""
    with _bar("refining") as update:

        def show(step: SearchStep) -> None:
            update(step.stage, step.done, f"entropy {step.best:.4f}")

        yield show


@contextmanager
def method_progress(name: str) -> Iterator[Callable[[Any], None]]:
    """A callback for any method that draws a bar with the share done, or with the step, its loss and the best yet."""
    with _bar(name) as update:

        def show(told: Progress | Step) -> None:
            if isinstance(told, Step):
                text = f"loss {told.loss:.4f}, best {told.best:.4f}"
                update(f"{name}, step {told.step}", told.step / told.n_steps, text)
            else:
                update(f"{name}, {told.stage}", told.done, "")

        yield show


@contextmanager
def training_progress() -> Iterator[Callable[[TrainingStep], object]]:
    """A callback for training that draws a bar with the loss, the lowest entropy and the time left."""
    with _bar("training") as update:
        lowest = float("inf")

        def show(step: TrainingStep) -> None:
            nonlocal lowest
            if step.entropy is not None:
                lowest = min(lowest, step.entropy)
            text = f"loss {step.losses.total:.4f}" + (f", entropy {lowest:.4f}" if lowest < float("inf") else "")
            update(f"epoch {step.epoch}", step.epoch / step.n_epochs, text)

        yield show


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
