"""Runs one task and makes its record."""

from __future__ import annotations

import hashlib
import math
import os
import platform
import re
import time
import warnings
from collections.abc import Callable
from contextlib import suppress
from datetime import UTC, datetime
from functools import cache
from importlib.metadata import version
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np

import hypcse
from hypcse._checks import Interrupted, check_labels
from hypcse.estimators.preparing import prepare
from hypcse.graph import Graph
from hypcse.graph.similarity import GraphOptions
from hypcse.methods.clustering import estimator_of
from hypcse.paper.classifiers import score_labeled
from hypcse.paper.experiments import Record, Task, size_of
from hypcse.points import Points
from hypcse.storage.files import write_file
from hypcse.tree import Tree

LIMIT_SECONDS = 1200.0
"""Time after which a method that knows a limit is stopped."""
WARM_UP_POINTS = 300
MAX_CUT = 200_000_000
"""Leaves times clusters up to which the best cut into so many clusters is searched for."""


def run_task(task: Task) -> Record:
    """The task, its scores, seconds, peak memory in MB, versions and machine; a failure is recorded as one."""
    record = describe(task)
    reset_peak()
    begin = time.perf_counter()
    try:
        with warnings.catch_warnings():
            # An interrupted estimator keeps what it has, but half a training run is not a result here.
            warnings.simplefilter("error", Interrupted)
            measures = _MEASURES[task.kind](task)
    except Interrupted:
        raise KeyboardInterrupt from None
    except Exception as error:  # Any error of a method is the task's result, and is recorded.
        return {**record, "error": f"{type(error).__name__}: {error}", "seconds": _since(begin)}
    return {**record, "seconds": _since(begin), **measures, "peak_mb": peak_mb()}


def record_lost(task: Task) -> Record:
    """The record of a task whose process died, for example out of memory."""
    error = "the process that ran it ended without a word; most often memory ran out"
    return {**describe(task), "error": error, "seconds": 0.0}


def describe(task: Task) -> Record:
    """The task, the version of hypcse and of its libraries, the machine, the number of threads, and the time."""
    import numba

    # Of the installation, not of what this process has loaded: the same in every process.
    has_torch = find_spec("torch") is not None
    libraries = {"python": platform.python_version(), "numpy": np.__version__}
    hidden = os.environ.get("CUDA_VISIBLE_DEVICES") == ""
    gpu = ", GPU" if has_torch and not hidden and Path("/dev/nvidia0").exists() else ""
    return {
        "key": task.key,
        **task.to_dict(),
        "version": hypcse.__version__,
        "libraries": {**libraries, "torch": version("torch")} if has_torch else libraries,
        "machine": f"{platform.system()} {platform.machine()}, {os.cpu_count()} cores{gpu}",
        "threads": numba.get_num_threads(),
        "when": datetime.now(UTC).isoformat(timespec="seconds"),
    }


def grow(task: Task, X: Any, graph: Graph) -> Tree:
    """The tree of the task's method, refined if the task says so."""
    options = {**({"max_seconds": LIMIT_SECONDS} if has_limit(task) else {}), **task.options}
    tree = hypcse.methods.run(task.method, X, graph=graph, random_state=task.seed, **options)
    if not task.refined:
        return tree
    return prepare(Points.of(X, graph), GraphOptions()).search(task.seed, linkage=None, starts=[tree])


def grow_timed(task: Task, X: Any, graph: Graph) -> tuple[Tree, dict[str, Any]]:
    """The tree, and its seconds after a small run that compiles; memory is counted from there on too."""
    _warm_up(task.method, task.refined)
    reset_peak()
    begin = time.perf_counter()
    tree, seconds = grow(task, X, graph), _since(begin)
    return tree, {"stopped": has_limit(task) and seconds > LIMIT_SECONDS, "seconds": seconds}


def has_limit(task: Task) -> bool:
    """Whether the method of a task can be stopped after so many seconds."""
    return "max_seconds" in hypcse.methods.describe(task.method).options


@cache
def _warm_up(method: str, refined: bool) -> None:
    """Run a method on few points, once in a process: what it compiles or loads is not its time."""
    X, _ = nested_gaussians(WARM_UP_POINTS)
    options = {"n_epochs": 1} if "n_epochs" in hypcse.methods.describe(method).options else {}
    grow(Task("tree", method, "", options=options, refined=refined), X, hypcse.similarity_graph(X))


def reset_peak() -> None:
    """Forget this process's highest memory, where the system can."""
    with suppress(OSError):
        Path("/proc/self/clear_refs").write_text("5", encoding="ascii")


def peak_mb() -> float | None:
    """Highest memory of this process in MB since the last reset; None where the system does not say."""
    with suppress(OSError):
        known = re.search(r"VmHWM:\s*(\d+)", Path("/proc/self/status").read_text(encoding="ascii"))
        return round(int(known[1]) / 1024, 1) if known else None
    return None


