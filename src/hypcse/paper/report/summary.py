"""Metrics, what rows came to by them on data sets, beside the paper's figures, and how rows rank."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from math import inf, sqrt
from typing import Literal

import numpy as np
import pandas as pd

from hypcse.metrics import SCORES
from hypcse.paper.classifiers import FEW
from hypcse.paper.experiments import Experiment, Planned, Record, Row
from hypcse.paper.settings import read_printed


@dataclass(frozen=True)
class Metric:
    """What tables have figures of: its name in records, its phrase in a sentence, its unit, and if more is better."""

    name: str
    phrase: str
    unit: str
    higher: bool = False

    @property
    def title(self) -> str:
        name, comma, more = with_capital(self.phrase).partition(",")
        return f"{name}{ {'share': ' (percent)', 'MB': ' (MB)'}.get(self.unit, '') }{comma}{more}"

    def digits(self, value: float) -> int:
        if self.unit in ("count", "share"):
            return 0 if self.unit == "count" else 1
        return 3 if abs(value) < 100 else 1 if abs(value) < 10_000 else 0


def with_capital(text: str) -> str:
    return text[0].upper() + text[1:]


_COUNTS = ("points", "features", "classes", "distinct_points", "edges", "components")

METRICS = {
    metric.name: metric
    for metric in (
        *(Metric(score.name, score.phrase, score.unit, score.higher) for score in SCORES),
        Metric("accuracy", "accuracy, random splits", "share", True),
        Metric("accuracy_stratified", "accuracy, stratified splits", "share", True),
        *(Metric(f"accuracy_{n}", f"accuracy, {n} label{'s' * (n > 1)} per class", "share", True) for n in FEW),
        *(Metric(name, name.replace("_", " "), "count") for name in _COUNTS),
        Metric("seconds", "seconds", "seconds"),
        Metric("peak_mb", "peak memory", "MB"),
    )
}
"""Every metric by name."""


Verdict = Literal["reproduced", "better", "not reproduced"]

PURITY_TOLERANCE = 0.5
"""Percentage points within which a purity or an accuracy counts as the printed one."""
COST_TOLERANCE = 0.01
"""Share of the printed figure within which an entropy or a cost counts as it."""
PAPER_SEEDS = 5
ENOUGH_SEEDS = 3
"""Seeds from which their spread counts."""
RULE = (
    f"A printed figure counts as reproduced when our mean is within {PURITY_TOLERANCE:g} percentage points (purity) or "
    f"{COST_TOLERANCE:.0%} (entropy, cost) of it; from {ENOUGH_SEEDS} seeds on also when it is within two standard "
    "errors of the difference, where both sides are taken to spread as our seeds do and the paper's figure to be a "
    f"mean of {PAPER_SEEDS}. Beyond that it is better or not reproduced, by the side on which ours lies."
)


@dataclass(frozen=True)
class Figure:
    """Mean and deviation of a row on a data set, seeds that failed, stopped or did not run, and the paper's figure."""

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


@dataclass(frozen=True)
class Results:
    """An experiment, its plan, and its records by key; `judged`: whether figures are held against the paper's."""

    experiment: Experiment
    planned: Sequence[Planned]
    records: Mapping[str, Record]
    judged: bool = True

    @property
    def finished(self) -> list[Record]:
        return [self.records[task.key] for _, task in self.planned if task.key in self.records]

    @property
    def data_sets(self) -> list[str]:
        """Data sets with at least one record, in the order of the plan."""
        return list(dict.fromkeys(task.data for _, task in self.planned if task.key in self.records))

    @property
    def rows(self) -> dict[str, Row]:
        return {row.label: row for row, _ in self.planned}

    def table(self, metric: str) -> Table:
        rows, keys = self.rows, defaultdict[tuple[str, str], list[str]](list)
        for row, task in self.planned:
            keys[row.label, task.data].append(task.key)
        table: Table = {label: {} for label in rows}
        for (label, data), of_seeds in keys.items():
            records = [self.records[key] for key in of_seeds if key in self.records]
            if records:
                whole = figure(records, metric, self._printed(rows[label], metric, data))
                table[label][data] = replace(
                    whole,
                    n_missing=len(of_seeds) - len(records),
                    verdict=whole.verdict if self.judged else None,
                    paper_deviation=self._printed(rows[label], f"{metric}_deviation", data),
                )
        return {label: row for label, row in table.items() if row}

    def means(self, metric: str) -> pd.DataFrame:
        """Our means by row and by data set, without data sets that have none."""
        means = {label: {data: one.mean for data, one in row.items()} for label, row in self.table(metric).items()}
        return pd.DataFrame.from_dict(means, orient="index", dtype=float).dropna(axis=1, how="all")

    def _printed(self, row: Row, metric: str, data: str) -> float | None:
        source = "table5" if metric == "dasgupta_cost" else self.experiment.table
        return read_printed(source, metric, row.printed or "", data)


def figure(records: Sequence[Record], metric: str, paper: float | None = None) -> Figure:
    """Mean and deviation of one metric over records."""
    good = [record for record in records if "error" not in record]
    n_failed = len(records) - len(good)
    if not good:
        return Figure(np.nan, np.nan, 0, n_failed, 0, paper)
    numbers = [record[metric] if metric in record else record["scores"].get(metric) for record in good]
    values = (100 if METRICS[metric].unit == "share" else 1) * np.array(numbers, dtype=float)
    mean, deviation = float(values.mean()), float(values.std(ddof=1)) if values.size > 1 else 0.0
    n_stopped = sum(record.get("stopped", False) for record in good)
    judged = None if paper is None or np.isnan(mean) else verdict(metric, mean, deviation, len(good), paper)
    return Figure(mean, deviation, len(good), n_failed, n_stopped, paper, judged)


def verdict(metric: str, mean: float, deviation: float, n_seeds: int, paper: float) -> Verdict:
    """By `RULE`."""
    known = METRICS[metric]
    if known.unit == "count":
        return "reproduced" if mean == paper else "not reproduced"
    tolerance = PURITY_TOLERANCE if known.unit == "share" else COST_TOLERANCE * abs(paper)
    spread = 2 * deviation * sqrt(1 / n_seeds + 1 / PAPER_SEEDS) if n_seeds >= ENOUGH_SEEDS else 0.0
    gain = mean - paper if known.higher else paper - mean
    if abs(gain) <= max(tolerance, spread):
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


LEVEL = 0.05
MIN_ROWS = 6
"""Rows from which ranks say something."""
MIN_DATA_SETS = 3


@dataclass(frozen=True)
class Ranks:
    """Mean ranks, best first, the p of Friedman's test that all rows are alike, and Nemenyi's critical difference."""

    mean: dict[str, float]
    n_data_sets: int
    p_value: float
    difference: float


def mean_ranks(values: pd.DataFrame, metric: str) -> Ranks | None:
    """Ranks of the rows that have a value on every data set, equal values sharing theirs; None if too few do."""
    from scipy.stats import friedmanchisquare, studentized_range

    ranks = values.dropna().rank(ascending=not METRICS[metric].higher)
    k, n = ranks.shape
    if k < MIN_ROWS or n < MIN_DATA_SETS:
        return None
    p_value = float(friedmanchisquare(*ranks.to_numpy()).pvalue)
    difference = float(studentized_range.ppf(1 - LEVEL, k, inf)) / sqrt(2) * sqrt(k * (k + 1) / (6 * n))
    return Ranks(ranks.mean(axis=1).sort_values(kind="stable").to_dict(), n, p_value, difference)
