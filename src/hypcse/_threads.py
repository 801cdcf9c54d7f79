"""How many threads work, for as long as a piece of work lasts; the rest of the program keeps its own numbers."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from threading import Lock, Thread
from typing import Any

FEW_POINTS = 1000

_forked = False
_torch_lock = Lock()


def _note_fork() -> None:
    global _forked, _torch_lock
    _forked, _torch_lock = True, Lock()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_note_fork)


def is_forked() -> bool:
    """Whether this process is a fork of one that had this module loaded: threads of libraries stayed behind there."""
    return _forked


@contextmanager
def worker_threads(n_jobs: int | None, n_points: int, *, trains: bool = False) -> Iterator[None]:
    """Kernels on `n_jobs` threads (None: as many as now, one for few points; -1: as many as there are), torch on one.

    Kernels give the same answer at any number of threads. Torch's matrix products do not, and their threads would wait
    for those of the kernels on a busy machine. Threads wait for each other at the end of every kernel, which for few
    points takes longer than the kernel.

    All numbers are those of the calling thread: other threads of the program keep theirs, and this one has its own back
    at the end.

    trains : whether torch is used, and so is imported here where it is not yet.
    """
    import numba

    if trains:
        import hypcse._torch  # noqa: F401
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
    """Libraries on OpenMP (scikit-learn's loops) on at most `limit` threads, in this thread; in a forked child on one.

    A child has none of its parent's threads, but GNU's OpenMP does not know, and would wait for them for ever.
    """
    if limit is None and not _forked:
        yield
        return
    from threadpoolctl import threadpool_limits

    # Only OpenMP counts by thread. The counts of BLAS are the whole program's, and two at once would not restore them.
    with threadpool_limits(1 if _forked else limit, user_api="openmp"):
        yield


@contextmanager
def one_torch_thread() -> Iterator[None]:
    """Torch on one thread, in this thread; nothing where torch is not loaded."""
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
    """Set torch's number of threads in this thread alone.

    Torch counts by thread, but also hands the number set last, in any of them, to each thread that first comes to it
    later, for good. So a thread that torch does not know yet tells that number before, and another brings it back.
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
        # No thread is to be had, at the program's end or its limit. Then none can come to torch later either.
        return
    thread.join()
