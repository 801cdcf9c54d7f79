"""One method on one set in a process of its own, within limits; and the lines that are kept of it."""

from __future__ import annotations

import json
import os
import platform
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor, as_completed
from contextlib import suppress
from dataclasses import asdict, dataclass, fields
from datetime import UTC, datetime
from importlib.util import find_spec
from pathlib import Path
from queue import Queue
from typing import Any, Literal, TypeAlias

from benchmarks.peers.methods import PEERS, Peer
from benchmarks.peers.sets import PointSet

Outcome: TypeAlias = Literal["done", "missing", "time", "memory", "failed"]

START_SECONDS = 600.0
"""Seconds for imports and a first fit, and for scores: neither is what is measured."""
_PAUSE = 0.1
_MODULES = {"scikit-learn": "sklearn", "scikit-network": "sknetwork"}


@dataclass(frozen=True)
class Row:
    """One method on one set, a line of the file. Figures that were not reached are None.

    start_seconds : imports and a fit of 2,000 points, which compiles and loads what there is to.
    peak_mb       : the highest memory of the process and those that it started.
    ami           : adjusted mutual information of the labels with the 10 groups and the 200; `best_ami` that of the
                    best of several levels.
    limit         : seconds and gigabytes that it had.
    """

    method: str
    points: str
    outcome: Outcome
    seconds: float | None = None
    start_seconds: float | None = None
    peak_mb: float | None = None
    clusters: int | None = None
    noise: float | None = None
    ami: list[float] | None = None
    best_ami: list[float] | None = None
    error: str = ""
    version: str = ""
    limit: tuple[float, float] = (0.0, 0.0)
    cpus: int | None = None
    machine: str = ""
    timestamp: str = ""

    @property
    def key(self) -> tuple[str, str]:
        """The method and the set."""
        return self.method, self.points


def read_rows(path: Path) -> dict[tuple[str, str], Row]:
    """The rows of a file, the last of each method and set; none where there is no file."""
    if not path.exists():
        return {}
    rows: dict[tuple[str, str], Row] = {}
    names = {one.name for one in fields(Row)}
    for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1):
        try:
            row = Row(**{name: value for name, value in json.loads(line).items() if name in names})
        except (ValueError, TypeError, AttributeError) as error:
            raise ValueError(f"line {number} of {path} is not a row of peers: {error}. Remove it.") from None
        rows[row.key] = row
    return rows


def run_rows(
    sets: Iterable[PointSet], peers: Iterable[Peer], limits: tuple[float, float], out: Path, jobs: int = 1
) -> Iterator[Row]:
    """Run what the file has no row of, set by set; each row is kept as soon as it is there.

    What was not installed then is tried again. Several jobs run side by side, each on its own share of the cores.
    """
    chosen, known = list(peers), read_rows(out)
    missing = [
        (peer, points)
        for points in sets
        for peer in chosen
        if _is_missing(known.get((peer.name, points.name))) and points.n_points <= (peer.max_points or points.n_points)
    ]
    out.parent.mkdir(parents=True, exist_ok=True)
    found = (run_one(peer, points, *limits) for peer, points in missing)
    for row in found if jobs == 1 else _side_by_side(missing, limits, jobs):
        if row != known.get(row.key):
            with out.open("a", encoding="utf-8") as lines:
                lines.write(json.dumps(asdict(row)) + "\n")
        yield row


def _side_by_side(missing: list[tuple[Peer, PointSet]], limits: tuple[float, float], jobs: int) -> Iterator[Row]:
    """Rows as they come."""
    lanes = _shares_of_cores(jobs)
    with ThreadPoolExecutor(jobs, initializer=lambda: _keep_to(lanes.get())) as pool:
        for done in as_completed([pool.submit(run_one, peer, points, *limits) for peer, points in missing]):
            yield done.result()


def _is_missing(row: Row | None) -> bool:
    return row is None or row.outcome == "missing"


