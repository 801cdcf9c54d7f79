"""A task's tree, grown by its method, and the seconds that takes."""

from __future__ import annotations

import time
from functools import cache
from typing import TYPE_CHECKING, Any

from hypcse.experiments.running.tasks import Task
from hypcse.experiments.synthetic import nested_gaussians

if TYPE_CHECKING:
    from hypcse.graph import Graph
    from hypcse.tree import Tree

LIMIT_SECONDS = 1200.0
"""Time after which a method that knows a limit is stopped."""

WARM_UP_POINTS = 300


def grow(task: Task, X: Any, graph: Graph) -> Tree:
    """The tree that the task's method finds, refined where the task asks for it."""
    import hypcse

    options = task.options
    if has_limit(task):
        options = {"max_seconds": LIMIT_SECONDS, **options}
    tree = hypcse.methods.run(task.method, X, graph=graph, random_state=task.seed, **options)
    if not task.refined:
        return tree
    refined = hypcse.refine(tree, graph, random_state=task.seed)
    if X is None:
        return refined
    points = hypcse.Points.of(X)
    scaled = points.scaled(points.suited("minmax", 1.0)[0])[1]
    return hypcse.join_components(refined, graph, scaled, scale="none", metric=points.metric, bridges=True)


def grow_timed(task: Task, X: Any, graph: Graph) -> tuple[Tree, dict[str, Any]]:
    """The tree, and its seconds after a small run that compiles."""
    warm_up(task.method, task.refined)
    begin = time.perf_counter()
    tree = grow(task, X, graph)
    seconds = time.perf_counter() - begin
    return tree, {"stopped": has_limit(task) and seconds > LIMIT_SECONDS, "seconds": round(seconds, 3)}


def has_limit(task: Task) -> bool:
    """Whether the method of a task can be stopped after so many seconds."""
    import hypcse

    return "max_seconds" in hypcse.methods.describe(task.method).options


@cache
def warm_up(method: str, refined: bool) -> None:
    """Run a method on few points, once in a process: what it compiles or loads is not its time."""
    import hypcse

    X, _ = nested_gaussians(WARM_UP_POINTS)
    options = {"n_epochs": 1} if "n_epochs" in hypcse.methods.describe(method).options else {}
    grow(Task("tree", method, "", options=options, refined=refined), X, hypcse.similarity_graph(X))
