"""Running one cell, and what is written down of it."""

from __future__ import annotations

import math
import os
import platform
import time
import warnings
from collections.abc import Callable
from dataclasses import asdict
from datetime import UTC, datetime
from functools import cache
from importlib.metadata import version
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any

from hypcse._checks import Interrupted, check_labels
from hypcse.experiments.cells import Cell
from hypcse.experiments.flat import TOLD, FlatData, best_of_levels, flat_case, flat_data, flat_scores, partition
from hypcse.experiments.hierarchies import case_of, make, planted_scores
from hypcse.experiments.kept import kept_points
from hypcse.experiments.labelled import few_scores, split_scores
from hypcse.experiments.model import Neighbors
from hypcse.experiments.synthetic import nested_gaussians, size_of

if TYPE_CHECKING:
    from hypcse.graph import Graph
    from hypcse.tree import Tree

MEASURED = ("seconds", "peak_mb", "when", "machine", "threads")
"""What differs between two runs of one cell."""

LIMIT_SECONDS = 1200.0
"""Time after which a method that knows a limit is stopped."""

WARM_UP_POINTS = 300


def run_cell(cell: Cell) -> dict[str, Any]:
    """The cell, its scores, seconds, peak memory in MB, versions and machine; a failure is recorded as one.

    Parameters
    ----------
    cell
        What to measure.

    Returns
    -------
    dict
        The record.

    Examples
    --------
    >>> from hypcse.experiments import Cell
    >>> run_cell(Cell("tree", "ward", "iris"))["scores"]["dendrogram_purity"] > 0.8
    True
    """

    record = {"key": cell.key, **asdict(cell)}
    _reset_peak()
    begin = time.perf_counter()
    try:
        with warnings.catch_warnings():
            # The estimator keeps what it has when it is interrupted, but half a training is no result here.
            warnings.simplefilter("error", Interrupted)
            found = _TASKS[cell.task](cell)
    except Interrupted:
        raise KeyboardInterrupt from None
    except Exception as error:  # Whatever a method raises is the cell's result, and is written down.
        told = {"error": f"{type(error).__name__}: {error}", "seconds": round(time.perf_counter() - begin, 3)}
        return {**record, **_circumstances(), **told}
    return {**record, **_circumstances(), **found, "peak_mb": _peak_mb()}


def lost_cell(cell: Cell) -> dict[str, Any]:
    """The record of a cell whose process died, as one that runs out of memory does."""
    error = "the process that ran it ended without a word; most often memory ran out"
    return {"key": cell.key, **asdict(cell), **_circumstances(), "error": error, "seconds": 0.0}


def _circumstances() -> dict[str, Any]:
    import numba
    import numpy as np

    import hypcse

    # Told of the installation, not of what this process has loaded: the same in every process.
    has_torch = find_spec("torch") is not None
    libraries = {"python": platform.python_version(), "numpy": np.__version__}
    return {
        "version": hypcse.__version__,
        "libraries": {**libraries, "torch": version("torch")} if has_torch else libraries,
        "machine": f"{platform.system()} {platform.machine()}, {os.cpu_count()} cores"
        + (", GPU" if has_torch and Path("/dev/nvidia0").exists() else ""),
        "threads": numba.get_num_threads(),
        "when": datetime.now(UTC).isoformat(timespec="seconds"),
    }


def _tree(cell: Cell) -> dict[str, Any]:
    import hypcse

    X, y = _points(cell)
    graph = hypcse.similarity_graph(X)
    tree, time_taken = _grow_timed(cell, X, graph if cell.neighbors is None else _seen_graph(X, cell.neighbors))
    return {"scores": _scores(tree, graph, y), **time_taken}


def _seen_graph(X: Any, neighbors: Neighbors) -> Graph:
    """The graph that a method sees in place of the standard one."""
    import hypcse

    return hypcse.similarity_graph(X, max(len(X) - 1, 1) if neighbors == "all" else neighbors)


def _planted(cell: Cell) -> dict[str, Any]:
    """The tree of data that the seed draws, beside the partitions that were planted there."""
    case = case_of(cell.data)
    if case is None:
        raise ValueError(f"{cell.data!r} is no made hierarchy. See CASES.")
    data = make(case, cell.seed)
    tree, time_taken = _grow_timed(cell, data.X, data.graph)
    return {"scores": planted_scores(tree, data.graph, data.partitions), **time_taken}


def _flat(cell: Cell) -> dict[str, Any]:
    """One partition beside the true one, and the levels that it was chosen among."""
    case = flat_case(cell.data)
    if case is None:
        raise ValueError(f"{cell.data!r} has no known partition. See FLAT_CASES.")
    data = flat_data(case, cell.seed)
    _warm_up_flat(cell.method)
    begin = time.perf_counter()
    found = partition(cell.method, data, cell.seed, **cell.options)
    seconds = round(time.perf_counter() - begin, 3)
    levels = [flat_scores(data.y, labels) for labels in found.levels]
    scores = {**flat_scores(data.y, found.labels), **best_of_levels(levels)}
    return {"scores": scores, "levels": levels, "seconds": seconds}


def _labelled(cell: Cell) -> dict[str, Any]:
    """Share of the points whose class comes out right, from part of the labels."""
    from hypcse.datasets import load

    X, y = load(cell.data)
    score = split_scores if cell.task == "labelled" else few_scores
    begin = time.perf_counter()
    scores = score(cell.method, X, check_labels(y, len(X)), cell.seed, **cell.options)
    return {"scores": scores, "seconds": round(time.perf_counter() - begin, 3)}


