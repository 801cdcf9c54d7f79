"""Measure cases, each (case, size) in a process of its own.

`run_all` starts the processes; `python -m benchmarks.runner` is what runs inside one.
"""

from __future__ import annotations

import ctypes
import gc
import json
import os
import platform
import resource
import signal
import statistics
import subprocess
import sys
import tempfile
import time
import traceback
from collections.abc import Callable, Iterable, Iterator
from dataclasses import asdict, dataclass, field
from datetime import UTC, datetime
from importlib import import_module
from pathlib import Path
from typing import Any

import numpy as np

import hypcse
from benchmarks.case import REGISTRY, Case, Workload

SLOW_PEER_SECONDS = 20.0
THREAD_VARIABLES = ("NUMBA_NUM_THREADS", "OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS")


@dataclass(frozen=True)
class Measurement:
    """One (case, size), a line of the results file. Figures that a failure prevented are None.

    seconds, median : the least and the median of the repeats; `first_seconds` is the call that warms up.
    peer_seconds    : the peer's least, or its only call where that took over 20 seconds; ratio = peer / own.
    base_mb         : resident memory just before the repeats; peak_mb its highest during them.
    threads         : the number asked for, None where the environment decides.
    """

    case: str
    size: int
    seconds: float | None = None
    median: float | None = None
    first_seconds: float | None = None
    repeats: int = 0
    peer_seconds: float | None = None
    ratio: float | None = None
    peak_mb: float | None = None
    base_mb: float | None = None
    facts: dict[str, float] = field(default_factory=dict)
    note: str = ""
    error: str | None = None
    threads: int | None = None
    hypcse: str = ""
    python: str = ""
    machine: dict[str, Any] = field(default_factory=dict)
    timestamp: str = ""


def run_all(plan: Iterable[tuple[Case, int]], repeats: int, threads: int | None, out: Path) -> Iterator[Measurement]:
    """Measure each (case, size), its line appended to `out` at once: a killed run keeps what it has."""
    out.parent.mkdir(parents=True, exist_ok=True)
    for case, size in plan:
        measurement = run_one(case, size, repeats, threads)
        with out.open("a", encoding="utf-8") as lines:
            lines.write(json.dumps(asdict(measurement)) + "\n")
        yield measurement


def run_one(case: Case, size: int, repeats: int, threads: int | None = None) -> Measurement:
    """Measure one (case, size) in a fresh process; a failure there is an `error` here.

    Linux counts the starting process's own peak in the peak of the one it starts, so cases import what is
    heavy inside their functions, and this process stays small.
    """
    with tempfile.TemporaryDirectory() as folder:
        answer = Path(folder) / "answer.json"
        command = [sys.executable, "-m", "benchmarks.runner", case.module, case.name]
        command += [str(size), str(repeats), str(answer)]
        code = subprocess.run(command, env=_environment(threads), check=False).returncode
        figures = json.loads(answer.read_text(encoding="utf-8")) if answer.exists() else {}
    if code != 0 or not figures:
        figures.setdefault("error", _how_it_ended(code))
    return Measurement(
        case=case.name,
        size=size,
        threads=threads,
        hypcse=hypcse.__version__,
        python=platform.python_version(),
        machine={"cpus": os.cpu_count(), "platform": platform.platform()},
        timestamp=datetime.now(UTC).isoformat(timespec="seconds"),
        **figures,
    )


def _environment(threads: int | None) -> dict[str, str]:
    environment = os.environ | {"PYTHONPATH": os.pathsep.join(filter(None, sys.path))}
    if threads is not None:
        environment |= dict.fromkeys(THREAD_VARIABLES, str(threads))
    return environment


def _how_it_ended(code: int) -> str:
    if code < 0:
        return f"the process was ended by {signal.Signals(-code).name}"
    return f"the process ended with exit code {code} and without an answer"


def measure(workload: Workload, repeats: int) -> dict[str, Any]:
    """Time and peak memory of a workload in this process, its first call apart."""
    first_seconds, result = _timed(workload.run)
    result = None
    base_mb = lowered_peak_mb()
    seconds = []
    for _ in range(repeats):
        result = None  # or it would count in the peak of the next call
        elapsed, result = _timed(workload.run)
        seconds.append(elapsed)
    peak_mb = highest_mb()
    return {
        "seconds": min(seconds),
        "median": statistics.median(seconds),
        "first_seconds": first_seconds,
        "repeats": repeats,
        "peak_mb": peak_mb,
        "base_mb": base_mb,
        "facts": _plain(workload.facts, result),
        "note": workload.note,
    }


def measure_peer(workload: Workload, repeats: int) -> tuple[float, dict[str, float]]:
    """The least seconds of a peer, warmed unless its first call takes over 20 seconds, and its facts."""
    assert workload.peer is not None
    seconds, result = _timed(workload.peer)
    facts = {f"peer_{name}": value for name, value in _plain(workload.peer_facts, result).items()}
    if seconds <= SLOW_PEER_SECONDS:
        seconds = min(_timed(workload.peer)[0] for _ in range(repeats))
    return seconds, facts


def _plain(facts: Callable[[Any], dict[str, float]] | None, result: object) -> dict[str, float]:
    return {} if facts is None else {name: float(value) for name, value in facts(result).items()}


def _timed(call: Callable[[], object]) -> tuple[float, object]:
    gc.collect()
    start = time.perf_counter()
    result = call()
    return time.perf_counter() - start, result


def highest_mb() -> float:
    """The highest memory of this process so far."""
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return peak / (2**20 if sys.platform == "darwin" else 2**10)


def lowered_peak_mb() -> float:
    """The peak so far, on Linux first lowered to what is in use now: making the input does not count."""
    lower = Path("/proc/self/clear_refs")
    if lower.exists():
        gc.collect()
        # Freed memory that the allocator keeps would be used again unseen, and the increment read as 0.
        trim = getattr(ctypes.CDLL(None), "malloc_trim", None)
        if trim is not None:
            trim(0)
        lower.write_text("5", encoding="ascii")
    return highest_mb()


def _answer(case: Case, size: int, repeats: int, answer: Path) -> int:
    """Measure in this process and write the figures to `answer`, the own ones before the peer runs."""
    figures: dict[str, Any] = {}
    try:
        workload = case.make(size, np.random.default_rng(size))
        if (workload.peer is None) != (case.peer is None):
            raise ValueError(f"case {case.name} declares peer={case.peer!r}; its workload disagrees.")
        figures = measure(workload, repeats)
        answer.write_text(json.dumps(figures), encoding="utf-8")
        if case.runs_peer_at(size):
            figures["peer_seconds"], peer_facts = measure_peer(workload, repeats)
            figures["facts"] |= peer_facts
            figures["ratio"] = figures["peer_seconds"] / figures["seconds"]
    except Exception as error:
        traceback.print_exc()
        figures["error"] = f"{type(error).__name__}: {error}"
    answer.write_text(json.dumps(figures), encoding="utf-8")
    return 1 if "error" in figures else 0


if __name__ == "__main__":
    module, name, size, repeats, answer = sys.argv[1:]
    import_module(module)
    sys.exit(_answer(REGISTRY[name], int(size), int(repeats), Path(answer)))
