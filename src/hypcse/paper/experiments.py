"""The experiments, declared as data in experiments.toml, and tasks: their units of work, and those of a comparison."""

from __future__ import annotations

import hashlib
import json
import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from functools import cached_property
from importlib.resources import files
from pathlib import Path
from typing import Any, Literal, NamedTuple

import numpy as np

from hypcse._checks import did_you_mean
from hypcse.datasets import describe
from hypcse.graph.features import learn_reduction, reduce_columns
from hypcse.paper.settings import authors_options, paper_data_sets
from hypcse.points import Points

LARGE = ("spambase", "pen-digits")
"""Data sets on which random methods run with fewer seeds, to save time."""

_NESTED = "nested-gaussians-"
"""Before the number of points, the name of data that is made."""
Neighbors = int | Literal["all"]
Kind = Literal["table", "sweep", "statistics", "disk", "growth", "labelled", "few"]


def size_of(name: str) -> int | None:
    """Number of points of the nested Gaussians of a name, at least 2; None for any other name."""
    size = name.removeprefix(_NESTED)
    return int(size) if size != name and size.isdecimal() and int(size) > 1 else None


@dataclass(frozen=True)
class Row:
    """One line of a table: a method with options.

    printed        : name of the paper's row beside it, if there is one.
    paper_settings : whether to start from the authors' settings for the data set.
    classes        : the option that takes the number of classes, if the method needs it.
    neighbors      : in the graph of the method, or "all"; scores always use the standard graph.
    trains, random : whether it trains for epochs, and whether seeds matter.
    refined        : whether the method's tree is refined afterwards.
    at             : the position of the row on the experiment's axis.
    """

    label: str
    method: str = ""
    options: Mapping[str, Any] = field(default_factory=dict)
    printed: str | None = None
    paper_settings: bool = False
    classes: str | None = None
    neighbors: Neighbors | None = None
    trains: bool = False
    refined: bool = False
    random: bool = False
    at: float | None = None


@dataclass(frozen=True)
class Experiment:
    """A table or a figure: its rows, its data sets, and what is measured.

    table   : the paper's table of printed figures; Dasgupta's cost is always that of Table 5.
    n_seeds : seeds of each random row; on large data sets `n_seeds_large`.
    kind    : how it is measured and shown; "labelled" are classes from 30 % of the labels, "few" from a few of each.
    smoke   : data sets of a smoke run; by default the first two.
    within  : the experiment that includes all its tasks; `all` then leaves this one out.
    """

    name: str
    title: str
    rows: tuple[Row, ...]
    metrics: tuple[str, ...]
    data_sets: tuple[str, ...] = field(default_factory=paper_data_sets)
    table: str = "table1"
    n_seeds: int = 5
    n_seeds_large: int = 2
    kind: Kind = "table"
    axis: str = ""
    note: str = ""
    smoke: tuple[str, ...] = ()
    within: str = ""

    def seeds(self, row: Row, data: str) -> range:
        """Seeds 0, 1, ... of a row on a data set; one if they do not matter."""
        if not row.random:
            return range(1)
        return range(self.n_seeds_large if data in LARGE else self.n_seeds)


def _read(name: str, section: dict[str, Any]) -> Experiment:
    """An experiment from its section of the file."""
    if "axis" in section:
        section = _sweep(**section)
    rows = []
    for row in section.pop("rows"):
        if row.get("method") == "hypcse":
            row = {"trains": True, "random": True, **row}
        if row.get("paper_settings"):
            row["options"] = {"preset": "paper", **row.get("options", {})}
        rows.append(Row(**row))
    lists = {key: tuple(value) for key, value in section.items() if isinstance(value, list)}
    return Experiment(name, rows=tuple(rows), **{**section, **lists})


def _sweep(axis: str, option: str, values: list[float], data_sets: list[str], note: str = "") -> dict[str, Any]:
    """HypCSE in paper mode with one option at several values."""
    rows: list[dict[str, Any]] = []
    for value in values:
        # Scores are on the standard graph of 10 neighbors, whatever the method sees.
        neighbors = value if option == "n_neighbors" and value != 10 else None
        shared = {"method": "hypcse", "paper_settings": True, "at": float(value), "neighbors": neighbors}
        rows.append({"label": f"{axis} = {value:g}", "options": {option: value}, **shared})
    about = f"Three seeds, one on spambase. The paper prints neither figures nor its grid; the values are ours. {note}"
    shown = {"title": f"Sensitivity to {axis}", "axis": axis, "note": about.strip(), "kind": "sweep", "table": "none"}
    metrics = ("dendrogram_purity", "structural_entropy")
    return {**shown, "rows": rows, "metrics": metrics, "data_sets": data_sets, "n_seeds": 3, "n_seeds_large": 1}


_FILE = files("hypcse.paper").joinpath("experiments.toml")
EXPERIMENTS = tuple(_read(name, section) for name, section in tomllib.loads(_FILE.read_text(encoding="utf-8")).items())


def everything() -> tuple[Experiment, ...]:
    """All experiments in the order of the paper, except those that are part of another."""
    return tuple(declared for declared in EXPERIMENTS if not declared.within)


def experiment(name: str) -> Experiment:
    """The experiment of that name, such as table1."""
    known = {declared.name: declared for declared in EXPERIMENTS}
    if name not in known:
        guess = did_you_mean(name, known)
        raise ValueError(f"experiment {name!r} is not known.{guess} Choose one of {', '.join(known)}, or all.")
    return known[name]


Record = dict[str, Any]
"""The record of a task: its fields, its scores or error, and where and when it ran."""

QUICK_EPOCHS = 2


@dataclass(frozen=True)
class Task:
    """One unit of work, shared by all experiments that need it: a method on a data set with a seed.

    kind   : "compare", or a kind of experiments, with "tree" for "table" and "sweep".
    points : to cluster instead of a data set; their tree is written into `folder`, and their hash is part of the key.
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
        return size_of(self.data) or describe(self.data).n_points

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
    """All tasks of an experiment, data set by data set, or only these data sets, or so many seeds.

    quick : a smoke run of the first two data sets, one seed and two epochs, unless data sets or seeds are given.
    """
    planned = []
    if data_sets is None:
        data_sets = (experiment.smoke or experiment.data_sets[:2]) if quick else experiment.data_sets
    kind = "tree" if experiment.kind in ("table", "sweep") else experiment.kind
    for data in dict.fromkeys(data_sets):
        for row in experiment.rows:
            seeds = experiment.seeds(row, data)
            if row.random and (quick or n_seeds is not None):
                seeds = range(1 if n_seeds is None else n_seeds)
            options = {**(authors_options(data) if row.paper_settings else {}), **row.options}
            if row.classes is not None:
                options[row.classes] = describe(data).n_classes
            if quick and row.trains:
                options["n_epochs"] = QUICK_EPOCHS
            tasks = [Task(kind, row.method, data, seed, options, row.neighbors, row.refined) for seed in seeds]
            planned += [Planned(row, task) for task in tasks]
    return planned
