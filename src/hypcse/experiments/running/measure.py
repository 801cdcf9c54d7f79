"""Runs one task and makes its record."""

from __future__ import annotations

import math
import time
import warnings
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

from hypcse._checks import Interrupted, check_labels
from hypcse.experiments.declared.model import Neighbors
from hypcse.experiments.flat import FLAT_CASES, TOLD, FlatData, best_of_levels, flat_data, flat_scores, partition
from hypcse.experiments.hierarchies import CASES, make, planted_scores
from hypcse.experiments.labelled import score_few, score_splits
from hypcse.experiments.running.circumstances import describe_circumstances, peak_mb, reset_peak
from hypcse.experiments.running.growing import WARM_UP_POINTS, grow, grow_timed, warm_up
from hypcse.experiments.running.kept import keep_tree, read_points
from hypcse.experiments.running.tasks import Record, Task
from hypcse.experiments.synthetic import nested_gaussians, size_of

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from hypcse.graph import Graph
    from hypcse.tree import Tree

MAX_CUT = 200_000_000
"""Leaves times clusters up to which the best cut into so many clusters is searched for."""


def run_task(task: Task) -> Record:
    """The task, its scores, seconds, peak memory in MB, versions and machine; a failure is recorded as one.

    Parameters
    ----------
    task
        What to measure.

    Returns
    -------
    dict
        The record.

    Examples
    --------
    >>> from hypcse.experiments import Task
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
            found = _MEASURES[task.kind](task)
    except Interrupted:
        raise KeyboardInterrupt from None
    except Exception as error:  # Any error of a method is the task's result, and is recorded.
        told = {"error": f"{type(error).__name__}: {error}", "seconds": round(time.perf_counter() - begin, 3)}
        return {**record, **describe_circumstances(), **told}
    return {**record, **describe_circumstances(), **found, "peak_mb": peak_mb()}


def record_lost(task: Task) -> Record:
    """The record of a task whose process died, for example out of memory."""
    error = "the process that ran it ended without a word; most often memory ran out"
    return {"key": task.key, **task.to_dict(), **describe_circumstances(), "error": error, "seconds": 0.0}


def _tree(task: Task) -> dict[str, Any]:
    import hypcse

    X, y = _points(task)
    graph = hypcse.similarity_graph(X)
    tree, time_taken = grow_timed(task, X, graph if task.neighbors is None else _seen_graph(X, task.neighbors))
    return {"scores": _scores(tree, graph, y), **time_taken}


def _compared(task: Task) -> dict[str, Any]:
    """The tree of points in a file, its scores, and those of its cut into as many clusters as there are classes.

    The tree is written beside the points, as METHOD.nwk.
    """
    import hypcse

    assert task.file is not None
    points = read_points(task.file)
    graph = hypcse.similarity_graph(points)
    tree, time_taken = grow_timed(task, points, graph)
    clusters = None if points.labels is None else _cut_by_classes(tree, graph, points.labels)
    row = hypcse.score(tree, graph=graph, labels=points.labels, clusters=clusters)
    kept = keep_tree(tree.with_names(points.names), Path(task.file).parent / f"{task.method}.nwk")
    return {"scores": _finite(row), "tree": kept, **time_taken}


def _cut_by_classes(tree: Tree, graph: Graph, labels: Any) -> NDArray[np.int64] | None:
    """The cut of least entropy into as many clusters as there are classes; None where there are too many to look."""
    import hypcse

    n_classes = int(check_labels(labels, tree.n_leaves, allow_unknown=True).max(initial=-1)) + 1
    if not 1 <= n_classes <= MAX_CUT // tree.n_leaves:
        return None
    return hypcse.best_cut(tree, graph, n_clusters=n_classes)


def _seen_graph(X: Any, neighbors: Neighbors) -> Graph:
    """The graph that a method sees in place of the standard one."""
    import hypcse

    return hypcse.similarity_graph(X, max(len(X) - 1, 1) if neighbors == "all" else neighbors)


def _planted(task: Task) -> dict[str, Any]:
    """The tree of data that the seed draws, beside the partitions that were planted there."""
    case = CASES.get(task.data)
    if case is None:
        raise ValueError(f"{task.data!r} is not a generated hierarchy. See CASES.")
    data = make(case, task.seed)
    tree, time_taken = grow_timed(task, data.X, data.graph)
    return {"scores": planted_scores(tree, data.graph, data.partitions), **time_taken}


def _flat(task: Task) -> dict[str, Any]:
    """One partition beside the true one, and the levels that it was chosen among."""
    case = FLAT_CASES.get(task.data)
    if case is None:
        raise ValueError(f"{task.data!r} has no known partition. See FLAT_CASES.")
    data = flat_data(case, task.seed)
    _warm_up_flat(task.method)
    begin = time.perf_counter()
    found = partition(task.method, data, task.seed, **task.options)
    seconds = round(time.perf_counter() - begin, 3)
    levels = [flat_scores(data.y, labels) for labels in found.levels]
    scores = {**flat_scores(data.y, found.labels), **best_of_levels(levels)}
    return {"scores": scores, "levels": levels, "seconds": seconds}


def _labelled(task: Task) -> dict[str, Any]:
    """Share of the points whose class comes out right, from part of the labels."""
    from hypcse.datasets import load

    X, y = load(task.data)
    score = score_splits if task.kind == "labelled" else score_few
    begin = time.perf_counter()
    scores = score(task.method, X, check_labels(y, len(X)), task.seed, **task.options)
    return {"scores": scores, "seconds": round(time.perf_counter() - begin, 3)}


def _growth(task: Task) -> dict[str, Any]:
    """As for a tree, without the scores that take long, and with memory counted from here on."""
    import hypcse

    X, _ = _points(task)
    graph = hypcse.similarity_graph(X)
    warm_up(task.method, task.refined)
    reset_peak()
    begin = time.perf_counter()
    tree = grow(task, X, graph)
    seconds = time.perf_counter() - begin
    return {"scores": {"structural_entropy": hypcse.structural_entropy(tree, graph)}, "seconds": round(seconds, 3)}


def _disk(task: Task) -> dict[str, Any]:
    """The tree and its embedding, to be drawn."""
    import numpy as np

    import hypcse
    from hypcse.methods.clustering import estimator_of

    X, y = _points(task)
    graph = hypcse.similarity_graph(X)
    begin = time.perf_counter()
    model = estimator_of("hypcse", task.options, random_state=task.seed).fit(X, graph=graph)
    seconds = time.perf_counter() - begin
    picture = {
        "parent": model.tree_.parent.tolist(),
        "height": np.round(model.tree_.height, 6).tolist(),
        "embedding": np.round(np.asarray(model.embedding_, dtype=float), 6).tolist(),
        "classes": np.unique(y, return_inverse=True)[1].tolist(),
    }
    return {"scores": _scores(model.tree_, graph, y), "picture": picture, "seconds": round(seconds, 3)}


def _statistics(task: Task) -> dict[str, Any]:
    import numpy as np

    import hypcse

    begin = time.perf_counter()
    X, y = _points(task)
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
    import hypcse

    X, y = nested_gaussians(WARM_UP_POINTS)
    options = {"n_clusters": 2} if method in TOLD else {}
    partition(method, FlatData(X, hypcse.similarity_graph(X), y), 0, **options)


def _scores(tree: Tree, graph: Graph, y: Any) -> dict[str, float | None]:
    import hypcse

    return _finite(hypcse.score(tree, graph=graph, labels=y))


def _finite(row: dict[str, float]) -> dict[str, float | None]:
    return {name: value if math.isfinite(value) else None for name, value in row.items()}


def _points(task: Task) -> tuple[Any, Any]:
    import hypcse

    if task.file is not None:
        points = read_points(task.file)
        return points, points.labels
    size = size_of(task.data)
    return hypcse.datasets.load(task.data) if size is None else nested_gaussians(size)
