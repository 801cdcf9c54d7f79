"""The experiments, declared as data."""

from __future__ import annotations

from hypcse._checks import did_you_mean
from hypcse.paper.experiments.clustering import CONTROL, DISKS, PAPER_ROW_ALONE, SWEEPS, TABLE_1, TABLE_2, TABLE_4
from hypcse.paper.experiments.made import FEW_LABELS, FLAT, GROWTH, HIERARCHIES, TABLE_3
from hypcse.paper.experiments.model import Experiment

EXPERIMENTS = (
    *(TABLE_1, PAPER_ROW_ALONE, TABLE_2, TABLE_3, FEW_LABELS, TABLE_4, CONTROL),
    *SWEEPS,
    *(DISKS, GROWTH, HIERARCHIES, FLAT),
)


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
