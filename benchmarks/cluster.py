"""A fit on a local Dask cluster with limits of memory, beside one process: `python -m benchmarks cluster`."""

from __future__ import annotations

import argparse
import json
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
from rich.console import Console

from benchmarks.marked import write_marked
from benchmarks.million import N_FEATURES, grouped
from benchmarks.sheet import Sheet, seconds_text

POINTS = (200_000, 2_000_000)
MARK = "python -m benchmarks cluster"
COLUMNS = (
    "points",
    "way",
    "seconds",
    "peak of the client, MB",
    "peak of each worker, MB",
    "spilled, MB",
    "entropy",
    "clusters per level",
)
WARM = 3_000
"""Points of a first fit, which compiles."""
STEPS = {
    "graph": ("scaling", "shards", "neighbors", "best neighbors", "weights", "edges"),
    "linkage": ("merges",),
    "components": ("components",),
    "levels": ("levels",),
}
"""The stages that make up each step; all others are refinement."""


def add_options(parser: argparse.ArgumentParser) -> None:
    """Declare what the command takes."""
    parser.add_argument("--points", type=int, nargs="+", default=list(POINTS), metavar="N", help="one or more sizes")
    parser.add_argument("--workers", type=int, default=2, metavar="W", help="processes of the cluster, a thread each")
    parser.add_argument("--memory", default="2GB", metavar="SIZE", help="limit of each worker, such as 2GB")
    parser.add_argument("--memory-limit", type=int, metavar="EDGES", help="of fit; by default it follows --memory")
    parser.add_argument("--out", type=Path, metavar="PAGE.md", help="page of the docs to write the table into")


def show(options: argparse.Namespace, console: Console) -> int:
    """Two rows per size: on the cluster, and in one process; each in processes of its own."""
    rows, remarks = [], []
    for n_points in options.points:
        with tempfile.TemporaryDirectory(prefix="hypcse-benchmark-") as folder:
            table = Path(folder) / "X.npy"
            _apart("make", n_points, table)
            limit = options.memory_limit or 0
            cluster = _apart("cluster", n_points, table, options.workers, options.memory, limit)
            alone = _apart("alone", n_points, table)
        rows += [_row(n_points, f"cluster, {options.workers} workers of {options.memory}", cluster)]
        rows += [_row(n_points, "one process", alone)]
        remarks.append(_remark(n_points, cluster))
    sheet = Sheet(f"Tables of {N_FEATURES} columns", COLUMNS, tuple(rows), tuple(remarks))
    console.print(sheet.to_rich())
    for remark in sheet.remarks:
        console.print(remark, markup=False)
    if options.out is not None:
        write_marked(options.out, sheet.to_markdown().replace("## ", "### ", 1), MARK)
    return 0


def _row(n_points: int, way: str, found: dict[str, Any]) -> tuple[str, ...]:
    return (
        f"{n_points:,}",
        way,
        seconds_text(found["seconds"]),
        f"{found['peak']:,.0f}",
        ", ".join(f"{peak:,.0f}" for peak in found.get("peaks", ())) or "-",
        f"{found['spilled']:,.0f}" if "spilled" in found else "-",
        f"{found['entropy']:.4f}",
        ", ".join(map(str, found["levels"])),
    )


def _remark(n_points: int, found: dict[str, Any]) -> str:
    steps = ", ".join(f"{name} {seconds_text(seconds)}" for name, seconds in found["steps"].items())
    died = f"; workers that died: {found['died']}" if found["died"] else ""
    return (
        f"{n_points:,} points on the cluster, in seconds: {steps}; {found['edges']:,} edges, of which a worker may "
        f"hold {found['memory_limit']:,}{died}."
    )


