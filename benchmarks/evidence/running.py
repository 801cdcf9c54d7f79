"""Run rows in processes that last; a line of JSON for each, so that a second call runs only what is missing."""

from __future__ import annotations

import gzip
import json
import os
import platform
import time
import warnings
from collections.abc import Iterable, Iterator
from concurrent.futures import ProcessPoolExecutor, as_completed
from contextlib import contextmanager
from dataclasses import asdict
from datetime import UTC, datetime
from functools import lru_cache
from importlib.metadata import PackageNotFoundError, version
from multiprocessing import get_context
from pathlib import Path
from typing import Any, TypeAlias

import hypcse
from benchmarks.evidence.data import Data
from benchmarks.evidence.methods import METHODS
from benchmarks.evidence.parts import PARTS, Row
from benchmarks.runner import THREAD_VARIABLES

Record: TypeAlias = dict[str, Any]
"""A row, its outcome ("done", "missing" or "failed"), scores, CPU seconds, versions, machine and time."""
SHARED = ("numpy", "scipy", "scikit-learn")


def read_records(path: Path) -> dict[Row, Record]:
    """The last record of each row, plain or compressed; none where there is no file."""
    if not path.exists():
        return {}
    raw = path.read_bytes()
    lines = (gzip.decompress(raw) if path.suffix == ".gz" else raw).decode().splitlines()
    records = map(json.loads, lines)
    return {Row(*(record[name] for name in ("part", "case", "seed", "method"))): record for record in records}


def run_rows(rows: Iterable[Row], out: Path, jobs: int) -> Iterator[Record]:
    """Run what the file has no record of, each kept as soon as it is there; what was missing is tried again."""
    records = read_records(out)
    todo = [row for row in rows if records.get(row, {}).get("outcome", "missing") == "missing"]
    out.parent.mkdir(parents=True, exist_ok=True)
    with (
        _one_thread(),
        ProcessPoolExecutor(jobs, get_context("spawn")) as pool,
        out.open("a", encoding="utf-8") as lines,
    ):
        futures = {pool.submit(run_row, row): row for row in todo}
        for done in as_completed(futures):
            record = done.result()
            if record["outcome"] != "missing" or futures[done] not in records:
                lines.write(json.dumps(record) + "\n")
                lines.flush()
            yield record


@contextmanager
def _one_thread() -> Iterator[None]:
    """Let processes that start meanwhile work on one thread: data are small, and threads that wait burn time."""
    before = {name: os.environ.get(name) for name in THREAD_VARIABLES}
    os.environ |= dict.fromkeys(THREAD_VARIABLES, "1")
    try:
        yield
    finally:
        for name, value in before.items():
            os.environ.pop(name) if value is None else os.environ.update({name: value})


def run_row(row: Row) -> Record:
    """Whatever happens is a record."""
    warnings.simplefilter("ignore")
    method, part = METHODS[row.method], PARTS[row.part]
    record: Record = {**asdict(row), "outcome": "missing", "machine": machine()}
    record["timestamp"] = datetime.now(UTC).isoformat(timespec="seconds")
    try:
        versions = {name: version(name) for name in (*SHARED, *method.packages) if name != "hypcse"}
        record["versions"] = {"hypcse": hypcse.__version__, **versions}
        data = data_of(row.part, row.case, row.seed)
    except PackageNotFoundError as error:
        return record | {"error": f"{error.name} is not installed"}
    except (ImportError, OSError) as error:
        return record | {"error": str(error).partition("\n")[0][:100]}
    begin = time.process_time()
    try:
        found = method.gives(part.reads)(data, row.seed)
        seconds = time.process_time() - begin
        scores = {name: round(value, 4) for name, value in part.score(data, found).items()}
    except Exception as error:
        return record | {"outcome": "failed", "error": f"{type(error).__name__}: {error}"[:100]}
    return record | {"outcome": "done", "seconds": round(seconds, 3), "scores": scores}


@lru_cache(4)
def data_of(part: str, case: str, seed: int) -> Data:
    """The data of a draw, made once for methods that follow one another."""
    return PARTS[part].cases[case].make(seed)


@lru_cache(1)
def machine() -> dict[str, Any]:
    """Cores, system, Python, and the name of the processor, where the system tells."""
    info = Path("/proc/cpuinfo")
    lines = info.read_text(encoding="utf-8").splitlines() if info.exists() else []
    names = [line.partition(":")[2].strip() for line in lines if line.startswith("model name")]
    cpu = names[0] if names else platform.processor()
    return {"cpus": os.cpu_count(), "system": platform.platform(), "python": platform.python_version(), "cpu": cpu}
