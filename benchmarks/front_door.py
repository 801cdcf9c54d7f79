"""What a user meets first: `python -m benchmarks front-door`."""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
from rich.console import Console

import hypcse
from benchmarks.quality.sheet import Sheet

FIRST_CALL = """
import time
begin = time.perf_counter()
import sys
import hypcse
X, y = hypcse.datasets.load("optical-digits")
hypcse.EntropyClustering().fit(X)
print(time.perf_counter() - begin, "torch" in sys.modules)
"""
COMMAND = "from hypcse.cli import main; main()"


def add_options(parser: argparse.ArgumentParser) -> None:
    """Declare what the command takes."""
    parser.add_argument("--repeat", type=int, default=5, metavar="R", help="calls, of which the quickest counts")


def show(options: argparse.Namespace, console: Console) -> int:
    """One row per way in."""
    X, _ = hypcse.datasets.load("optical-digits")
    by_hand = _searched(X)
    model = hypcse.EntropyClustering().fit(X)
    warm = min(_seconds(lambda: hypcse.EntropyClustering().fit(X)) for _ in range(options.repeat))
    searching = min(_seconds(lambda: _searched(X)) for _ in range(options.repeat))
    first = min((_first_call() for _ in range(options.repeat)), key=lambda pair: pair[0])
    rows = (
        ("EntropyClustering().fit, optical-digits, warm", f"{warm:.2f}", f"entropy {model.entropy_:.4f}"),
        ("the search by hand, without the test against chance", f"{searching:.2f}", f"entropy {by_hand:.4f}"),
        ("a first call in a new process, imports included", f"{first[0]:.2f}", f"torch imported: {first[1]}"),
        ("HypCSEClassifier().fit, optical-digits, 5 labels per class", *_classified()),
        ("`hypcse fit iris`, nothing compiled yet", f"{_command(cold=True):.1f}", "two processes compile"),
        ("`hypcse fit iris`, all compiled", f"{_command(cold=False):.1f}", ""),
        ("`hypcse fit` of a file that is not there", f"{_command(cold=False, data='none.csv'):.1f}", "exit code 2"),
    )
    console.print(Sheet("The front door", ("what", "seconds", "note"), rows, ()).to_rich())
    return 0


def _searched(X: Any) -> float:
    graph = hypcse.similarity_graph(X)
    tree = hypcse.join_components(hypcse.refine(hypcse.graph_linkage(graph), graph), graph, X, bridges=True)
    return hypcse.structural_entropy(tree, graph)


def _seconds(call: Callable[[], object]) -> float:
    begin = time.perf_counter()
    call()
    return time.perf_counter() - begin


def _classified() -> tuple[str, str]:
    """Seconds of a fit with few labels, and the share of the other points that it gets right."""
    X, y = hypcse.datasets.load("optical-digits")
    rng = np.random.default_rng(0)
    given = np.full(len(y), -1)
    for digit in range(10):
        given[rng.choice(np.flatnonzero(y == digit), 5, replace=False)] = digit
    hypcse.HypCSEClassifier(n_epochs=1).fit(X, given)
    begin = time.perf_counter()
    found = hypcse.HypCSEClassifier().fit(X, given).transduction_
    seconds = time.perf_counter() - begin
    return f"{seconds:.1f}", f"accuracy {np.mean((found == y)[given < 0]):.3f}"


def _first_call() -> tuple[float, str]:
    found = subprocess.run([sys.executable, "-c", FIRST_CALL], capture_output=True, text=True, check=True)
    seconds, torch = found.stdout.split()[-2:]
    return float(seconds), torch


def _command(*, cold: bool, data: str = "iris") -> float:
    """Seconds of one run of the command."""
    with tempfile.TemporaryDirectory() as folder:
        words = [sys.executable, "-c", COMMAND, "fit", data, "--out", str(Path(folder) / "found")]
        env = {**os.environ, "NUMBA_CACHE_DIR": str(Path(folder) / "cache")} if cold else None
        begin = time.perf_counter()
        subprocess.run(words, capture_output=True, env=env, check=False)
        return time.perf_counter() - begin
