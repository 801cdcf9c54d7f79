"""What rows came to on data sets, beside the paper's figures."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from math import sqrt
from typing import Literal

import numpy as np

from hypcse.paper.experiments.model import Experiment, Row
from hypcse.paper.results.metrics import METRICS
from hypcse.paper.running.tasks import Planned, Record, Task
from hypcse.paper.settings import read_printed

Verdict = Literal["reproduced", "better", "not reproduced"]

PURITY_TOLERANCE = 0.5
"""Percentage points within which a purity or an accuracy counts as the printed one."""
COST_TOLERANCE = 0.01
"""Share of the printed figure within which an entropy or a cost counts as it."""
PAPER_SEEDS = 5
ENOUGH_SEEDS = 3
"""Seeds from which their spread counts."""
_OF_THE_RUN = ("seconds", "peak_mb")
"""Metrics that are not among the scores of a record."""
RULE = (
    f"A printed figure counts as reproduced when our mean is within {PURITY_TOLERANCE:g} percentage points (purity) or "
    f"{COST_TOLERANCE:.0%} (entropy, cost) of it; from {ENOUGH_SEEDS} seeds on also when it is within two standard "
    "errors of the difference, where both sides are taken to spread as our seeds do and the paper's figure to be a "
    f"mean of {PAPER_SEEDS}. Beyond that it is better or not reproduced, by the side on which ours lies."
)


@dataclass(frozen=True)
class Figure:
    """What a row came to on a data set: mean and deviation over the seeds, and what the paper prints of them.

    n_stopped : how many of the seeds ended at the time limit, with what they had by then.
    n_missing : how many were not run.
    """

    mean: float
    deviation: float
    n_seeds: int
    n_failed: int = 0
    n_stopped: int = 0
    paper: float | None = None
    verdict: Verdict | None = None
    n_missing: int = 0
    paper_deviation: float | None = None


Table = dict[str, dict[str, Figure]]
"""Figures by the row's label and by the data set."""
Values = Mapping[str, Mapping[str, float]]
"""Values by row and by data set; those that are not there are left out."""


@dataclass(frozen=True)
class Results:
    """An experiment, the tasks of it that were asked for, and the records that there are, by key.

    judged : whether figures are held against the paper's, which those of a smoke run are not.
    """

    experiment: Experiment
    planned: Sequence[Planned]
    records: Mapping[str, Record]
    judged: bool = True

    @property
    def finished(self) -> list[Record]:
        """Records of the planned tasks that were run."""
        return [self.records[task.key] for _, task in self.planned if task.key in self.records]

    @property
    def data_sets(self) -> list[str]:
        """Data sets with at least one record, in the order of the plan."""
        return list(dict.fromkeys(task.data for _, task in self.planned if task.key in self.records))

    def table(self, metric: str) -> Table:
        """All figures of one metric, by row and by data set."""
        groups: dict[str, dict[str, list[Task]]] = {}
        rows = {row.label: row for row, _ in self.planned}
        for row, task in self.planned:
            groups.setdefault(row.label, {}).setdefault(task.data, []).append(task)
        table: Table = {}
        for label, group in groups.items():
            for data, tasks in group.items():
                records = [self.records[task.key] for task in tasks if task.key in self.records]
                if records:
                    whole = figure(records, metric, self._paper(rows[label], metric, data))
                    verdict = whole.verdict if self.judged else None
                    spread = self._paper(rows[label], f"{metric}_deviation", data)
                    n_missing = len(tasks) - len(records)
                    whole = replace(whole, n_missing=n_missing, verdict=verdict, paper_deviation=spread)
                    table.setdefault(label, {})[data] = whole
        return table

    def ours(self, metric: str, *, complete: bool = False) -> Values:
        """Our means by row and by data set.

        complete : only those of figures without a missing or failed seed, which the figures of other rows can stand
                   beside: fewer seeds may be other data.
        """
        return _nest(
            (label, data, one.mean)
            for label, row in self.table(metric).items()
            for data, one in row.items()
            if not (complete and (one.n_missing or one.n_failed))
        )

    def paper(self, metric: str) -> Values:
        """The paper's figures by its own rows, and by data set."""
        names = {row.label: row.printed for row, _ in self.planned}
        return _nest(
            (names[label], data, one.paper) for label, row in self.table(metric).items() for data, one in row.items()
        )

    def _paper(self, row: Row, metric: str, data: str) -> float | None:
        source = "table5" if metric == "dasgupta_cost" else self.experiment.table
        return read_printed(source, metric, row.printed or "", data)


def _nest(values: Iterable[tuple[str | None, str, float | None]]) -> Values:
    grid: dict[str, dict[str, float]] = {}
    for row, data, value in values:
        if row is not None and value is not None and np.isfinite(value):
            grid.setdefault(row, {})[data] = value
    return grid


def figure(records: Sequence[Record], metric: str, paper: float | None = None) -> Figure:
    """Mean and deviation of one metric over records."""
    good = [record for record in records if "error" not in record]
    values = np.array([_value(record, metric) for record in good], dtype=float)
    n_failed = len(records) - len(good)
    if not good:
        return Figure(np.nan, np.nan, 0, n_failed, 0, paper)
    mean, deviation = float(values.mean()), float(values.std(ddof=1)) if values.size > 1 else 0.0
    n_stopped = sum(record.get("stopped", False) for record in good)
    judged = None if paper is None or np.isnan(mean) else verdict(metric, mean, deviation, len(good), paper)
    return Figure(mean, deviation, len(good), n_failed, n_stopped, paper, judged)


def verdict(metric: str, mean: float, deviation: float, n_seeds: int, paper: float) -> Verdict:
    """By `RULE`.

    >>> verdict("structural_entropy", 1.83, 0.0, 1, 1.822), verdict("dendrogram_purity", 98.6, 0.0, 1, 97.9)
    ('reproduced', 'better')
    """
    known = METRICS[metric]
    if known.unit == "count":
        return "reproduced" if mean == paper else "not reproduced"
    tolerance = PURITY_TOLERANCE if known.unit == "share" else COST_TOLERANCE * abs(paper)
    spread = 2 * deviation * sqrt(1 / n_seeds + 1 / PAPER_SEEDS) if n_seeds >= ENOUGH_SEEDS else 0.0
    bound = max(tolerance, spread)
    gain = mean - paper if known.higher else paper - mean
    if abs(gain) <= bound:
        return "reproduced"
    return "better" if gain > 0 else "not reproduced"


def best_two(table: Table, data: str, metric: str) -> list[list[str]]:
    """Labels of the best figure of a column and of the second, those that look the same as printed together."""
    known = METRICS[metric]
    shown = {
        label: round(row[data].mean, known.digits(row[data].mean))
        for label, row in table.items()
        if data in row and np.isfinite(row[data].mean)
    }
    values = sorted(set(shown.values()), reverse=known.higher)[:2]
    return [[label for label, value in shown.items() if value == wanted] for wanted in values]


def _value(record: Record, metric: str) -> float:
    # A hierarchy of few levels has no score at deeper ones.
    value = record[metric] if metric in _OF_THE_RUN else record["scores"].get(metric)
    return np.nan if value is None else METRICS[metric].factor * float(value)
