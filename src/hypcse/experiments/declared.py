"""The experiments, declared as data: rows x data sets x seeds."""

from __future__ import annotations

import difflib
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from hypcse.experiments.printed import paper_data_sets

LARGE = ("spambase", "pen-digits")
"""Data sets that random methods see fewer seeds of, for time."""


@dataclass(frozen=True)
class Row:
    """One line of a table: a method with options.

    printed        : name of the paper's row beside it, where there is one.
    paper_settings : whether the authors' settings for the data set come first.
    trains         : whether it trains for epochs, which `quick` shortens.
    refined        : whether the method's tree is refined by the discrete search.
    random         : whether seeds matter.
    """

    label: str
    method: str
    options: Mapping[str, Any] = field(default_factory=dict)
    printed: str | None = None
    paper_settings: bool = False
    trains: bool = False
    refined: bool = False
    random: bool = False


@dataclass(frozen=True)
class Experiment:
    """A table: its rows, its data sets, and what is measured.

    table   : the paper's table that printed figures come from; Dasgupta's cost is always that of Table 5.
    metrics : names of scores, dendrogram purity as a percentage.
    """

    name: str
    title: str
    rows: tuple[Row, ...]
    metrics: tuple[str, ...]
    data_sets: tuple[str, ...] = field(default_factory=paper_data_sets)
    table: str = "table1"
    n_seeds: int = 5
    n_seeds_large: int = 2

    def seeds(self, row: Row, data: str) -> range:
        """Seeds 0, 1, ... of a row on a data set."""
        return range(1 if not row.random else self.n_seeds_large if data in LARGE else self.n_seeds)


def _hypcse(label: str, printed: str | None = None, paper: bool = False, **options: Any) -> Row:
    given = {"preset": "paper", **options} if paper else options
    return Row(label, "hypcse", given, printed, paper_settings=paper, trains=True, random=True)


_PAPER_ROW = _hypcse("HypCSE, paper mode", "hypcse", paper=True)
_DEFAULT_ROW = _hypcse("HypCSE, default")
_BOTH = ("dendrogram_purity", "structural_entropy")

# The nine of the paper, then ours, then what the paper left out.
_TABLE_1 = (
    Row("SingleLinkage", "single-linkage", printed="single-linkage"),
    Row("BKM", "bisecting-kmeans", printed="bisecting-kmeans", random=True),
    Row("HDBSCAN", "hdbscan", printed="hdbscan"),
    Row("HCSE", "hcse", printed="hcse"),
    Row("SpecWRSC", "spec-wrsc", printed="spec-wrsc", random=True),
    Row("DPClusterHSBM", "dp-cluster-hsbm", printed="dp-cluster-hsbm", random=True),
    Row("UFit", "ufit", printed="ufit", random=True),
    Row("HypHC", "hyphc", printed="hyphc", random=True),
    Row("FPH", "fph", printed="fph", random=True),
    _PAPER_ROW,
    _DEFAULT_ROW,
    Row("Ward", "ward"),
    Row("average linkage", "average-linkage"),
    Row("graph-average", "graph-average"),
    Row("graph-paris", "graph-paris"),
    Row("graph-average, refined", "graph-average", refined=True),
)

EXPERIMENTS = (
    Experiment("table1", "Every method on the seven data sets", _TABLE_1, (*_BOTH, "dasgupta_cost")),
    Experiment("paper-row", "HypCSE with the authors' settings", (_PAPER_ROW,), _BOTH),
    Experiment(
        "table2",
        "Ablation: graph learning (GL) and contrastive learning (CL)",
        (
            _hypcse("base", "base", paper=True, learn_graph=False, contrast_weight=0.0),
            _hypcse("base + GL", "base-gl", paper=True, contrast_weight=0.0),
            _hypcse("base + CL", "base-cl", paper=True, learn_graph=False),
            _hypcse("base + GL + CL", "base-gl-cl", paper=True),
        ),
        _BOTH,
        data_sets=("zoo", "iris", "wine", "breast-cancer", "optical-digits"),
        table="table2",
    ),
    Experiment(
        "control",
        "What training adds: the same decoding from trained and from untrained encoders",
        (
            Row("untrained, decoded", "untrained", {"polish": False}, random=True),
            _hypcse("trained, decoded", refine=False),
            Row("untrained, refined", "untrained", random=True),
            _hypcse("trained, refined (default)"),
            Row("graph-average, refined", "graph-average", refined=True),
        ),
        _BOTH,
    ),
)


def experiment(name: str) -> Experiment:
    """The experiment of that name.

    >>> experiment("table2").rows[0].label
    'base'
    """
    for declared in EXPERIMENTS:
        if declared.name == name:
            return declared
    names = [declared.name for declared in EXPERIMENTS]
    near = difflib.get_close_matches(str(name), names, n=1)
    guess = f" Did you mean {near[0]!r}?" if near else ""
    raise ValueError(f"experiment {name!r} is not known.{guess} Choose one of {', '.join(names)}.")
