"""Runs one task and makes its record."""

from __future__ import annotations

import math
import os
import platform
import time
import warnings
from collections.abc import Callable
from datetime import UTC, datetime
from functools import cache
from importlib.metadata import version
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np

import hypcse
from hypcse._checks import Interrupted, check_labels
from hypcse.methods.clustering import estimator_of
from hypcse.paper.data import nested_gaussians, score_few, score_splits, size_of
from hypcse.paper.flat.cases import FLAT_CASES, FlatData, flat_data
from hypcse.paper.flat.methods import FLAT_METHODS, TOLD, best_of_levels, flat_scores
from hypcse.paper.hierarchies import CASES, make, planted_scores
from hypcse.paper.running.tasks import Record, Task
from hypcse.paper.running.trees import WARM_UP_POINTS, grow_timed, peak_mb, read_points, reset_peak, store_tree

MAX_CUT = 200_000_000
"""Leaves times clusters up to which the best cut into so many clusters is searched for."""


def run_task(task: Task) -> Record:
    """The task, its scores, seconds, peak memory in MB, versions and machine; a failure is recorded as one.

    >>> run_task(Task("tree", "ward", "optical-digits"))["scores"]["dendrogram_purity"] > 0.8
    True
    """
    record = {"key": task.key, **task.to_dict()}
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
        failure = {"error": f"{type(error).__name__}: {error}", "seconds": _since(begin)}
        return {**record, **describe_circumstances(), **failure}
    return {**record, **describe_circumstances(), **measures, "peak_mb": peak_mb()}


def record_lost(task: Task) -> Record:
    """The record of a task whose process died, for example out of memory."""
    error = "the process that ran it ended without a word; most often memory ran out"
    return {"key": task.key, **task.to_dict(), **describe_circumstances(), "error": error, "seconds": 0.0}


def describe_circumstances() -> dict[str, Any]:
    """The version of hypcse and of its libraries, the machine, the number of threads, and the time."""
    import numba

    # Of the installation, not of what this process has loaded: the same in every process.
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


def _tree(task: Task) -> dict[str, Any]:
    """Scores are on the standard graph, also where the method sees another one."""
    X, y = _points(task.data)
    graph = own = hypcse.similarity_graph(X)
    if task.neighbors is not None:
        own = hypcse.similarity_graph(X, max(len(X) - 1, 1) if task.neighbors == "all" else task.neighbors)
    tree, time_taken = grow_timed(task, X, own)
    return {"scores": _finite(hypcse.score(tree, graph=graph, labels=y)), **time_taken}


def _compared(task: Task) -> dict[str, Any]:
    """The tree of points in a file, its scores, and those of its cut of least entropy into as many clusters as classes.

    The tree is written beside the points, as METHOD.nwk.
    """
    assert task.file is not None
    points = read_points(task.file)
    graph, clusters = hypcse.similarity_graph(points), None
    tree, time_taken = grow_timed(task, points, graph)
    if points.labels is not None:
        n_classes = int(check_labels(points.labels, tree.n_leaves, allow_unknown=True).max(initial=-1)) + 1
        if 1 <= n_classes <= MAX_CUT // tree.n_leaves:
            clusters = hypcse.best_cut(tree, graph, n_clusters=n_classes)
    row = hypcse.score(tree, graph=graph, labels=points.labels, clusters=clusters)
    stored = store_tree(tree.with_names(points.names), Path(task.file).parent / f"{task.method}.nwk")
    return {"scores": _finite(row), "tree": stored, **time_taken}


def _planted(task: Task) -> dict[str, Any]:
    """The tree of data that the seed draws, beside the partitions that were planted there."""
    data = make(CASES[task.data], task.seed)
    tree, time_taken = grow_timed(task, data.X, data.graph)
    return {"scores": planted_scores(tree, data.graph, data.partitions), **time_taken}


def _growth(task: Task) -> dict[str, Any]:
    """As for a tree, without the scores that take long."""
    X, _ = _points(task.data)
    graph = hypcse.similarity_graph(X)
    tree, time_taken = grow_timed(task, X, graph)
    scores = {"structural_entropy": hypcse.structural_entropy(tree, graph)}
    return {"scores": scores, "seconds": time_taken["seconds"]}


def _flat(task: Task) -> dict[str, Any]:
    """One partition beside the true one, and the levels that it was chosen among."""
    data = flat_data(FLAT_CASES[task.data], task.seed)
    _warm_up_flat(task.method)
    begin = time.perf_counter()
    found = FLAT_METHODS[task.method](data, task.seed, **task.options)
    seconds = _since(begin)
    levels = [flat_scores(data.y, labels) for labels in found.levels]
    scores = {**flat_scores(data.y, found.labels), **best_of_levels(levels)}
    return {"scores": scores, "levels": levels, "seconds": seconds}


def _labelled(task: Task) -> dict[str, Any]:
    """Share of the points whose class comes out right, from part of the labels."""
    X, y = _points(task.data)
    score = score_splits if task.kind == "labelled" else score_few
    begin = time.perf_counter()
    scores = score(task.method, X, check_labels(y, len(X)), task.seed, **task.options)
    return {"scores": scores, "seconds": _since(begin)}


def _disk(task: Task) -> dict[str, Any]:
    """The tree and its embedding, to be drawn."""
    X, y = _points(task.data)
    graph = hypcse.similarity_graph(X)
    begin = time.perf_counter()
    model = estimator_of("hypcse", task.options, random_state=task.seed).fit(X, graph=graph)
    seconds = _since(begin)
    picture = {
        "parent": model.tree_.parent.tolist(),
        "height": np.round(model.tree_.height, 6).tolist(),
        "embedding": np.round(np.asarray(model.embedding_, dtype=float), 6).tolist(),
        "classes": np.unique(y, return_inverse=True)[1].tolist(),
    }
    scores = _finite(hypcse.score(model.tree_, graph=graph, labels=y))
    return {"scores": scores, "picture": picture, "seconds": seconds}


def _statistics(task: Task) -> dict[str, Any]:
    begin = time.perf_counter()
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
    return {"scores": {name: int(value) for name, value in scores.items()}, "seconds": _since(begin)}


_MEASURES: dict[str, Callable[[Task], dict[str, Any]]] = {
    "tree": _tree,
    "compare": _compared,
    "growth": _growth,
    "disk": _disk,
    "planted": _planted,
    "flat": _flat,
    "labelled": _labelled,
    "few": _labelled,
    "statistics": _statistics,
}


@cache
def _warm_up_flat(method: str) -> None:
    """Run a method that gives one partition on few points, once in a process."""
    X, y = nested_gaussians(WARM_UP_POINTS)
    options = {"n_clusters": 2} if method in TOLD else {}
    FLAT_METHODS[method](FlatData(X, hypcse.similarity_graph(X), y), 0, **options)


def _points(data: str) -> tuple[Any, Any]:
    size = size_of(data)
    return hypcse.datasets.load(data) if size is None else nested_gaussians(size)


def _finite(row: dict[str, float]) -> dict[str, float | None]:
    return {name: value if math.isfinite(value) else None for name, value in row.items()}


def _since(begin: float) -> float:
    """Seconds since a time, as records have them."""
    return round(time.perf_counter() - begin, 3)
