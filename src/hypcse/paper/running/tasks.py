"""Tasks: the units of work of an experiment."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Sequence
from dataclasses import asdict, dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any, NamedTuple

from hypcse.datasets import describe
from hypcse.paper.data import has_features, is_noise, made_size, number_of_classes
from hypcse.paper.experiments.model import Experiment, Neighbors, Row
from hypcse.paper.settings import authors_options

Record = dict[str, Any]
"""The record of a task: its fields, its scores or error, and where and when it ran."""

QUICK_EPOCHS = 2


@dataclass(frozen=True)
class Task:
    """One unit of work, shared by all experiments that need it: a method on a data set with a seed.

    kind      : what is measured: "compare", or a kind of experiments, with "tree" for "table" and "sweep".
    options   : options of the method, all of them.
    neighbors : neighbors in the graph that the method sees, where they are not the standard's; "all" is complete.
    refined   : whether the method's tree is refined.
    file      : points that `store_points` wrote, in place of a data set's name; its name identifies its content.
    """

    kind: str
    method: str
    data: str
    seed: int = 0
    options: dict[str, Any] = field(default_factory=dict)
    neighbors: Neighbors | None = None
    refined: bool = False
    file: str | None = None

    @cached_property
    def key(self) -> str:
        """A name that is the same for the same work."""
        work = {**self.to_dict(), "file": None if self.file is None else Path(self.file).name}
        text = json.dumps(work, sort_keys=True)
        digest = hashlib.sha256(text.encode()).hexdigest()[:12]
        return "/".join(part for part in (self.kind, self.method, self.data, str(self.seed), digest) if part)

    @property
    def size(self) -> int:
        """Number of points, as far as it is known before they are read."""
        if self.file is not None:
            return 0
        return made_size(self.data) or describe(self.data).n_points

    def to_dict(self) -> dict[str, Any]:
        """The fields as records and keys have them, where the kind is called the task."""
        fields = asdict(self)
        return {"task": fields.pop("kind"), **fields}


class Planned(NamedTuple):
    """A task, and the row of the experiment that it belongs to."""

    row: Row
    task: Task


_KINDS = {"table": "tree", "sweep": "tree"}
"""Kinds of tasks by kinds of experiments, where they differ."""


def plan(
    experiment: Experiment,
    data_sets: Sequence[str] | None = None,
    n_seeds: int | None = None,
    quick: bool = False,
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
    usual = (experiment.smoke or experiment.data_sets[:2]) if quick else experiment.data_sets
    kind = _KINDS.get(experiment.kind, experiment.kind)
    for data in dict.fromkeys(usual if data_sets is None else data_sets):
        for row in _rows(experiment, data):
            seeds = experiment.seeds(row, data)
            if experiment.varies(row, data) and (quick or n_seeds is not None):
                seeds = range(1 if n_seeds is None else n_seeds)
            options = _options(row, data, quick)
            tasks = [Task(kind, row.method, data, seed, options, row.neighbors, row.refined) for seed in seeds]
            planned += [Planned(row, task) for task in tasks]
    return planned


def _rows(experiment: Experiment, data: str) -> list[Row]:
    """Rows that apply to a data set: a graph has no features, and of noise the number of clusters is the answer."""
    rows = [row for row in experiment.rows if row.graph_alone or has_features(data)]
    return [row for row in rows if row.classes is None or not is_noise(data)]


def _options(row: Row, data: str, quick: bool) -> dict[str, Any]:
    """Options of a row on a data set, in full."""
    options = {**(authors_options(data) if row.paper_settings else {}), **row.options}
    if row.classes is not None:
        options[row.classes] = number_of_classes(data)
    if quick and row.trains:
        options["n_epochs"] = QUICK_EPOCHS
    return options
