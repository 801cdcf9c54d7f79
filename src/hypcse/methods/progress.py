"""What methods that take long report, and when they end: by giving up, or with the best so far."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass
from math import inf, isfinite
from typing import Any


@dataclass(frozen=True)
class Progress:
    """What a callback is told.

    stage : what the method is at.
    done  : share of that stage that is done, between 0 and 1.
    """

    stage: str
    done: float


class Clock:
    """Reports progress, and raises once a limit on time is passed: a tree half made is not the method's answer."""

    def __init__(self, method: str, callback: Callable[[Any], object] | None, max_seconds: float | None) -> None:
        if max_seconds is not None:
            check_positive("max_seconds", max_seconds)
        self._method, self._callback, self._limit = method, callback, max_seconds
        self._begin = time.perf_counter()

    def tell(self, stage: str, done: float) -> None:
        """Report where the method is; TimeoutError when its time is over and it is not done."""
        if self._callback is not None:
            self._callback(Progress(stage, done))
        passed = time.perf_counter() - self._begin
        if self._limit is not None and passed > self._limit and done < 1:
            raise TimeoutError(
                f"{self._method} was stopped after {passed:.1f} s with {done:.0%} of its {stage} done: "
                f"max_seconds={self._limit}. Raise it, or pass None for no limit."
            )


@dataclass(frozen=True)
class Step:
    """A step: its number from 1, of how many at most, its loss, the lowest value so far of what picks the tree."""

    step: int
    n_steps: int
    loss: float
    best: float
    seconds: float


class Watch:
    """Tells a callback of every step, and says when to stop: at its True, or past `max_seconds` (None: never)."""

    def __init__(self, n_steps: int, callback: Callable[[Any], object] | None, max_seconds: float | None) -> None:
        if max_seconds is not None:
            check_positive("max_seconds", max_seconds)
        self.n_steps, self.callback = n_steps, callback
        self.limit = inf if max_seconds is None else max_seconds
        self.began = time.perf_counter()

    def stops(self, step: int, loss: float, best: float) -> bool:
        """Report a step that is done, and whether it is the last."""
        seconds = time.perf_counter() - self.began
        asked = self.callback is not None and self.callback(Step(step, self.n_steps, loss, best, seconds)) is True
        return asked or seconds > self.limit


def check_positive(name: str, value: object, *, zero: bool = False) -> float:
    """A finite number above 0, or of at least 0 where `zero` is allowed."""
    if isinstance(value, bool) or not hasattr(value, "__float__"):
        raise TypeError(f"{name}={value!r} must be a number, got {type(value).__name__}.")
    number = float(value)
    if not isfinite(number) or number < 0 or (number == 0 and not zero):
        raise ValueError(f"{name}={value} must be finite and {'at least' if zero else 'above'} 0.")
    return number
