"""Progress reports of long work, and the one rule for stopping it.

Long work takes `callback`, a function of one `Progress`. Return True to stop; any other value (None, a number, a text)
lets it continue. What happens on a stop depends on whether a partial result is useful:

- refinement, training and gradient methods return the best result so far;
- a linkage, a method that builds its tree in one go, and a download have no partial result, and raise `Stopped`.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np


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

    def tell(
        self,
        stage: str,
        done: float,
        total: float | None = None,
        *,
        value: float | None = None,
        measure: str = "",
        loss: float | None = None,
    ) -> bool:
        """Report, and return whether the callback asked to stop."""
        if self.callback is None:
            return False
        return asks_to_stop(self.callback(Progress(stage, done, total, value, measure, loss, self.seconds)))


def asks_to_stop(answer: object) -> bool:
    """Whether a callback's answer is True, Python's or NumPy's.

    >>> [asks_to_stop(answer) for answer in (True, np.True_, None, 1, "no", False)]
    [True, True, False, False, False, False]
    """
    return isinstance(answer, bool | np.bool_) and bool(answer)


def call_all(*callbacks: Callback | None) -> Callback | None:
    """One callback that calls all of them, and asks to stop if one of them does; None if there are none.

    >>> seen = []
    >>> both = call_all(seen.append, None, lambda progress: progress.done >= 2)
    >>> [both(Progress("merges", done)) for done in (1, 2)], len(seen)
    ([False, True], 2)
    """
    given = [callback for callback in callbacks if callback is not None]
    if len(given) < 2:
        return given[0] if given else None

    def call(progress: Progress) -> bool:
        answers = [callback(progress) for callback in given]
        return any(map(asks_to_stop, answers))

    return call
