"""The experiments, declared as data in experiments.toml: rows x data sets x seeds, and what is measured."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, field
from importlib.resources import files
from importlib.util import find_spec
from typing import Any, Literal

from hypcse._checks import did_you_mean
from hypcse.datasets import available
from hypcse.paper.flat import FLAT_CASES, FlatCase
from hypcse.paper.hierarchies import CASES, Case, size_of
from hypcse.paper.settings import paper_data_sets

LARGE = ("spambase", "pen-digits")
"""Data sets on which random methods run with fewer seeds, to save time."""

_ALL: dict[str, Case | FlatCase] = {**CASES, **FLAT_CASES}
MADE = {name: case for name, case in _ALL.items() if name not in available()}
"""Data sets that are made, or scikit-learn's, by name."""
Neighbors = int | Literal["all"]
Kind = Literal["table", "sweep", "statistics", "disk", "growth", "planted", "flat", "labelled", "few"]


def made_size(name: str) -> int | None:
    """Number of points of a data set that is made, or scikit-learn's; None for one that `load` reads."""
    return MADE[name].n_points if name in MADE else size_of(name)


@dataclass(frozen=True)
class Row:
    """One line of a table: a method with options.

    printed        : name of the paper's row beside it, if there is one.
    paper_settings : whether to start from the authors' settings for the data set.
    classes        : the option that takes the number of classes, if the method needs it.
    neighbors      : in the graph of the method, or "all"; scores always use the standard graph.
    trains, random : whether it trains for epochs, and whether seeds matter.
    refined        : whether the method's tree is refined afterwards.
    graph_alone    : whether it works without features.
    needs, at      : an optional package that it requires, and the position of the row on the experiment's axis.
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
    graph_alone: bool = False
    needs: str = ""
    at: float | None = None

    @property
    def can_run(self) -> bool:
        return not self.needs or find_spec(self.needs) is not None


@dataclass(frozen=True)
class Experiment:
    """A table or a figure: its rows, its data sets, and what is measured.

    table   : the paper's table of printed figures; Dasgupta's cost is always that of Table 5.
    n_seeds : seeds of each random row; on large data sets `n_seeds_large`.
    kind    : how it is measured and shown; "planted" are trees of made hierarchies, "flat" is one partition, "labelled"
              classes from 30 % of the labels, "few" from a few of each class.
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
        if not self.varies(row, data):
            return range(1)
        return range(self.n_seeds_large if data in LARGE else self.n_seeds)

    def varies(self, row: Row, data: str) -> bool:
        """Whether seeds matter to a row on a data set: to all rows if the seed draws the data."""
        return row.random or (data in MADE and MADE[data].drawn)


def _read(name: str, fields: dict[str, Any]) -> Experiment:
    """An experiment from its section of the file."""
    cases = {"hierarchies": tuple(CASES), "flat": tuple(FLAT_CASES)}
    if isinstance(fields.get("data_sets"), str):
        fields["data_sets"] = cases[fields["data_sets"]]
    if "axis" in fields:
        fields = _sweep(**fields)
    rows = []
    for row in fields.pop("rows"):
        if row.get("method") == "hypcse":
            row = {"trains": True, "random": True, **row}
        if row.get("paper_settings"):
            row["options"] = {"preset": "paper", **row.get("options", {})}
        rows.append(Row(**row))
    lists = {key: tuple(value) for key, value in fields.items() if isinstance(value, list)}
    return Experiment(name, rows=tuple(rows), **{**fields, **lists})


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
EXPERIMENTS = tuple(_read(name, fields) for name, fields in tomllib.loads(_FILE.read_text(encoding="utf-8")).items())


def everything() -> tuple[Experiment, ...]:
    """All experiments in the order of the paper, except those that are part of another."""
    return tuple(declared for declared in EXPERIMENTS if not declared.within)


def experiment(name: str) -> Experiment:
    """The experiment of that name.

    Parameters
    ----------
    name
        Name of an experiment, such as table1.

    Returns
    -------
    Experiment
        Its rows, data sets and metrics.

    Examples
    --------
    >>> experiment("table2").rows[0].label
    'base'
    """
    known = {declared.name: declared for declared in EXPERIMENTS}
    if name not in known:
        guess = did_you_mean(name, known)
        raise ValueError(f"experiment {name!r} is not known.{guess} Choose one of {', '.join(known)}, or all.")
    return known[name]
