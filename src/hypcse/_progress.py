"""Progress reports of long work. Long work takes `callback`, a function of one `Progress`; if it returns True, the work
stops: it returns the best result so far, or raises `Stopped` where part of a result is of no use.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any

import numpy as np

from hypcse._threads import launched_place


@dataclass(frozen=True)
class Progress:
    """How far a task has progressed.

    Parameters
    ----------
    stage : str
        What is being done: "training", "descent", "annealing", "merges", "download", ...
    done : float
        How much of the stage is done; it never decreases within a stage.
    total : float or None
        How much there is to do; None if unknown. Shares have a total of 1. If the work converges early, the last
        report lowers `total` to `done`.
    value : float or None
        The lowest value of the objective so far: that of the result if you stop now. None if there is none yet.
    measure : str
        What `value` measures: "entropy", "dasgupta", ...
    loss : float or None
        The loss of the last step, for gradient methods.
    seconds : float
        Time since the work began.

    Examples
    --------
    >>> Progress("merges", done=3, total=12).share
    0.25
    """

    stage: str
    done: float
    total: float | None = None
    value: float | None = None
    measure: str = ""
    loss: float | None = None
    seconds: float = 0.0

    @property
    def share(self) -> float | None:
        """The share of the stage that is done, between 0 and 1; None if the total is unknown."""
        if self.total is None:
            return None
        return self.done / self.total if self.total > 0 else 1.0


Callback = Callable[[Progress], object]
"""Called with a `Progress` after every part of the work; return True to stop."""


class Stopped(TimeoutError):
    """Work was stopped, by its callback or by `max_seconds`, and has no partial result."""


class Reporter:
    """Reports progress to a callback, and remembers whether it asked to stop."""

    def __init__(self, callback: Callback | None) -> None:
        self.callback = callback
        self.began = time.perf_counter()

    @property
    def seconds(self) -> float:
        """Time since the work began."""
        return time.perf_counter() - self.began

    def tell(self, stage: str, done: float, total: float | None = None, **facts: Any) -> bool:
        """Report, with other fields of `Progress` by name, and return whether the callback asked to stop."""
        if self.callback is None:
            return False
        answer = self.callback(Progress(stage, done, total, seconds=self.seconds, **facts))
        return isinstance(answer, bool | np.bool_) and bool(answer)


if TYPE_CHECKING:
    from rich.console import Console

# Without a bar: one line per stage, and one after so many seconds of a stage.
_SECONDS_A_LINE = 60.0


class Bar:
    """A callback that draws a bar on standard error; where none can be drawn, with `lines`, it writes a few lines."""

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
        if self._drawn:
            self._bars.start()

    def __call__(self, progress: Progress) -> None:
        """Draw a report."""
        before, self._last = self._last, progress
        new_stage = before is None or before.stage != progress.stage
        if self._drawn:
            if new_stage:
                self._bars.reset(self._task)
            # If the total is unknown, the bar moves back and forth.
            description, text = f"{self._title}, {describe(progress)}", values(progress)
            done, total = progress.done, progress.total
            self._bars.update(self._task, description=description, total=total, completed=done, text=text)
        elif self._lines and new_stage and before is not None:
            self._write(before)
        elif self._lines and time.monotonic() - self._written > _SECONDS_A_LINE:
            self._write(progress)
            self._last = None

    def _write(self, progress: Progress) -> None:
        self._written = time.monotonic()
        parts = [part for part in (describe(progress), values(progress)) if part]
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


def draw_bar(title: str, *, lines: bool = False) -> closing[Bar]:
    """A bar that is always removed at the end."""
    return closing(Bar(title, lines))


@contextmanager
def show_fit(model: Any) -> Iterator[Callback | None]:
    """The callback of one fit: the model's own and, with `verbose`, a bar that ends with the result in one line."""
    if not model.verbose or launched_place().number > 0:
        yield model.callback
        return
    began = time.perf_counter()
    with draw_bar(type(model).__name__, lines=True) as bar:

        def call_both(progress: Progress) -> object:
            bar(progress)
            return None if model.callback is None else model.callback(progress)

        yield call_both
        seconds = time.perf_counter() - began
        bar.close(f"entropy {model.entropy_:.4f}, {model.tree_.n_leaves:,} points, {seconds:.1f} s")


def can_draw(console: Console) -> bool:
    """Whether a console shows a bar: a terminal that can move its cursor, or a notebook with ipywidgets."""
    if console.is_jupyter:
        return find_spec("ipywidgets") is not None
    return console.is_terminal and not console.is_dumb_terminal


def describe(progress: Progress) -> str:
    """The stage, and how much of it is done."""
    done, total = progress.done, progress.total
    if isinstance(done, float) and progress.share is not None:
        return f"{progress.stage} {progress.share:.0%}"
    return f"{progress.stage} {done:,}" + ("" if total is None else f" of {total:,}")


def values(progress: Progress) -> str:
    """The loss and the value, if there are any."""
    named = {"loss": progress.loss, progress.measure: progress.value}
    return ", ".join(f"{name} {value:.4f}" for name, value in named.items() if value is not None)
