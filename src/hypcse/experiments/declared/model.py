"""The definition of an experiment: rows x data sets x seeds, and what is measured."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from importlib.util import find_spec
from typing import Any, Literal

from hypcse.experiments.paper_figures import paper_data_sets

LARGE = ("spambase", "pen-digits")
"""Data sets on which random methods run with fewer seeds, to save time."""

Neighbors = int | Literal["all"]


@dataclass(frozen=True)
class Row:
    """One line of a table: a method with options.

    Attributes
    ----------
    label
        Its name in the table.
    method
        A name of `hypcse.methods.available`.
    options
        Options of the method.
    printed
        Name of the paper's row beside it, if there is one.
    paper_settings
        Whether to start from the authors' settings for the data set.
    classes
        The option that takes the number of classes, if the method needs it.
    neighbors
        Number of neighbours of the method's graph, or "all" for the complete one; scores always use the standard graph.
    trains
        Whether it trains for epochs; `quick` shortens these.
    refined
        Whether the method's tree is refined by the discrete search.
    random
        Whether seeds matter.
    graph_alone
        Whether it works without features.
    needs
        An optional package that it requires.
    at
        Position of the row on the experiment's axis.

    Examples
    --------
    >>> Row("Ward", "ward").refined
    False
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
        """Whether the package that it needs is installed."""
        return not self.needs or find_spec(self.needs) is not None


@dataclass(frozen=True)
class Experiment:
    """A table or a figure: its rows, its data sets, and what is measured.

    Attributes
    ----------
    name, title
        Its name and its headline.
    rows
        The methods with their options.
    metrics
        Names of scores, dendrogram purity as a percentage.
    data_sets
        Names of data sets.
    table
        The paper's table that printed figures come from; Dasgupta's cost is always that of Table 5.
    n_seeds, n_seeds_large
        Seeds of each random row, on small and on large data sets.
    kind
        How it is measured and shown. "table": rows by data sets; "sweep": curves over `axis`;
        "statistics": of the data alone; "disk": trees in the Poincare disk; "growth": seconds by the number of
        points; "planted": trees of made hierarchies; "flat": one partition of each data set; "labelled": classes from
        30 % of the labels; "few": from a few of each class.
    axis
        What a sweep runs over.
    note
        A note for readers.
    redrawn
        Data sets that each seed draws again, so that seeds matter to every row.
    smoke
        Data sets of a smoke run; by default the first two.
    within
        The experiment that includes all its tasks, if there is one; `all` then leaves this one out.

    Examples
    --------
    >>> from hypcse.experiments import experiment
    >>> experiment("table2").metrics
    ('dendrogram_purity', 'structural_entropy')
    """

    name: str
    title: str
    rows: tuple[Row, ...]
    metrics: tuple[str, ...]
    data_sets: tuple[str, ...] = field(default_factory=paper_data_sets)
    table: str = "table1"
    n_seeds: int = 5
    n_seeds_large: int = 2
    kind: Literal["table", "sweep", "statistics", "disk", "growth", "planted", "flat", "labelled", "few"] = "table"
    axis: str = ""
    note: str = ""
    redrawn: tuple[str, ...] = ()
    smoke: tuple[str, ...] = ()
    within: str = ""

    @property
    def smoke_sets(self) -> tuple[str, ...]:
        """Data sets of a smoke run."""
        return self.smoke or self.data_sets[:2]

    def seeds(self, row: Row, data: str) -> range:
        """Seeds 0, 1, ... of a row on a data set.

        Parameters
        ----------
        row
            A row.
        data
            A data set.

        Returns
        -------
        range
            The seeds; one if they do not matter.
        """
        if not self.varies(row, data):
            return range(1)
        return range(self.n_seeds_large if data in LARGE else self.n_seeds)

    def varies(self, row: Row, data: str) -> bool:
        """Whether seeds matter to a row on a data set.

        Parameters
        ----------
        row
            A row.
        data
            A data set.

        Returns
        -------
        bool
            Whether more than one seed is run.
        """
        return row.random or data in self.redrawn