def _grow_timed(cell: Cell, X: Any, graph: Graph) -> tuple[Tree, dict[str, Any]]:
    """The tree, and its seconds after a small run that compiles."""
    _warm_up(cell.method, cell.refined)
    begin = time.perf_counter()
    tree = _grow(cell, X, graph)
    seconds = time.perf_counter() - begin
    return tree, {"stopped": _has_limit(cell) and seconds > LIMIT_SECONDS, "seconds": round(seconds, 3)}


def _growth(cell: Cell) -> dict[str, Any]:
    """As for a tree, without the scores that take long, and with memory counted from here on."""
    import hypcse

    X, _ = _points(cell)
    graph = hypcse.similarity_graph(X)
    _warm_up(cell.method, cell.refined)
    _reset_peak()
    begin = time.perf_counter()
    tree = _grow(cell, X, graph)
    seconds = time.perf_counter() - begin
    return {"scores": {"structural_entropy": hypcse.structural_entropy(tree, graph)}, "seconds": round(seconds, 3)}


def _disk(cell: Cell) -> dict[str, Any]:
    """The tree and its embedding, to be drawn."""
    import numpy as np

    import hypcse

    X, y = _points(cell)
    graph = hypcse.similarity_graph(X)
    begin = time.perf_counter()
    model = hypcse.HypCSE(random_state=cell.seed, **cell.options).fit(X, graph=graph)
    seconds = time.perf_counter() - begin
    picture = {
        "parent": model.tree_.parent.tolist(),
        "height": np.round(model.tree_.height, 6).tolist(),
        "embedding": np.round(np.asarray(model.embedding_, dtype=float), 6).tolist(),
        "classes": np.unique(y, return_inverse=True)[1].tolist(),
    }
    return {"scores": _scores(model.tree_, graph, y), "picture": picture, "seconds": round(seconds, 3)}


def _statistics(cell: Cell) -> dict[str, Any]:
    import numpy as np

    import hypcse

    begin = time.perf_counter()
    X, y = _points(cell)
    graph = hypcse.similarity_graph(X)
    scores = {
        "points": X.shape[0],
        "features": X.shape[1],
        "classes": np.unique(y).size,
        "distinct_points": np.unique(X, axis=0).shape[0],
        "edges": graph.n_edges,
        "components": np.unique(graph.components()).size,
    }
    counted = {name: int(value) for name, value in scores.items()}
    return {"scores": counted, "seconds": round(time.perf_counter() - begin, 3)}


_TASKS: dict[str, Callable[[Cell], dict[str, Any]]] = {
    "tree": _tree,
    "growth": _growth,
    "disk": _disk,
    "planted": _planted,
    "flat": _flat,
    "labelled": _labelled,
    "few": _labelled,
    "statistics": _statistics,
}


def _grow(cell: Cell, X: Any, graph: Graph) -> Tree:
    import hypcse

    options = cell.options
    if _has_limit(cell):
        options = {"max_seconds": LIMIT_SECONDS, **options}
    tree = hypcse.methods.run(cell.method, X, graph=graph, random_state=cell.seed, **options)
    if not cell.refined:
        return tree
    refined = hypcse.refine(tree, graph, random_state=cell.seed)
    if X is None:
        return refined
    points = hypcse.Points.of(X)
    scaled = points.scaled(points.suited("minmax", 1.0)[0])[1]
    return hypcse.join_components(refined, graph, scaled, scale="none", metric=points.metric, bridges=True)


def _has_limit(cell: Cell) -> bool:
    import hypcse

    return "max_seconds" in hypcse.methods.describe(cell.method).options


@cache
def _warm_up(method: str, refined: bool) -> None:
    """Run a method on few points, once in a process: what it compiles or loads is not its time."""
    import hypcse

    X, _ = nested_gaussians(WARM_UP_POINTS)
    options = {"n_epochs": 1} if "n_epochs" in hypcse.methods.describe(method).options else {}
    _grow(Cell("tree", method, "", options=options, refined=refined), X, hypcse.similarity_graph(X))


@cache
def _warm_up_flat(method: str) -> None:
    """The same for a method that gives one partition."""
    import hypcse

    X, y = nested_gaussians(WARM_UP_POINTS)
    options = {"n_clusters": 2} if method in TOLD else {}
    partition(method, FlatData(X, hypcse.similarity_graph(X), y), 0, **options)


def _scores(tree: Tree, graph: Graph, y: Any) -> dict[str, float | None]:
    import hypcse

    row = hypcse.score(tree, graph=graph, labels=y)
    return {name: value if math.isfinite(value) else None for name, value in row.items()}


def _points(cell: Cell) -> tuple[Any, Any]:
    import hypcse

    if cell.file is not None:
        points = kept_points(cell.file)
        return points, points.labels
    size = size_of(cell.data)
    return hypcse.datasets.load(cell.data) if size is None else nested_gaussians(size)


def _reset_peak() -> None:
    """Forget this process's highest memory, where the system can."""
    try:
        Path("/proc/self/clear_refs").write_text("5", encoding="ascii")
    except OSError:
        return


def _peak_mb() -> float:
    """Highest memory of this process in MB since the last reset."""
    import resource
    import sys

    try:
        for line in Path("/proc/self/status").read_text(encoding="ascii").splitlines():
            if line.startswith("VmHWM:"):
                return round(int(line.split()[1]) / 1024, 1)
    except OSError:
        pass
    unit = 1024**2 if sys.platform == "darwin" else 1024
    return round(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / unit, 1)