def _shares_of_cores(jobs: int) -> Queue[list[int]]:
    """Cores for each of so many jobs, equally many; empty where the system cannot keep a process to some."""
    cores = sorted(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else []
    share = len(cores) // jobs
    if cores and share == 0:
        raise ValueError(f"--jobs {jobs} is more than the {len(cores)} cores. Give at most {len(cores)}.")
    lanes: Queue[list[int]] = Queue()
    for job in range(jobs):
        lanes.put(cores[job * share : (job + 1) * share])
    return lanes


def _keep_to(cores: list[int]) -> None:
    """Keep this thread, and the processes that it starts, to some cores."""
    if cores:
        os.sched_setaffinity(0, cores)


def run_one(peer: Peer, points: PointSet, seconds: float, memory_gb: float) -> Row:
    """Run a method in a process of its own; whatever happens there is a row."""
    absent = [name for name in (peer.package, *peer.needs) if find_spec(_MODULES.get(name, name)) is None]
    if absent:
        return Row(peer.name, points.name, "missing", error=f"{absent[0]} is not installed")
    with tempfile.TemporaryDirectory() as folder:
        figures = _watch(peer, points, (seconds, memory_gb), Path(folder))
    return Row(
        method=peer.name,
        points=points.name,
        limit=(seconds, memory_gb),
        cpus=_n_cores(),
        machine=platform.machine(),
        timestamp=datetime.now(UTC).isoformat(timespec="seconds"),
        **figures,
    )


def _n_cores() -> int | None:
    """Cores that this process may use, where the system tells."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count()


def _watch(peer: Peer, points: PointSet, limits: tuple[float, float], folder: Path) -> dict[str, Any]:
    """The figures of a process, which is ended once it is past a limit."""
    events = folder / "events.jsonl"
    words = [sys.executable, "-m", "benchmarks.peers.worker", peer.name, points.name, str(limits[1]), str(events)]
    environment = _environment()
    with (folder / "errors.txt").open("wb") as errors:
        process = subprocess.Popen(
            words, env=environment, stdout=subprocess.DEVNULL, stderr=errors, start_new_session=True
        )
    try:
        figures, past = _wait(process, events, *limits)
    finally:
        with suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)
        process.wait()
    return figures | _ending(process.returncode, figures, past, folder / "errors.txt")


def _environment() -> dict[str, str]:
    """That of this process, where modules are found as here; all methods are measured on the CPU."""
    paths = os.pathsep.join(filter(None, [os.getcwd(), *sys.path]))
    return os.environ | {"PYTHONPATH": paths, "CUDA_VISIBLE_DEVICES": ""}


def _wait(
    process: subprocess.Popen[bytes], events: Path, seconds: float, memory_gb: float
) -> tuple[dict[str, Any], Outcome | None]:
    """What the process told until it ended, and which limit it was past."""
    peak, figures = 0.0, _told(events)
    since, stage = time.monotonic(), figures.get("event")
    while process.poll() is None:
        figures = _told(events)
        if figures.get("event") != stage:
            since, stage = time.monotonic(), figures.get("event")
        if stage in ("started", "fitted"):
            peak = max(peak, _tree_mb(process.pid)) if stage == "started" else peak
        if peak > 1024 * memory_gb:
            return figures, "memory"
        if time.monotonic() - since > (seconds if stage == "started" else START_SECONDS):
            return figures, "time"
        time.sleep(_PAUSE)
    figures = _told(events)
    if figures.get("peak_mb") is not None:
        figures["peak_mb"] = max(figures["peak_mb"], peak)
    return figures, None


def _told(events: Path) -> dict[str, Any]:
    """All that was told, and the last event."""
    told: dict[str, Any] = {}
    if events.exists():
        for line in events.read_text(encoding="utf-8").splitlines(keepends=True):
            if line.endswith("\n"):
                told |= json.loads(line)
    return told


def _tree_mb(pid: int) -> float:
    """Memory of a process and of those that it started, what they share counted with each."""
    import psutil

    total = 0
    with suppress(psutil.Error):
        process = psutil.Process(pid)
        for one in (process, *process.children(recursive=True)):
            with suppress(psutil.Error):
                total += one.memory_info().rss
    return total / 2**20


def _ending(code: int, figures: dict[str, Any], past: Outcome | None, errors: Path) -> dict[str, Any]:
    """The outcome, in place of the last event."""
    event, memory = figures.pop("event", None), figures.pop("memory", False)
    if past is not None:
        where = {None: "before the fit", "started": "", "fitted": "while scored"}.get(event, "")
        return {"outcome": past, "error": where}
    if event == "scored":
        return {"outcome": "done"}
    if event == "failed":
        return {"outcome": "memory" if memory else "failed"}
    said = errors.read_text(encoding="utf-8", errors="replace").strip().splitlines()
    ended = f"ended by {signal.Signals(-code).name}" if code < 0 else f"exit code {code}"
    out_of_memory = any("alloc" in line.lower() or "memory" in line.lower() for line in said[-5:])
    return {"outcome": "memory" if out_of_memory else "failed", "error": f"{ended}: {said[-1] if said else ''}"[:300]}


def in_order(rows: Iterable[Row]) -> list[Row]:
    """Rows in the order of the methods."""
    place = {peer.name: number for number, peer in enumerate(PEERS)}
    return sorted(rows, key=lambda row: place.get(row.method, len(place)))
