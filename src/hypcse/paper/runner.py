"""Runs tasks in processes of their own into a file of records, one JSON line each, and resumes a stopped run."""

from __future__ import annotations

import gzip
import json
import os
import signal
import sys
from collections.abc import Callable, Generator, Iterator, Sequence
from contextlib import closing, contextmanager
from multiprocessing import get_context, parent_process, resource_tracker
from multiprocessing.connection import Connection, wait
from multiprocessing.context import SpawnProcess
from pathlib import Path
from threading import Thread
from typing import Any

from hypcse.paper.experiments import Record, Task
from hypcse.paper.measure import is_stored, record_lost, run_task
from hypcse.storage.files import hold_folder, write_file


def run_tasks(
    tasks: Sequence[Task], path: Path, n_jobs: int = 1, on_record: Callable[[Record], object] | None = None
) -> dict[str, Record]:
    """Run tasks and return their records by key; those already in `path` from this version are not run again.

    Every finished task is one line of `path`, written and flushed at once, so that a run may be killed at any moment
    and started again. Failed tasks are tried again. `on_record` is called with every record, existing ones first.
    """
    on_record = on_record or (lambda record: None)
    wanted = {task.key: task for task in tasks}
    with hold_folder(path.parent):
        done = find_finished(tasks, path)
        for record in done.values():
            on_record(record)
        missing = [task for key, task in wanted.items() if key not in done]
        others = [one for one in read_records(path) if "error" not in one or one["key"] not in {*wanted} - {*done}]
        write_file(path, "".join(json.dumps(record) + "\n" for record in others))
        with path.open("a", encoding="utf-8") as out, closing(run_in_workers(missing, n_jobs)) as records:
            for record in records:
                out.write(json.dumps(record, allow_nan=False) + "\n")
                out.flush()
                os.fsync(out.fileno())
                done[record["key"]] = record
                on_record(record)
    return {key: done[key] for key in wanted}


def find_finished(tasks: Sequence[Task], path: Path) -> dict[str, Record]:
    """Records of tasks in `path`, run by this version, without failure, and with the tree they wrote."""
    import hypcse

    wanted = {task.key for task in tasks}
    return {
        record["key"]: record
        for record in read_records(path)
        if record["key"] in wanted
        and record["version"] == hypcse.__version__
        and "error" not in record
        and is_stored(record, path.parent)
    }


def read_records(path: Path) -> list[Record]:
    """The records of a file, compressed if it ends in .gz, without a truncated last line; none if there is no file."""
    if not path.exists():
        return []
    with (gzip.open if path.suffix == ".gz" else open)(path, "rt", encoding="utf-8") as file:
        lines = file.read().split("\n")[:-1]
    try:
        records = [json.loads(line) for line in lines if line]
    except json.JSONDecodeError as error:
        raise ValueError(f"{path} is not a file of results: {error}. Choose another file, or remove it.") from error
    if any(not isinstance(record, dict) or not {"key", "version"} <= record.keys() for record in records):
        raise ValueError(f"{path} is not a file of results: a line lacks key or version. Choose another, or remove it.")
    return records


def run_in_workers(tasks: Sequence[Task], n_jobs: int) -> Generator[Record]:
    """Records as they come, `n_jobs` tasks at a time, largest data sets first if there are several.

    A task whose process dies is tried again, alone, at the end. Tasks that measure time come last, in fresh processes.
    """
    queue = [task for task in reversed(tasks) if task.kind != "growth"]
    if n_jobs > 1:
        queue.sort(key=lambda task: task.size)
    alone = []
    for task, record in _run(queue, n_jobs, n_jobs):
        if record is None:
            alone.append((task, n_jobs))
        else:
            yield record
    alone += [(task, 1) for task in tasks if task.kind == "growth"]
    for task, n_shares in alone:
        for _, record in _run([task], 1, n_shares):
            yield record or record_lost(task)


def _run(queue: list[Task], n_workers: int, n_shares: int) -> Iterator[tuple[Task, Record | None]]:
    """Each task, taken from the end of the queue, and its record; None if its process died."""
    idle: list[tuple[Connection, SpawnProcess]] = []
    busy: dict[Connection, tuple[SpawnProcess, Task]] = {}
    try:
        while queue or busy:
            while queue and len(busy) < n_workers:
                pipe, process = idle.pop() if idle else _start_worker(n_shares)
                busy[pipe] = process, queue.pop()
                pipe.send(busy[pipe][1])
            ready = wait(list(busy))
            for pipe in [pipe for pipe in busy if pipe in ready]:
                process, task = busy.pop(pipe)
                try:
                    record = pipe.recv()
                    idle.append((pipe, process))
                except (EOFError, ConnectionError):
                    record = None
                yield task, record
    finally:
        for process in (*(process for _, process in idle), *(process for process, _ in busy.values())):
            process.kill()
            process.join()


def _start_worker(n_shares: int) -> tuple[Connection, SpawnProcess]:
    """A fresh interpreter, because threads of the libraries do not survive a fork, and the pipe to it."""
    context = get_context("spawn")
    here, there = context.Pipe()
    process = context.Process(target=_work, args=(there, n_shares), daemon=True)
    with _interrupts_blocked():
        process.start()
    there.close()
    try:
        here.recv()
    except EOFError:
        raise RuntimeError(
            "the processes for the tasks cannot be started; see the error above. In your own script, "
            'call run_tasks under `if __name__ == "__main__":`.'
        ) from None
    return here, process


@contextmanager
def _interrupts_blocked() -> Iterator[None]:
    """Start processes that do not hear of Ctrl-C, which reaches all of a terminal: they inherit what is blocked."""
    if not hasattr(signal, "pthread_sigmask"):
        yield
        return
    # Starting it would unblock the signal.
    resource_tracker.ensure_running()
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        yield
    finally:
        # What came meanwhile arrives now.
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


def _work(pipe: Connection, n_shares: int) -> None:
    """Run the tasks that come, with a share of the threads, until the process that sends them ends this one."""
    import numba

    signal.signal(signal.SIGINT, signal.SIG_IGN)
    n_threads = max(1, int(numba.config.NUMBA_NUM_THREADS) // n_shares)  # type: ignore[attr-defined]
    numba.set_num_threads(n_threads)
    # If torch is loaded later, it reads this; so do the libraries of matrix products.
    os.environ["OMP_NUM_THREADS"] = str(n_threads)
    if "torch" in sys.modules:
        sys.modules["torch"].set_num_threads(n_threads)
    parent: Any = parent_process()
    Thread(target=lambda: (parent.join(), os._exit(1)), daemon=True).start()
    pipe.send("ready")
    while True:
        pipe.send(run_task(pipe.recv()))
