"""Tasks: the units of work of an experiment, or of a comparison of methods."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Sequence
from dataclasses import dataclass, field, fields, replace
from functools import cached_property
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from hypcse.datasets import describe
from hypcse.graph.features import learn_reduction, reduce_columns
from hypcse.paper.experiments import MADE, Experiment, Neighbors, Row, made_size
from hypcse.paper.settings import authors_options
from hypcse.points import Points

Record = dict[str, Any]
"""The record of a task: its fields, its scores or error, and where and when it ran."""

QUICK_EPOCHS = 2


@dataclass(frozen=True)
class Task:
    """One unit of work, shared by all experiments that need it: a method on a data set with a seed.

    kind      : "compare", or a kind of experiments, with "tree" for "table" and "sweep".
    neighbors : in the graph that the method sees, if not the standard's; "all" is complete.
    points    : to cluster instead of a data set; `points_hash` stands for them in the key.
    folder    : where their tree is written.
    """

    kind: str
    method: str
    data: str
    seed: int = 0
    options: dict[str, Any] = field(default_factory=dict)
    neighbors: Neighbors | None = None
    refined: bool = False
    points: Points | None = None
    points_hash: str | None = None
    folder: Path = Path()

    @cached_property
    def key(self) -> str:
        """A name that is the same for the same work."""
        text = json.dumps({**self.to_dict(), "file": self.points_hash}, sort_keys=True)
        digest = hashlib.sha256(text.encode()).hexdigest()[:12]
        return "/".join(part for part in (self.kind, self.method, self.data, str(self.seed), digest) if part)

    @property
    def size(self) -> int:
        if self.points is not None:
            return self.points.n_points
        return made_size(self.data) or describe(self.data).n_points

    def to_dict(self) -> dict[str, Any]:
        """The fields as records and keys have them, where the kind is called the task."""
        names = ("method", "data", "seed", "options", "neighbors", "refined")
        return {"task": self.kind, **{name: getattr(self, name) for name in names}}


def compare_tasks(points: Points, methods: Sequence[str], data: str, seed: int, folder: Path) -> list[Task]:
    """Methods on the same points, which `data` names; wide sparse features are reduced here, once for all methods."""
    components = learn_reduction(points.features)
    points = replace(points, features=np.ascontiguousarray(reduce_columns(points.features, components)), notes=())
    if components is not None:
        points = replace(points, feature_names=None, kinds=None)
    parts = [getattr(points, part.name) for part in fields(points) if part.name != "graph"]
    if points.graph is not None:
        parts += [points.graph.indptr, points.graph.indices, points.graph.weights, points.graph.self_weights]
    digest = hashlib.sha256()
    for array in map(np.asarray, parts):
        content = repr(array.tolist()).encode() if array.dtype == object else array.tobytes()
        digest.update(f"{array.shape} {array.dtype} ".encode() + content)
    shared: dict[str, Any] = {"points": points, "points_hash": digest.hexdigest(), "folder": folder}
    return [Task("compare", name, data, seed, **shared) for name in methods]


class Planned(NamedTuple):
    """A task, and the row of the experiment that it belongs to."""

    row: Row
    task: Task


def plan(
    experiment: Experiment, data_sets: Sequence[str] | None = None, n_seeds: int | None = None, quick: bool = False
) -> list[Planned]:
    """All tasks of an experiment, data set by data set.

    Parameters
    ----------
    experiment
        What is measured.
    data_sets
        Only these; by default all of the experiment's.
    n_seeds
        Seeds of each random row; by default what the experiment declares.
    quick
        A smoke run: the first two data sets, one seed and two epochs, unless data sets or seeds are given.

    Returns
    -------
    list of Planned
        The tasks, each with its row.

    Examples
    --------
    >>> from hypcse.paper import experiment
    >>> {planned.task.data for planned in plan(experiment("table2"), ["iris"], n_seeds=1)}
    {'iris'}
    """
    planned = []
    if data_sets is None:
        data_sets = (experiment.smoke or experiment.data_sets[:2]) if quick else experiment.data_sets
    kind = "tree" if experiment.kind in ("table", "sweep") else experiment.kind
    for data in dict.fromkeys(data_sets):
        case = MADE.get(data)
        for row in experiment.rows:
            # A graph has no features, and of noise the number of clusters is the answer.
            if case and ((not case.n_features and not row.graph_alone) or (case.n_clusters == 1 and row.classes)):
                continue
            seeds = experiment.seeds(row, data)
            if experiment.varies(row, data) and (quick or n_seeds is not None):
                seeds = range(1 if n_seeds is None else n_seeds)
            options = {**(authors_options(data) if row.paper_settings else {}), **row.options}
            if row.classes is not None:
                options[row.classes] = case.n_clusters if case else describe(data).n_classes
            if quick and row.trains:
                options["n_epochs"] = QUICK_EPOCHS
            tasks = [Task(kind, row.method, data, seed, options, row.neighbors, row.refined) for seed in seeds]
            planned += [Planned(row, task) for task in tasks]
    return planned
