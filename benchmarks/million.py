"""A million points from features to levels, step by step: `python -m benchmarks million`."""

from __future__ import annotations

import argparse
import json
import resource
import subprocess
import sys
import time
from typing import Any

import numpy as np
from numpy.typing import NDArray
from rich.console import Console

from benchmarks.sheet import Sheet

N_POINTS, N_FEATURES, N_GROUPS, N_GAUSSIANS = 1_000_000, 16, 10, 200


def add_options(parser: argparse.ArgumentParser) -> None:
    """Declare what the command takes."""
    parser.add_argument("--points", type=int, nargs="+", default=[N_POINTS], metavar="N", help="one or more sizes")


def show(options: argparse.Namespace, console: Console) -> int:
    """Measure each size in a process of its own; print a table for each, and how the whole grows from the first."""
    wholes: list[float] = []
    for n_points in options.points:
        found = _measure_apart(n_points)
        wholes.append(sum(seconds for _, seconds, _ in found["steps"]))
        rows = [(name, f"{seconds:.1f}", f"{peak:.0f}") for name, seconds, peak in found["steps"]]
        rows.append(("whole", f"{wholes[-1]:.1f}", rows[-1][2]))
        facts = ", ".join(f"{name} {value}" for name, value in found["facts"].items())
        console.print(Sheet(f"{n_points:,} points", ("step", "seconds", "peak MB so far"), tuple(rows)).to_rich())
        console.print(facts, markup=False)
    for n_points, whole in zip(options.points[1:], wholes[1:], strict=True):
        console.print(f"growth of the whole, {options.points[0]:,} to {n_points:,} points: {whole / wholes[0]:.1f}x")
    return 0


def _measure_apart(n_points: int) -> dict[str, Any]:
    call = [sys.executable, "-m", "benchmarks.million", str(n_points)]
    answer = subprocess.run(call, capture_output=True, text=True)
    if answer.returncode:
        raise ValueError(f"{n_points} points failed: {answer.stderr.strip().splitlines()[-1]}")
    found: dict[str, Any] = json.loads(answer.stdout)
    return found


def grouped(
    n_points: int, n_features: int = N_FEATURES
) -> tuple[NDArray[np.float32], NDArray[np.int64], NDArray[np.int64]]:
    """Points of 200 Gaussians around 10 centers, and the center and the Gaussian of each."""
    rng = np.random.default_rng(0)
    centers = rng.normal(size=(N_GROUPS, n_features)) * 6
    owner = rng.integers(N_GROUPS, size=N_GAUSSIANS)
    means = centers[owner] + rng.normal(size=(N_GAUSSIANS, n_features)) * 2
    y = rng.integers(N_GAUSSIANS, size=n_points)
    X = (means[y] + rng.normal(size=(n_points, n_features))).astype(np.float32)
    return X, owner[y], y


def measure(n_points: int) -> dict[str, Any]:
    """Seconds of each step, after a small run that compiles, and how well the levels hit what was planted."""
    from sklearn.metrics import adjusted_rand_score

    import hypcse

    _steps(grouped(5_000)[0])
    X, group, gaussian = grouped(n_points)
    steps, tree, graph, found = _steps(X)
    best = {}
    for name, planted in ((f"the {N_GROUPS}", group), (f"the {N_GAUSSIANS}", gaussian)):
        best[f"best ARI with {name}"] = round(max(float(adjusted_rand_score(planted, one)) for one in found), 4)
    facts = {
        "edges": graph.n_edges,
        "components": int(graph.components().max()) + 1,
        "entropy": round(hypcse.structural_entropy(tree, graph), 4),
        "levels": [int(labels.max()) + 1 for labels in found],
        "main": found.n_clusters[found.main],
        "recall of neighbors": round(_recall(X), 4),
        **best,
    }
    return {"steps": steps, "facts": facts}


def _recall(X: NDArray[np.float32], n_neighbors: int = 10) -> float:
    """Share of the true neighbors that the search finds, of 1,000 points drawn anew."""
    from hypcse.graph import nearest_neighbors, scale_features
    from hypcse.graph.neighbors.exact import Queries, brute_force

    scaled = scale_features(X, "minmax")
    sample = np.random.default_rng(2).choice(len(X), min(1_000, len(X)), replace=False)
    farthest = np.sqrt(brute_force(scaled, n_neighbors, Queries.rows(scaled, sample))[1][:, -1:])
    return float((nearest_neighbors(scaled, n_neighbors).distances[sample] <= farthest).mean())


def _steps(X: NDArray[np.float32]) -> tuple[list[tuple[str, float, float]], Any, Any, Any]:
    import hypcse

    steps: list[tuple[str, float, float]] = []

    def timed(name: str, work: Any) -> Any:
        begin = time.perf_counter()
        result = work()
        peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
        steps.append((name, time.perf_counter() - begin, peak))
        print(f"{len(X):,} points, {name}: {steps[-1][1]:.1f} s", file=sys.stderr, flush=True)
        return result

    graph = timed("neighbor graph", lambda: hypcse.similarity_graph(X, bandwidth="median"))
    tree = timed("linkage", lambda: hypcse.graph_linkage(graph))
    tree = timed("refinement", lambda: hypcse.refine(tree, graph))
    joined = timed("join", lambda: hypcse.join_components(tree, graph, X, bridges=True))
    found = timed("levels", lambda: hypcse.levels(joined, graph))
    return steps, joined, graph, found


if __name__ == "__main__":
    print(json.dumps(measure(int(sys.argv[1]))))
