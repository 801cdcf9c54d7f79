"""Work that is done one step ahead, in a thread beside training."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from typing import TypeVar

Given = TypeVar("Given")
Made = TypeVar("Made")


def prefetch(make: Callable[[Given], Made], items: Iterable[Given]) -> Iterator[Made]:
    """make(item) of every item in order, the next one made while the last is being used.

    >>> list(prefetch(abs, [-1, 2, -3]))
    [1, 2, 3]
    """
    with ThreadPoolExecutor(1) as worker:
        ahead: Future[Made] | None = None
        for item in items:
            ready, ahead = ahead, worker.submit(make, item)
            if ready is not None:
                yield ready.result()
        if ahead is not None:
            yield ahead.result()
