"""Tasks in processes of their own, which end with the one that started them."""

from __future__ import annotations

import os
import signal
import sys
from collections.abc import Callable, Generator, Iterator, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ProcessPoolExecutor, wait
from concurrent.futures.process import BrokenProcessPool
from contextlib import contextmanager
from multiprocessing import get_context
from multiprocessing.connection import Connection
from threading import Thread
from typing import Any, TypeVar

from hypcse.paper.running.measure import record_lost, run_task
from hypcse.paper.running.tasks import Record, Task

Answer = TypeVar("Answer")


def run_in_workers(tasks: Sequence[Task], n_jobs: int) -> Generator[Record]:
    """Records as they come, `n_jobs` tasks at a time; with several, those of the largest data sets first.

    A process that dies takes the tasks under way with it; each of them is tried again alone, and recorded as lost where
    that fails too. Tasks that measure time come last, one by one in fresh processes.
    """
    queue = [task for task in reversed(tasks) if task.kind != "growth"]
    if n_jobs > 1:
        queue.sort(key=lambda task: task.size)
    suspects: list[Task] = []
    while queue:
        yield from _run_together(queue, suspects, n_jobs)
    for task in suspects:
        yield from _run_alone(task, n_jobs)
    for task in tasks:
        if task.kind == "growth":
            yield from _run_alone(task, 1)


def _run_together(queue: list[Task], suspects: list[Task], n_jobs: int) -> Iterator[Record]:
    """Take tasks from the queue's end until it is empty, or until a process dies: then those under way are suspects."""
    waiting: dict[Future[Record], Task] = {}
    with _workers(n_jobs, n_jobs) as pool:
        try:
            while queue or waiting:
                while queue and len(waiting) < n_jobs:
                    waiting[_submit(pool, run_task, queue[-1])] = queue[-1]
                    queue.pop()
                for future in wait(waiting, return_when=FIRST_COMPLETED).done:
                    yield future.result()
                    del waiting[future]
        except BrokenProcessPool:
            suspects += waiting.values()


def _run_alone(task: Task, n_jobs: int) -> Iterator[Record]:
    with _workers(1, n_jobs) as pool:
        try:
            yield _submit(pool, run_task, task).result()
        except BrokenProcessPool:
            yield record_lost(task)


@contextmanager
def _workers(n_processes: int, n_shares: int) -> Iterator[ProcessPoolExecutor]:
    """Fresh interpreters, for threads of the libraries do not survive a fork, each with a share of the threads.

    They end when this is left by an exception, and when this process is killed: either closes their pipe.
    """
    context = get_context("spawn")
    reader, writer = context.Pipe(duplex=False)
    pool = ProcessPoolExecutor(n_processes, context, _prepare, (n_shares, reader))
    try:
        _check_start(pool)
        yield pool
    except BaseException:
        writer.close()
        raise
    finally:
        pool.shutdown()
        reader.close()
        writer.close()


def _submit(pool: ProcessPoolExecutor, function: Callable[..., Answer], *words: Any) -> Future[Answer]:
    """Submit a call. A process that is started for it does not hear of Ctrl-C, which reaches all of a terminal.

    It takes over which signals are held back here; `_prepare` comes too late for one that is still importing.
    """
    if not hasattr(signal, "pthread_sigmask"):
        return pool.submit(function, *words)
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        return pool.submit(function, *words)
    finally:
        # What came meanwhile arrives now.
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


def _check_start(pool: ProcessPoolExecutor) -> None:
    try:
        _submit(pool, os.getpid).result()
    except BrokenProcessPool:
        raise RuntimeError(
            "the processes for the tasks cannot be started; see the error above. In your own script, "
            'call run_tasks under `if __name__ == "__main__":`.'
        ) from None


def _prepare(n_shares: int, pipe: Connection) -> None:
    """Set up a process: its share of the threads, and its end when nobody waits for it."""
    import numba

    # Ctrl-C reaches all processes of a terminal; the one that started this ends it.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    most = int(numba.config.NUMBA_NUM_THREADS)  # type: ignore[attr-defined]
    numba.set_num_threads(max(1, most // n_shares))
    # Where torch is loaded later, it takes so many; the libraries of matrix products heed the same word.
    os.environ["OMP_NUM_THREADS"] = str(max(1, most // n_shares))
    torch = sys.modules.get("torch")
    if torch is not None:
        torch.set_num_threads(max(1, most // n_shares))
    Thread(target=_end_with, args=(pipe,), daemon=True).start()


def _end_with(pipe: Connection) -> None:
    """Wait until the other end is closed; nothing is ever sent."""
    try:
        pipe.recv()
    except EOFError:
        os._exit(1)