def is_stored(record: Record, folder: Path) -> bool:
    """Whether the tree that a record names, if any, still lies in the folder as it was."""
    if "tree" not in record:
        return True
    file = folder / Path(record["tree"]["file"]).name
    return file.is_file() and hashlib.sha256(file.read_bytes()).hexdigest() == record["tree"]["sha256"]


def _tree(task: Task) -> dict[str, Any]:
    """Scores are on the standard graph, even if the method sees another one."""
    X, y = _points(task.data)
    graph = own = hypcse.similarity_graph(X)
    if task.neighbors is not None:
        own = hypcse.similarity_graph(X, max(len(X) - 1, 1) if task.neighbors == "all" else task.neighbors)
    tree, time_taken = grow_timed(task, X, own)
    return {"scores": _finite(hypcse.score(tree, graph=graph, labels=y)), **time_taken}


def _compared(task: Task) -> dict[str, Any]:
    """The tree of points, its scores, and those of its cut of least entropy into as many clusters as classes."""
    points = task.points
    assert points is not None
    graph, clusters = hypcse.similarity_graph(points), None
    tree, time_taken = grow_timed(task, points, graph)
    if points.labels is not None:
        n_classes = int(check_labels(points.labels, tree.n_leaves, allow_unknown=True).max(initial=-1)) + 1
        if 1 <= n_classes <= MAX_CUT // tree.n_leaves:
            clusters = hypcse.best_cut(tree, graph, n_clusters=n_classes)
    scores = _finite(hypcse.score(tree, graph=graph, labels=points.labels, clusters=clusters))
    file, text = f"{task.method}.nwk", tree.with_names(points.names).to_newick() + "\n"
    write_file(task.folder / file, text)
    digest = hashlib.sha256(text.encode("utf-8", "replace")).hexdigest()
    return {"scores": scores, "tree": {"file": file, "sha256": digest}, **time_taken}


def _growth(task: Task) -> dict[str, Any]:
    """As for a tree, without the scores that take long."""
    X, _ = _points(task.data)
    graph = hypcse.similarity_graph(X)
    tree, time_taken = grow_timed(task, X, graph)
    return {"scores": {"structural_entropy": hypcse.structural_entropy(tree, graph)}, "seconds": time_taken["seconds"]}


def _labeled(task: Task) -> dict[str, Any]:
    """Share of the points whose class comes out right, from part of the labels."""
    X, y = _points(task.data)
    few, y = task.kind == "few", check_labels(y, len(X))
    return {"scores": score_labeled(task.method, X, y, task.seed, few=few, **task.options)}


def _disk(task: Task) -> dict[str, Any]:
    X, y = _points(task.data)
    graph = hypcse.similarity_graph(X)
    model = estimator_of("hypcse", task.options, random_state=task.seed).fit(X, graph=graph)
    picture = {
        "parent": model.tree_.parent.tolist(),
        "height": np.round(model.tree_.height, 6).tolist(),
        "embedding": np.round(np.asarray(model.embedding_, dtype=float), 6).tolist(),
        "classes": np.unique(y, return_inverse=True)[1].tolist(),
    }
    return {"scores": _finite(hypcse.score(model.tree_, graph=graph, labels=y)), "picture": picture}


def _statistics(task: Task) -> dict[str, Any]:
    X, y = _points(task.data)
    graph = hypcse.similarity_graph(X)
    scores = {
        "points": X.shape[0],
        "features": X.shape[1],
        "classes": np.unique(y).size,
        "distinct_points": np.unique(X, axis=0).shape[0],
        "edges": graph.n_edges,
        "components": np.unique(graph.components()).size,
    }
    return {"scores": {name: int(value) for name, value in scores.items()}}


_MEASURES: dict[str, Callable[[Task], dict[str, Any]]] = {
    "tree": _tree,
    "compare": _compared,
    "growth": _growth,
    "disk": _disk,
    "labelled": _labeled,
    "few": _labeled,
    "statistics": _statistics,
}


def _points(data: str) -> tuple[Any, Any]:
    size = size_of(data)
    return hypcse.datasets.load(data) if size is None else nested_gaussians(size)


def nested_gaussians(n_points: int) -> tuple[Any, Any]:
    """Points of 25 Gaussians in 16 columns, five in each of five groups, and the Gaussian of each."""
    rng = np.random.default_rng(0)
    groups = 8 * rng.normal(size=(5, 1, 16))
    centers = (groups + 3 * rng.normal(size=(5, 5, 16))).reshape(25, 16)
    y = rng.integers(0, 25, n_points)
    return centers[y] + rng.normal(size=(n_points, 16)), y


def _finite(row: dict[str, float]) -> dict[str, float | None]:
    return {name: value if math.isfinite(value) else None for name, value in row.items()}


def _since(begin: float) -> float:
    return round(time.perf_counter() - begin, 3)
