"""The trees of tasks: grown by a method and timed, stored as files; and the points that other processes read."""

from __future__ import annotations

import hashlib
import resource
import sys
import time
from functools import cache, partial
from io import BytesIO
from pathlib import Path
from typing import Any

import numpy as np

import hypcse
from hypcse._checks import is_missing
from hypcse.graph import Graph
from hypcse.graph.features import learn_reduction, reduce_columns
from hypcse.paper.data import nested_gaussians
from hypcse.paper.running.tasks import Task
from hypcse.points import Points
from hypcse.storage.whole import write_file
from hypcse.tree import Tree

LIMIT_SECONDS = 1200.0
"""Time after which a method that knows a limit is stopped."""

WARM_UP_POINTS = 300
GRAPH = ("indptr", "indices", "weights", "self_weights")
"""Parts of a graph."""


def grow(task: Task, X: Any, graph: Graph) -> Tree:
    """The tree that the task's method finds, refined where the task asks for it."""
    options = task.options
    if has_limit(task):
        options = {"max_seconds": LIMIT_SECONDS, **options}
    tree = hypcse.methods.run(task.method, X, graph=graph, random_state=task.seed, **options)
    if not task.refined:
        return tree
    searched = partial(hypcse.search_tree, graph, linkage=None, starts=[tree], random_state=task.seed)
    if X is None:
        return searched()
    points = Points.of(X)
    return searched(points.scaled(points.suited("minmax", 1.0)[0])[1], scale="none", metric=points.metric)


def grow_timed(task: Task, X: Any, graph: Graph) -> tuple[Tree, dict[str, Any]]:
    """The tree, and its seconds after a small run that compiles; memory is counted from there on too."""
    warm_up(task.method, task.refined)
    reset_peak()
    begin = time.perf_counter()
    tree = grow(task, X, graph)
    seconds = time.perf_counter() - begin
    return tree, {"stopped": has_limit(task) and seconds > LIMIT_SECONDS, "seconds": round(seconds, 3)}


def has_limit(task: Task) -> bool:
    """Whether the method of a task can be stopped after so many seconds."""
    return "max_seconds" in hypcse.methods.describe(task.method).options


@cache
def warm_up(method: str, refined: bool) -> None:
    """Run a method on few points, once in a process: what it compiles or loads is not its time."""
    X, _ = nested_gaussians(WARM_UP_POINTS)
    options = {"n_epochs": 1} if "n_epochs" in hypcse.methods.describe(method).options else {}
    grow(Task("tree", method, "", options=options, refined=refined), X, hypcse.similarity_graph(X))


def reset_peak() -> None:
    """Forget this process's highest memory, where the system can."""
    try:
        Path("/proc/self/clear_refs").write_text("5", encoding="ascii")
    except OSError:
        return


def peak_mb() -> float:
    """Highest memory of this process in MB since the last reset."""
    try:
        for line in Path("/proc/self/status").read_text(encoding="ascii").splitlines():
            if line.startswith("VmHWM:"):
                return round(int(line.split()[1]) / 1024, 1)
    except OSError:
        pass
    unit = 1024**2 if sys.platform == "darwin" else 1024
    return round(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / unit, 1)


def store_tree(tree: Tree, file: Path) -> dict[str, str]:
    """Write a tree as Newick, and return the file's name and what is in it, as records note it."""
    text = tree.to_newick() + "\n"
    write_file(file, text)
    return {"file": file.name, "sha256": hashlib.sha256(text.encode("utf-8", "replace")).hexdigest()}


def is_stored(record: dict[str, Any], folder: Path) -> bool:
    """Whether the tree that a record notes, if any, still lies in the folder as it was."""
    noted = record.get("tree")
    if noted is None:
        return True
    file = folder / Path(noted["file"]).name
    return file.is_file() and hashlib.sha256(file.read_bytes()).hexdigest() == noted["sha256"]


def store_points(points: Points, folder: Path) -> Path:
    """Write points to a file named by its content, so that other points are other tasks. Missing texts are empty."""
    features = reduce_columns(points.features, learn_reduction(points.features))
    facts = np.array([points.metric, str(points.one_scale), str(points.made_of_features)])
    parts = {"X": np.ascontiguousarray(features), "facts": facts}
    if points.labels is not None:
        parts["y"] = np.array(["" if is_missing(label) else str(label) for label in points.labels.tolist()])
    if points.names is not None:
        parts["names"] = np.array(points.names)
    if points.kinds is not None and len(points.kinds) == features.shape[1]:
        parts["kinds"] = np.array([kind or "" for kind in points.kinds])
    if points.graph is not None:
        parts |= {f"graph_{name}": getattr(points.graph, name) for name in GRAPH}
    digest = hashlib.sha256()
    for name, part in parts.items():
        digest.update(f"{name} {part.shape} {part.dtype}".encode() + part.tobytes())
    file = folder / f"points-{digest.hexdigest()[:12]}.npz"
    content = BytesIO()
    np.savez(content, allow_pickle=False, **parts)
    write_file(file, content.getvalue())
    return file


def read_points(file: str | Path) -> Points:
    """The points that `store_points` wrote."""
    with np.load(file, allow_pickle=False) as archive:
        texts = {name: archive[name].tolist() for name in ("y", "names", "kinds") if name in archive}
        metric, one_scale, made_of_features = archive["facts"].tolist()
        graph = [archive[f"graph_{name}"] for name in GRAPH if f"graph_{name}" in archive]
        return Points(
            archive["X"],
            Graph(*graph) if graph else None,
            names=tuple(texts["names"]) if "names" in texts else None,
            labels=np.array([label or None for label in texts["y"]], dtype=object) if "y" in texts else None,
            kinds=tuple(kind or None for kind in texts["kinds"]) if "kinds" in texts else None,
            metric=metric,
            one_scale=one_scale == "True",
            made_of_features=made_of_features == "True",
        )
