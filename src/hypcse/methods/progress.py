"""What methods that take long report, and when they give up."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass
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
        if max_seconds is not None and not max_seconds > 0:
            raise ValueError(f"max_seconds={max_seconds} must be a positive number, or None for no limit.")
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
