"""How a method that works in steps reports, and when it stops early."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass
from math import inf, isfinite
from typing import Any


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
