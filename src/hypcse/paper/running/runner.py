"""Runs tasks into a file of records, one JSON line each, and resumes a stopped run."""

from __future__ import annotations

import gzip
import json
import os
from collections.abc import Callable, Sequence
from contextlib import closing
from pathlib import Path

from hypcse.paper.running.measure import is_stored
from hypcse.paper.running.tasks import Record, Task
from hypcse.paper.running.workers import run_in_workers
from hypcse.storage.files import hold_folder
from hypcse.storage.whole import write_file


def run_tasks(
    tasks: Sequence[Task], path: Path, n_jobs: int = 1, on_record: Callable[[Record], object] | None = None
) -> dict[str, Record]:
    """Run tasks and return their records by key; those already in `path` from this version are not run again.

    Every finished task is one line of `path`, written and flushed at once, so that a run may be killed at any moment
    and started again. A truncated line is dropped. Failed tasks are tried again, and their lines are replaced. Tasks
    run in their own processes, `n_jobs` at a time. A second run in the same folder is refused.

    Parameters
    ----------
    tasks
        What to measure.
    path
        The file of records.
    n_jobs
        Number of tasks to run at a time.
    on_record
        Called with every record, existing ones first.

    Returns
    -------
    dict of Record
        By key of the task.

    Examples
    --------
    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     run_tasks([], Path(folder) / "records.jsonl")
    {}
    """
    on_record = on_record or (lambda record: None)
    wanted = {task.key: task for task in tasks}
    with hold_folder(path.parent):
        done = find_finished(tasks, path)
        for record in done.values():
            on_record(record)
        missing = {key: task for key, task in wanted.items() if key not in done}
        others = [record for record in read_records(path) if "error" not in record or record["key"] not in missing]
        write_file(path, "".join(json.dumps(record) + "\n" for record in others))
        with path.open("a", encoding="utf-8") as out, closing(run_in_workers([*missing.values()], n_jobs)) as records:
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
        lines = file.read().split("\n")
    try:
        records = [json.loads(line) for line in lines[:-1] if line]
    except json.JSONDecodeError as error:
        raise ValueError(f"{path} is not a file of results: {error}. Choose another file, or remove it.") from error
    if any(not isinstance(record, dict) or not {"key", "version"} <= record.keys() for record in records):
        raise ValueError(f"{path} is not a file of results: a line lacks key or version. Choose another, or remove it.")
    return records