def _apart(*words: object) -> dict[str, Any]:
    """What a process of its own answers."""
    call = [sys.executable, "-m", "benchmarks.cluster", *map(str, words)]
    answer = subprocess.run(call, capture_output=True, text=True)
    if answer.returncode:
        raise ValueError(f"{' '.join(map(str, words))} failed: {answer.stderr.strip().splitlines()[-1]}")
    found: dict[str, Any] = json.loads(answer.stdout.strip().splitlines()[-1])
    return found


def make(n_points: int, table: Path) -> dict[str, Any]:
    """Write the table, and a small one that comes first."""
    np.save(table, grouped(n_points)[0])
    np.save(table.with_name("small.npy"), grouped(WARM)[0])
    return {}


def alone(n_points: int, table: Path) -> dict[str, Any]:
    """A fit in one process."""
    import hypcse

    hypcse.EntropyClustering(bandwidth="median").fit(np.load(table.with_name("small.npy")))
    begin = time.perf_counter()
    model = hypcse.EntropyClustering(bandwidth="median").fit(np.load(table))
    seconds = time.perf_counter() - begin
    levels = [int(labels.max()) + 1 for labels in model.levels_]
    return {"seconds": seconds, "peak": peak_of_process(), "entropy": model.entropy_, "levels": levels}


def cluster(n_points: int, table: Path, workers: str, memory: str, limit: str) -> dict[str, Any]:
    """A fit on a cluster of processes; the table is read by the workers, in blocks."""
    from distributed import Client, LocalCluster

    from hypcse.dask import fit
    from hypcse.dask.fitting import edges_within
    from hypcse.dask.lazy_tables import open_npy

    with (
        LocalCluster(n_workers=int(workers), threads_per_worker=1, memory_limit=memory, dashboard_address=":0") as here,
        Client(here) as client,
    ):
        fit(open_npy(table.with_name("small.npy")).rows, bandwidth="median", memory_limit=2 * WARM, client=client)
        before, clock = set(client.run(peak_of_process)), _Clock()
        most = int(limit) or edges_within(client)
        begin = time.perf_counter()
        folder = table.with_name("work")
        found = fit(
            open_npy(table).rows, bandwidth="median", memory_limit=most, folder=folder, callback=clock, client=client
        )
        seconds = time.perf_counter() - begin
        peaks = client.run(peak_of_process)
        spilled = sum(client.run(spilled_bytes).values()) / 1e6
    return {
        "seconds": seconds,
        "steps": clock.steps(),
        "peak": peak_of_process(),
        "peaks": list(peaks.values()),
        "spilled": spilled,
        "died": len(before - set(peaks)),
        "edges": found.graph.n_edges,
        "memory_limit": most,
        "entropy": found.entropy,
        "levels": [int(labels.max()) + 1 for labels in found.levels],
    }


class _Clock:
    """Seconds by step, of what a callback is told at the end of each part."""

    def __init__(self) -> None:
        self.last, self.seconds = time.perf_counter(), dict.fromkeys(["graph", "linkage", "refinement"], 0.0)

    def __call__(self, progress: Any) -> None:
        step = next((step for step, stages in STEPS.items() if progress.stage in stages), "refinement")
        now = time.perf_counter()
        self.seconds[step] = self.seconds.get(step, 0.0) + now - self.last
        self.last = now

    def steps(self) -> dict[str, float]:
        """The seconds of each step."""
        return self.seconds


def peak_of_process() -> float:
    """Most memory that this process had, in MB."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024 / 1e6


def spilled_bytes(dask_worker: Any) -> float:
    """Bytes that a worker wrote to its disk because its memory was full."""
    written = getattr(dask_worker.data, "cumulative_metrics", {})
    return float(sum(value for key, value in written.items() if key[:1] == ("disk-write",) and key[-1] == "bytes"))


if __name__ == "__main__":
    WAYS: dict[str, Callable[..., dict[str, Any]]] = {"make": make, "alone": alone, "cluster": cluster}
    print(json.dumps(WAYS[sys.argv[1]](int(sys.argv[2]), Path(sys.argv[3]), *sys.argv[4:])))
