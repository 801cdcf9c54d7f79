"""Sets the number of threads for one piece of work; the rest of the program keeps its own settings."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from threading import Lock, Thread
from typing import Any, NamedTuple

FEW_POINTS = 1000

_forked = False
_torch_lock = Lock()


def _note_fork() -> None:
    global _forked, _torch_lock
    _forked, _torch_lock = True, Lock()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_note_fork)


def is_forked() -> bool:
    """Whether this process was forked after this module was loaded: it then lacks the threads of libraries."""
    return _forked


@contextmanager
def worker_threads(n_jobs: int | None, n_points: int, *, trains: bool = False) -> Iterator[None]:
    """Run kernels on `n_jobs` threads (None: the current number, one for few points; -1: all), and torch on one.

    Kernels give the same answer at any number of threads. Torch's matrix products do not, and their threads would wait
    for those of the kernels on a busy machine. Threads wait for each other at the end of every kernel, which for few
    points takes longer than the kernel.

    All numbers are those of the calling thread. Other threads keep theirs, and this one gets its own back at the end.

    trains : whether torch is used; if so, it is imported here.
    """
    import numba

    if trains:
        import hypcse.neural.backend  # noqa: F401
    most = int(numba.config.NUMBA_NUM_THREADS)  # type: ignore[attr-defined]
    before = numba.get_num_threads()
    wanted = _n_threads(n_jobs, n_points, before, most)
    try:
        numba.set_num_threads(wanted)
        with one_torch_thread(), openmp_threads():
            yield
    finally:
        numba.set_num_threads(before)


def _n_threads(n_jobs: int | None, n_points: int, now: int, most: int) -> int:
    if n_jobs is None:
        return 1 if n_points < FEW_POINTS else now
    if n_jobs != -1 and n_jobs < 1:
        raise ValueError(f"n_jobs={n_jobs} must be a number of threads, -1 for all, or None.")
    return most if n_jobs == -1 else min(n_jobs, most)


@contextmanager
def openmp_threads(limit: int | None = None) -> Iterator[None]:
    """Limit OpenMP libraries (scikit-learn's loops) to `limit` threads in this thread, and to one in a forked child.

    A child has none of its parent's threads, but GNU's OpenMP does not know that and would wait for them forever.
    """
    if limit is None and not _forked:
        yield
        return
    from threadpoolctl import threadpool_limits

    # Only OpenMP counts per thread. BLAS has one count for the whole program, which two fits at once would not restore.
    with threadpool_limits(1 if _forked else limit, user_api="openmp"):
        yield


@contextmanager
def one_torch_thread() -> Iterator[None]:
    """Run torch on one thread, in this thread; do nothing if torch is not loaded."""
    if sys.modules.get("torch") is None:
        yield
        return
    # Another thread may be in the middle of importing it.
    import torch

    before = torch.get_num_threads()
    if before == 1:
        yield
        return
    try:
        _set_torch_here(torch, 1)
        yield
    finally:
        _set_torch_here(torch, before)


def _set_torch_here(torch: Any, count: int) -> None:
    """Set torch's number of threads in this thread only.

    Torch keeps one number per thread, but a thread that starts to use torch later gets the one set last by any thread.
    So a fresh thread reads that number beforehand, and another fresh thread restores it.
    """
    with _torch_lock:
        others: list[int] = []
        _call_in_new_thread(lambda: others.append(torch.get_num_threads()))
        torch.set_num_threads(count)
        if others and others[0] != count:
            _call_in_new_thread(lambda: torch.set_num_threads(others[0]))


def _call_in_new_thread(call: Callable[[], object]) -> None:
    thread = Thread(target=call, daemon=True)
    try:
        thread.start()
    except RuntimeError:
        # No thread can be started, at the program's end or at its limit. Then none can use torch later either.
        return
    thread.join()


NEEDED = ("RANK", "WORLD_SIZE", "MASTER_ADDR", "MASTER_PORT")
"""All of them must be set, as torchrun sets them. Without one of them a process works alone."""


class Place(NamedTuple):
    """The place of a process among those that were launched together.

    number, size             : its number from 0 (its rank), and how many there are.
    local_number, local_size : the same among those on this machine.
    """

    number: int = 0
    size: int = 1
    local_number: int = 0
    local_size: int = 1


def launched_place() -> Place:
    """The place of this process; alone where it was not launched with others.

    >>> launched_place()
    Place(number=0, size=1, local_number=0, local_size=1)
    """
    if any(name not in os.environ for name in NEEDED):
        return Place()
    size = _read_count("WORLD_SIZE", 1, None)
    if size == 1:
        return Place()
    number = _read_count("RANK", 0, size - 1)
    local_size = _read_count("LOCAL_WORLD_SIZE", 1, size, size)
    return Place(number, size, _read_count("LOCAL_RANK", 0, local_size - 1, number), local_size)


def _read_count(name: str, least: int, most: int | None, otherwise: int | None = None) -> int:
    text = os.environ.get(name, str(otherwise))
    if text.isdecimal() and least <= int(text) and (most is None or int(text) <= most):
        return int(text)
    limit = f"of at least {least}" if most is None else f"from {least} to {most}"
    raise ValueError(
        f"{name}={text!r} must be a whole number {limit}. Start with torchrun, or unset WORLD_SIZE to fit alone."
    )
