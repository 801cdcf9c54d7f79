"""Seconds until a first answer, with nothing compiled and with all: `python -m benchmarks start-up`."""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from rich.console import Console

from benchmarks.sheet import Sheet

COMMAND = "from hypcse.cli import main; main()"
FIT = "import hypcse; X, y = hypcse.datasets.load('iris'); hypcse.{}().fit(X)"
CALLS: dict[str, tuple[str, ...]] = {
    "import hypcse": ("import hypcse",),
    "hypcse --help": (COMMAND, "--help"),
    "hypcse --version": (COMMAND, "--version"),
    "hypcse fit iris": (COMMAND, "fit", "iris", "--out", "found"),
    "hypcse demo": (COMMAND, "demo"),
    "EntropyClustering().fit(iris)": (FIT.format("EntropyClustering"),),
    "HypCSE().fit(iris)": (FIT.format("HypCSE"),),
}
"""Ways in, each the words after `python -c`."""


def add_options(parser: argparse.ArgumentParser) -> None:
    """Declare what the command takes."""
    parser.add_argument("--calls", nargs="*", default=list(CALLS), metavar="CALL", help="all by default")
    parser.add_argument("--repeat", type=int, default=1, metavar="R", help="times, of which the least counts")


def show(options: argparse.Namespace, console: Console) -> int:
    """Each call in a process and with a folder of compiled kernels of its own, first empty and then filled."""
    unknown = sorted(set(options.calls) - CALLS.keys())
    if unknown:
        raise ValueError(f"there is no call {unknown[0]!r}. Choose from {', '.join(map(repr, CALLS))}.")
    rows = []
    for name in options.calls:
        found = [first_and_second(name) for _ in range(options.repeat)]
        first, second = (tuple(map(min, zip(*times, strict=True))) for times in zip(*found, strict=True))
        rows.append((name, *(f"{seconds:.2f}" for seconds in (*first, *second))))
    load = f"Load of the machine when this ended: {os.getloadavg()[0]:.1f}, on {os.cpu_count()} cores."
    columns = ("what", "nothing compiled: wall", "CPU", "all compiled: wall", "CPU")
    console.print(Sheet("Start-up, seconds", columns, tuple(rows), (load,)).to_rich())
    console.print("CPU is that of the process itself, not of those that compile beside it.", load, markup=False)
    return 0


def first_and_second(name: str) -> tuple[tuple[float, float], tuple[float, float]]:
    """Wall and CPU seconds of a call where no kernel is compiled, and of the same call again."""
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder:
        return _measured(name, Path(folder), "first"), _measured(name, Path(folder), "second")


def _measured(name: str, folder: Path, place: str) -> tuple[float, float]:
    """Wall and CPU seconds of one process, in an empty folder beside the compiled kernels."""
    (folder / place).mkdir()
    env = {**os.environ, "NUMBA_CACHE_DIR": str(folder / "kernels")}
    with (folder / f"{place}.txt").open("w+", encoding="utf-8") as said:
        begin = time.perf_counter()
        process = subprocess.Popen(
            [sys.executable, "-c", *CALLS[name]], cwd=folder / place, env=env, stdout=subprocess.DEVNULL, stderr=said
        )
        _, status, used = os.wait4(process.pid, 0)
        wall = time.perf_counter() - begin
        process.returncode = os.waitstatus_to_exitcode(status)
        if process.returncode:
            said.seek(0)
            raise ValueError(f"{name} failed: {said.read().strip().splitlines()[-1]}")
    return wall, used.ru_utime + used.ru_stime
