"""Running cells: in parallel processes, one JSON line each, resumed where a run before was stopped."""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ProcessPoolExecutor, wait
from multiprocessing import get_context
from pathlib import Path
from typing import Any

from hypcse.experiments.cells import Cell, run_cell

Record = dict[str, Any]


def run_cells(
    cells: Sequence[Cell], path: Path, n_jobs: int = 1, callback: Callable[[Record], object] | None = None
) -> list[Record]:
    """Records of all cells, in their order; those that `path` already holds are not run again.

    Every finished cell is one line of `path`, written and flushed at once, so that a run may be killed at any moment
    and called again. A line that was cut off is dropped. With several processes each gets its share of the threads.
    """
    done = {record["key"]: record for record in read_records(path) if "error" not in record}
    wanted = {cell.key for cell in cells}
    open_cells = [cell for cell in cells if cell.key not in done]
    for record in done.values():
        if callback is not None and record["key"] in wanted:
            callback(record)
    _drop_cut_line(path)
    with path.open("a", encoding="utf-8") as out:
        for record in _results(open_cells, n_jobs):
            out.write(json.dumps(record, allow_nan=False) + "\n")
            out.flush()
            os.fsync(out.fileno())
            done[record["key"]] = record
            if callback is not None:
                callback(record)
    return [done[cell.key] for cell in cells]


def read_records(path: Path) -> list[Record]:
    """The records of a file, without a last line that was cut off; none where there is no file."""
    if not path.exists():
        return []
    lines = path.read_text(encoding="utf-8").split("\n")
    try:
        return [json.loads(line) for line in lines[:-1] if line]
    except json.JSONDecodeError as error:
        raise ValueError(f"{path} is not a file of results: {error}. Name another file, or remove it.") from error


def _drop_cut_line(path: Path) -> None:
    """Cut the file after its last whole line."""
    if path.exists():
        content = path.read_bytes()
        whole = content.rfind(b"\n") + 1
        if whole < len(content):
            os.truncate(path, whole)
    else:
        path.parent.mkdir(parents=True, exist_ok=True)


def _results(cells: Sequence[Cell], n_jobs: int) -> Iterator[Record]:
    """Results as they come."""
    if n_jobs == 1:
        yield from map(run_cell, cells)
        return
    n_threads = max(1, (os.cpu_count() or 1) // n_jobs)
    # A fresh interpreter for each worker: threads of the libraries do not survive a fork.
    with ProcessPoolExecutor(n_jobs, get_context("spawn"), _use_threads, (n_threads,)) as pool:
        waiting: set[Future[Record]] = {pool.submit(run_cell, cell) for cell in cells}
        while waiting:
            ready, waiting = wait(waiting, return_when=FIRST_COMPLETED)
            for future in ready:
                yield future.result()


def _use_threads(n_threads: int) -> None:
    import numba
    import torch

    numba.set_num_threads(n_threads)
    torch.set_num_threads(n_threads)
