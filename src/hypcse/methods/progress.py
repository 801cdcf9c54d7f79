"""How long methods report progress and stop: with an error, or with the best so far."""

from __future__ import annotations

from math import inf, isfinite

from hypcse._progress import Callback, Reporter, Stopped


class Clock:
    """Reports progress, and raises when stopped: half a tree is not a result."""

    def __init__(self, method: str, callback: Callback | None, max_seconds: float | None) -> None:
        if max_seconds is not None:
            check_positive("max_seconds", max_seconds)
        self._method, self._limit = method, max_seconds
        self._reporter = Reporter(callback)

    def tell(self, stage: str, done: int, total: int) -> None:
        """Report progress; raise `Stopped` if the callback asks for it, or if the time is over."""
        asked, seconds = self._reporter.tell(stage, done, total), self._reporter.seconds
        if done == total:
            return
        where = f"after {seconds:.1f} s with {done / total:.0%} of its {stage} done"
        if asked:
            raise Stopped(f"{self._method} was stopped by its callback {where}; it has no partial result.")
        if self._limit is not None and seconds > self._limit:
            way_out = f"max_seconds={self._limit}. Raise it, or pass None for no limit."
            raise Stopped(f"{self._method} was stopped {where}: {way_out}")


class Watch:
    """Reports every step, and says when to stop: if the callback asks for it, or after `max_seconds`.

    measure : what the values that pick the tree are.
    """

    def __init__(self, n_steps: int, callback: Callback | None, max_seconds: float | None, measure: str) -> None:
        if max_seconds is not None:
            check_positive("max_seconds", max_seconds)
        self.n_steps, self._measure = n_steps, measure
        self._limit = inf if max_seconds is None else max_seconds
        self._reporter = Reporter(callback)

    def stops(self, step: int, loss: float, best: float, *, last: bool = False) -> bool:
        """Report a finished step, and return whether it is the last; with `last` it always is."""
        total = step if last else self.n_steps
        asked = self._reporter.tell("training", step, total, value=best, measure=self._measure, loss=loss)
        return last or asked or self._reporter.seconds > self._limit


def check_rate(value: object) -> float:
    """A learning rate; beyond the limit every step exceeds the range of float32."""
    return check_positive("learning_rate", value, most=10_000)


def check_positive(name: str, value: object, *, zero: bool = False, most: float = inf) -> float:
    """A finite number above 0 (at least 0 if `zero` is allowed), and at most `most`."""
    if isinstance(value, bool) or not hasattr(value, "__float__"):
        raise TypeError(f"{name}={value!r} must be a number, got {type(value).__name__}.")
    number = float(value)
    if not isfinite(number) or number < 0 or (number == 0 and not zero):
        raise ValueError(f"{name}={value} must be finite and {'at least' if zero else 'above'} 0.")
    if number > most:
        raise ValueError(f"{name}={value} must be at most {most:g}.")
    return number
