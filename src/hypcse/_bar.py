"""The progress bar of `verbose=1` and of the command."""

from __future__ import annotations

import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any

from hypcse._progress import Callback, Progress, call_all
from hypcse._ranks import launched_place

if TYPE_CHECKING:
    from rich.console import Console

# Without a bar: one line per stage, and one every so many seconds of a stage.
_SECONDS_A_LINE = 60.0


class Bar:
    """A callback that draws progress on standard error: a bar in a terminal and in a notebook.

    title : what the work is called.
    lines : whether to write a few plain lines where no bar can be drawn: to a file, to a pipe, and in a notebook
        without ipywidgets. Otherwise nothing is written there.
    """

    def __init__(self, title: str, lines: bool) -> None:
        from rich.console import Console
        from rich.progress import BarColumn, TextColumn, TimeElapsedColumn, TimeRemainingColumn
        from rich.progress import Progress as Bars

        console = Console(stderr=True)
        columns = (TextColumn("{task.description}"), BarColumn(), TextColumn("{task.fields[text]}"))
        self._bars = Bars(*columns, TimeElapsedColumn(), TimeRemainingColumn(), console=console, transient=True)
        self._task = self._bars.add_task(title, total=None, text="")
        self._drawn, self._lines, self._title = can_draw(console), lines, title
        self._last: Progress | None = None
        self._written = time.monotonic()

    def __call__(self, progress: Progress) -> None:
        """Draw a report."""
        before, self._last = self._last, progress
        if self._drawn:
            self._draw(progress, before is None or before.stage != progress.stage)
        elif self._lines and before is not None and before.stage != progress.stage:
            self._write(before)
        elif self._lines and time.monotonic() - self._written > _SECONDS_A_LINE:
            self._write(progress)
            self._last = None

    def _draw(self, progress: Progress, new_stage: bool) -> None:
        if new_stage:
            self._bars.reset(self._task)
        description = f"{self._title}, {how_far(progress)}"
        # Where the total is unknown, the bar moves back and forth.
        self._bars.update(
            self._task, description=description, total=progress.total, completed=progress.done, text=values(progress)
        )
        self._bars.start()

    def _write(self, progress: Progress) -> None:
        self._written = time.monotonic()
        parts = [part for part in (how_far(progress), values(progress)) if part]
        print(f"{self._title}: {', '.join(parts)}", file=sys.stderr)

    def close(self, result: str | None = None) -> None:
        """Remove the bar. If there is a result, write it as a last line."""
        if self._bars.live.is_started:
            self._bars.stop()
        if result is None:
            return
        if self._lines and not self._drawn and self._last is not None:
            self._write(self._last)
        print(f"{self._title}: {result}", file=sys.stderr)


@contextmanager
def draw_bar(title: str, *, lines: bool = False) -> Iterator[Bar]:
    """A bar that is always removed at the end."""
    bar = Bar(title, lines)
    try:
        yield bar
    finally:
        bar.close()


@contextmanager
def show_fit(model: Any) -> Iterator[Callback | None]:
    """The callback of one fit: the model's own and, with `verbose`, a bar that ends with the result in one line.

    Under torchrun only rank 0 draws it.
    """
    if not model.verbose or launched_place().number > 0:
        yield model.callback
        return
    began = time.perf_counter()
    with draw_bar(type(model).__name__, lines=True) as bar:
        yield call_all(bar, model.callback)
        seconds = time.perf_counter() - began
        bar.close(f"entropy {model.entropy_:.4f}, {model.tree_.n_leaves:,} points, {seconds:.1f} s")


def can_draw(console: Console) -> bool:
    """Whether a console shows a bar: a terminal that can move its cursor, or a notebook with ipywidgets."""
    if console.is_jupyter:
        return find_spec("ipywidgets") is not None
    return console.is_terminal and not console.is_dumb_terminal


def how_far(progress: Progress) -> str:
    """The stage, and how much of it is done.

    >>> how_far(Progress("training", 20, 100)), how_far(Progress("descent", 0.25, 1.0)), how_far(Progress("merges", 3))
    ('training 20 of 100', 'descent 25%', 'merges 3')
    """
    done, total = progress.done, progress.total
    if isinstance(done, float) and progress.share is not None:
        return f"{progress.stage} {progress.share:.0%}"
    return f"{progress.stage} {done:,}" + ("" if total is None else f" of {total:,}")


def values(progress: Progress) -> str:
    """The loss and the value, if there are any.

    >>> values(Progress("training", 20, 100, value=2.5, measure="entropy", loss=3.25))
    'loss 3.2500, entropy 2.5000'
    """
    named = {"loss": progress.loss, progress.measure: progress.value}
    return ", ".join(f"{name} {value:.4f}" for name, value in named.items() if value is not None)
