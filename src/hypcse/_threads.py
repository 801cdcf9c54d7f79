"""Sets the number of threads for one piece of work; the rest of the program keeps its own settings."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import NamedTuple

FEW_POINTS = 1000

_forked = False
"""Whether this process was forked after this module was loaded: it then lacks the threads of libraries."""


def _note_fork() -> None:
    global _forked
    _forked = True


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_note_fork)


@contextmanager
def worker_threads(n_jobs: int | None, n_points: int, *, trains: bool = False) -> Iterator[None]:
    """Run kernels on `n_jobs` threads (None: the current number, one for few points; -1: all), and torch on one.

    Kernels give the same answer at any number of threads; torch's matrix products do not. The calling thread gets its
    own numbers back at the end. With `trains`, torch is imported here.
    """
    import numba

    if trains:
        import hypcse.neural.backend  # noqa: F401
    most = int(numba.config.NUMBA_NUM_THREADS)  # type: ignore[attr-defined]
    before = numba.get_num_threads()
    if n_jobs is None:
        n_threads = 1 if n_points < FEW_POINTS else before
    elif n_jobs != -1 and n_jobs < 1:
        raise ValueError(f"n_jobs={n_jobs} must be a number of threads, -1 for all, or None.")
    else:
        n_threads = most if n_jobs == -1 else min(n_jobs, most)
    try:
        numba.set_num_threads(n_threads)
        with one_torch_thread(), openmp_threads():
            yield
    finally:
        numba.set_num_threads(before)


@contextmanager
def openmp_threads(limit: int | None = None) -> Iterator[None]:
    """Limit OpenMP libraries (scikit-learn's loops) to `limit` threads in this thread, and to one in a forked child."""
    # A child has none of its parent's threads, but GNU's OpenMP would wait for them forever.
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
    try:
        # Setting the number, even to what it is, sets it for later threads too.
        if before != 1:
            torch.set_num_threads(1)
        yield
    finally:
        if before != 1:
            torch.set_num_threads(before)


NEEDED = ("RANK", "WORLD_SIZE", "MASTER_ADDR", "MASTER_PORT")
"""The variables that torchrun sets; without one of them a process works alone."""


class Place(NamedTuple):
    """The place of a process among those launched together: its number from 0 (rank), and the same on this machine."""

    number: int = 0
    size: int = 1
    local_number: int = 0
    local_size: int = 1


def launched_place() -> Place:
    """The place of this process; alone if it was not launched with others."""
    if any(name not in os.environ for name in NEEDED):
        return Place()
    size, number = int(os.environ["WORLD_SIZE"]), int(os.environ["RANK"])
    if size == 1:
        return Place()
    return Place(number, size, int(os.environ.get("LOCAL_RANK", number)), int(os.environ.get("LOCAL_WORLD_SIZE", size)))
