"""Running cells into a file of records, one JSON line each, resumed where a run before was stopped."""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Iterator, Sequence, Set
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any

from hypcse.experiments.cells import Cell
from hypcse.experiments.workers import results

Record = dict[str, Any]


def run_cells(
    cells: Sequence[Cell], path: Path, n_jobs: int = 1, callback: Callable[[Record], object] | None = None
) -> dict[str, Record]:
    """Records of all cells by their keys; those that `path` already holds from this version are not run again.

    Every finished cell is one line of `path`, written and flushed at once, so that a run may be killed at any moment
    and called again. A line that was cut off is dropped. Failed cells are tried again, and their lines give way to the
    new ones. Cells run in processes of their own, `n_jobs` at a time. A second run in the same folder is refused.

    Parameters
    ----------
    cells
        What to measure.
    path
        The file of records.
    n_jobs
        Cells at a time.
    callback
        Called with each new record.

    Returns
    -------
    dict of Record
        By key of the cell.

    Examples
    --------
    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     run_cells([], Path(folder) / "records.jsonl")
    {}
    """
    wanted = {cell.key: cell for cell in cells}
    path.parent.mkdir(parents=True, exist_ok=True)
    with _locked(path.parent):
        done = finished(cells, path)
        if callback is not None:
            for record in done.values():
                callback(record)
        missing = [cell for key, cell in wanted.items() if key not in done]
        _drop_failures(path, wanted.keys() - done.keys())
        with path.open("a", encoding="utf-8") as out, closing(results(missing, n_jobs)) as found:
            for record in found:
                out.write(json.dumps(record, allow_nan=False) + "\n")
                out.flush()
                os.fsync(out.fileno())
                done[record["key"]] = record
                if callback is not None:
                    callback(record)
    return {key: done[key] for key in wanted}


def finished(cells: Sequence[Cell], path: Path) -> dict[str, Record]:
    """Records of cells that `path` already holds, run by this version and without failure.

    Parameters
    ----------
    cells
        The cells.
    path
        The file of records.

    Returns
    -------
    dict of Record
        By key of the cell.

    Examples
    --------
    >>> finished([], Path("records.jsonl"))
    {}
    """
    import hypcse

    wanted = {cell.key for cell in cells}
    return {
        record["key"]: record
        for record in read_records(path)
        if record["key"] in wanted and record["version"] == hypcse.__version__ and "error" not in record
    }


def read_records(path: Path) -> list[Record]:
    """The records of a file, without a last line that was cut off; none where there is no file.

    Parameters
    ----------
    path
        The file.

    Returns
    -------
    list of Record
        One per line.

    Examples
    --------
    >>> read_records(Path("no such file"))
    []
    """
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
    if not path.exists():
        return
    text = path.read_text(encoding="utf-8")
    stay = [record for record in read_records(path) if "error" not in record or record["key"] not in keys]
    kept = "".join(json.dumps(record) + "\n" for record in stay)
    if kept != text:
        new = path.with_name(path.name + ".new")
        new.write_text(kept, encoding="utf-8")
        new.replace(path)


@contextmanager
def _locked(folder: Path) -> Iterator[None]:
    """Keep other runs out of a folder, where the system can; a killed run keeps nobody out."""
    try:
        import fcntl
    except ImportError:
        yield
        return
    handle = os.open(folder, os.O_RDONLY)
    try:
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        os.close(handle)
        raise ValueError(f"another run writes into {folder}. Wait for it, or name another folder.") from None
    try:
        yield
    finally:
        os.close(handle)
