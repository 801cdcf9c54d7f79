"""The experiments, declared as data."""

from __future__ import annotations

from hypcse._checks import did_you_mean
from hypcse.experiments.declared.clustering import CONTROL, DISKS, PAPER_ROW_ALONE, TABLE_1, TABLE_2, TABLE_4
from hypcse.experiments.declared.labels import FEW_LABELS, TABLE_3
from hypcse.experiments.declared.made import FLAT, GROWTH, HIERARCHIES
from hypcse.experiments.declared.model import Experiment, Row
from hypcse.experiments.declared.sweeps import SWEEPS

__all__ = ["EXPERIMENTS", "Experiment", "Row", "everything", "experiment"]

EXPERIMENTS = (
    TABLE_1,
    PAPER_ROW_ALONE,
    TABLE_2,
    TABLE_3,
    FEW_LABELS,
    TABLE_4,
    CONTROL,
    *SWEEPS,
    DISKS,
    GROWTH,
    HIERARCHIES,
    FLAT,
)


def everything() -> tuple[Experiment, ...]:
    """All experiments, except those that are part of another.

    Returns
    -------
    tuple of Experiment
        In the order of the paper.

    Examples
    --------
    >>> "table1" in [one.name for one in everything()]
    True
    """
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
    for declared in EXPERIMENTS:
        if declared.name == name:
            return declared
    names = [declared.name for declared in EXPERIMENTS]
    guess = did_you_mean(name, names)
    raise ValueError(f"experiment {name!r} is not known.{guess} Choose one of {', '.join(names)}, or all.")
