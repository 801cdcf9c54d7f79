"""What `HypCSE()` costs and finds, beside the search alone and a long training: `python -m benchmarks default-fits`."""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import time
from typing import Any

import numpy as np
from rich.console import Console

from benchmarks.quality.data import KNOWN
from benchmarks.quality.sheet import Sheet

MADE = ("nested-2000", "nested-10000")
"""Made tables, by their number of points."""
LONG_STEPS, LONG_LIMITS = 400, (10, 100)
"""Epochs of a long training: so many steps over subgraphs of 2,048 points, evaluated every five epochs."""
COLUMNS = ("data set", "points", "search alone", "HypCSE()", "epochs", "decoded", "long training", "epochs", "decoded")


def add_options(parser: argparse.ArgumentParser) -> None:
    """Declare what the command takes."""
    parser.add_argument("--sets", nargs="*", default=[*KNOWN, *MADE], metavar="NAME", help="nested-N: a made table")
    parser.add_argument("--seeds", type=int, default=3, metavar="S", help="fits of each, with random_state 0, 1, ...")
    parser.add_argument("--short", action="store_true", help="without the long training, which takes minutes")


def show(options: argparse.Namespace, console: Console) -> int:
    """Measure each data set in a process of its own, and print the table."""
    rows = []
    for name in options.sets:
        words = [sys.executable, "-m", "benchmarks.default_fits", name, str(options.seeds), str(int(options.short))]
        answer = subprocess.run(words, capture_output=True, text=True)
        if answer.returncode:
            raise ValueError(f"{name} failed: {answer.stderr.strip().splitlines()[-1]}")
        rows.append(table_row(name, json.loads(answer.stdout)))
    remarks = (
        f"Structural entropy / seconds / seconds of CPU, means over {options.seeds} seeds, after a small fit that "
        "compiles; epochs are the one that was kept, of how many. Decoded: the entropy of the tree that the embedding "
        "alone gives.",
    )
    console.print(Sheet("Default fits", COLUMNS, tuple(rows), remarks).to_rich())
    console.print(remarks[0], markup=False)
    return 0


def table_row(name: str, found: dict[str, Any]) -> tuple[str, ...]:
    """A data set's figures as text; a long training that was left out as dashes."""
    cells = [name, f"{found['n_points']:,}", "{:.4f} / {:.1f} / {:.1f}".format(*found["search"])]
    for fits in (found["default"], found["long"]):
        if not fits:
            cells += ["-", "-", "-"]
            continue
        mean = {field: float(np.mean([fit[field] for fit in fits])) for field in fits[0]}
        cells += [
            f"{mean['entropy']:.4f} / {mean['seconds']:.1f} / {mean['cpu']:.1f}",
            f"{mean['kept']:.1f} of {mean['run']:.1f}",
            f"{mean['decoded']:.4f}",
        ]
    return tuple(cells)


def measure(name: str, n_seeds: int, short: bool) -> dict[str, Any]:
    """Entropies, seconds and epochs of all fits of a data set."""
    import hypcse

    X = _load(name)
    hypcse.HypCSE(n_epochs=1).fit(X[:1200])
    search, *seconds = _timed(hypcse.EntropyClustering(), X)
    n_epochs = int(np.clip(LONG_STEPS // -(-len(X) // 2048), *LONG_LIMITS))
    return {
        "n_points": len(X),
        "search": (search.entropy_, *seconds),
        "default": [_fit(X, random_state=seed) for seed in range(n_seeds)],
        "long": [] if short else [_fit(X, random_state=seed, n_epochs=n_epochs) for seed in range(n_seeds)],
    }


def _load(name: str) -> Any:
    import hypcse
    from hypcse.experiments.synthetic import nested_gaussians

    kind, _, size = name.partition("nested-")
    return nested_gaussians(int(size))[0] if not kind else hypcse.datasets.load(name)[0]


def _fit(X: Any, **options: Any) -> dict[str, float]:
    import hypcse
    from hypcse.decode import decode_graph

    model, seconds, cpu = _timed(hypcse.HypCSE(**options), X)
    decoded = hypcse.structural_entropy(decode_graph(model.embedding_, model.graph_), model.graph_)
    evaluated = [step for step in model.history_ if step.entropy is not None]
    best = min(evaluated, key=lambda step: step.entropy)
    kept = best.epoch if abs(best.entropy - decoded) < 1e-9 else 0
    counts = {"kept": kept, "run": len(model.history_)}
    return {"entropy": model.entropy_, "seconds": seconds, "cpu": cpu, "decoded": decoded, **counts}


def _timed(model: Any, X: Any) -> tuple[Any, float, float]:
    """The fitted model, and seconds and CPU seconds of the fit."""
    wall, used = time.perf_counter(), time.process_time()
    model.fit(X)
    return model, time.perf_counter() - wall, time.process_time() - used


if __name__ == "__main__":
    print(json.dumps(measure(sys.argv[1], int(sys.argv[2]), sys.argv[3] == "1")))
