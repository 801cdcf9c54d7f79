"""Running cells: in parallel processes, one JSON line each, resumed where a run before was stopped."""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Iterator, Sequence, Set
from concurrent.futures import FIRST_COMPLETED, Future, ProcessPoolExecutor, wait
from concurrent.futures.process import BrokenProcessPool
from multiprocessing import get_context, parent_process
from multiprocessing.connection import wait as wait_for
from pathlib import Path
from threading import Thread
from typing import Any

from hypcse.experiments.cells import Cell
from hypcse.experiments.measure import lost_cell, run_cell

Record = dict[str, Any]


def run_cells(
    cells: Sequence[Cell], path: Path, n_jobs: int = 1, callback: Callable[[Record], object] | None = None
) -> dict[str, Record]:
    """Records of all cells by their keys; those that `path` already holds from this version are not run again.

    Every finished cell is one line of `path`, written and flushed at once, so that a run may be killed at any moment
    and called again. A line that was cut off is dropped. Failed cells are tried again, and their lines give way to the
    new ones. With several processes each gets its share of the threads, and the largest data sets come first, so that
    none is left for the end.
    """
    wanted = {cell.key: cell for cell in cells}
    done = finished(cells, path)
    if callback is not None:
        for record in done.values():
            callback(record)
    _drop_failures(path, wanted.keys() - done.keys())
    with path.open("a", encoding="utf-8") as out:
        for record in _results([cell for key, cell in wanted.items() if key not in done], n_jobs):
            out.write(json.dumps(record, allow_nan=False) + "\n")
            out.flush()
            os.fsync(out.fileno())
            done[record["key"]] = record
            if callback is not None:
                callback(record)
    return {key: done[key] for key in wanted}


def finished(cells: Sequence[Cell], path: Path) -> dict[str, Record]:
    """Records of cells that `path` already holds, run by this version and without failure."""
    import hypcse

    wanted = {cell.key for cell in cells}
    return {
        record["key"]: record
        for record in read_records(path)
        if record["key"] in wanted and record["version"] == hypcse.__version__ and "error" not in record
    }


def read_records(path: Path) -> list[Record]:
    """The records of a file, without a last line that was cut off; none where there is no file."""
    if not path.exists():
        return []
    lines = path.read_text(encoding="utf-8").split("\n")
    try:
        records = [json.loads(line) for line in lines[:-1] if line]
    except json.JSONDecodeError as error:
        raise ValueError(f"{path} is not a file of results: {error}. Name another file, or remove it.") from error
    if any(not isinstance(record, dict) or not {"key", "version"} <= record.keys() for record in records):
        raise ValueError(f"{path} is not a file of results: a line has no key or version. Name another, or remove it.")
    return records


def _drop_failures(path: Path, keys: Set[str]) -> None:
    """Leave out failures that are to be tried again, and a line that was cut off; the file is whole at any moment."""
    path.parent.mkdir(parents=True, exist_ok=True)
    if not path.exists():
        return
    text = path.read_text(encoding="utf-8")
    records = read_records(path)
    kept = "".join(
        json.dumps(record) + "\n" for record in records if "error" not in record or record["key"] not in keys
    )
    if kept != text:
        new = path.with_name(path.name + ".new")
        new.write_text(kept, encoding="utf-8")
        new.replace(path)


def _results(cells: Sequence[Cell], n_jobs: int) -> Iterator[Record]:
    """Results as they come. Cells that measure time come last, each in a process of its own with nothing beside it."""
    timed = [cell for cell in cells if cell.timed]
    others = [cell for cell in cells if not cell.timed]
    if n_jobs == 1:
        yield from map(run_cell, others)
    else:
        suspects: list[Cell] = []
        queue = sorted(others, key=lambda cell: cell.size)
        while queue:
            yield from _run_together(queue, suspects, n_jobs)
        for cell in suspects:
            yield from _run_alone(cell, n_jobs)
    for cell in timed:
        yield from _run_alone(cell, 1)


def _run_together(queue: list[Cell], suspects: list[Cell], n_jobs: int) -> Iterator[Record]:
    """Take cells from the queue's end until it is empty, or until a process dies: then those under way are suspects."""
    waiting: dict[Future[Record], Cell] = {}
    with _pool(n_jobs, n_jobs) as pool:
        try:
            while queue or waiting:
                while queue and len(waiting) < n_jobs:
                    waiting[pool.submit(run_cell, queue[-1])] = queue[-1]
                    queue.pop()
                for future in wait(waiting, return_when=FIRST_COMPLETED).done:
                    yield future.result()
                    del waiting[future]
        except BrokenProcessPool:
            suspects += waiting.values()


def _run_alone(cell: Cell, n_jobs: int) -> Iterator[Record]:
    with _pool(1, n_jobs) as pool:
        try:
            yield pool.submit(run_cell, cell).result()
        except BrokenProcessPool:
            yield lost_cell(cell)


def _pool(n_processes: int, n_shares: int) -> ProcessPoolExecutor:
    """Fresh interpreters, for threads of the libraries do not survive a fork."""
    n_threads = max(1, (os.cpu_count() or 1) // n_shares)
    return ProcessPoolExecutor(n_processes, get_context("spawn"), _prepare, (n_threads,))


def _prepare(n_threads: int) -> None:
    """Set up a process: its share of the threads, and an end when the one that started it is killed."""
    import numba
    import torch

    numba.set_num_threads(n_threads)
    torch.set_num_threads(n_threads)
    Thread(target=_end_with_parent, daemon=True).start()


def _end_with_parent() -> None:
    parent = parent_process()
    if parent is not None:
        wait_for([parent.sentinel])
        os._exit(1)
