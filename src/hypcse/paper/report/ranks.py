"""How methods rank over data sets, how far metrics agree about it, and the tables of both."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from itertools import combinations
from math import inf, sqrt

import numpy as np
import pandas as pd

from hypcse.paper.report import figures
from hypcse.paper.report.summary import METRICS, Results, with_capital
from hypcse.paper.report.tables import Block, Heading, Picture, Text, data_head, grid_of

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

    def groups(self) -> list[tuple[str, str]]:
        """First and last row of each longest run of rows that do not differ."""
        labels, ranks = list(self.mean), np.array(list(self.mean.values()))
        runs: list[tuple[int, int]] = []
        for first in range(len(labels)):
            last = int(np.flatnonzero(ranks - ranks[first] < self.difference)[-1])
            if last > first and (not runs or last > runs[-1][1]):
                runs.append((first, last))
        return [(labels[first], labels[last]) for first, last in runs]


def mean_ranks(values: pd.DataFrame, metric: str) -> Ranks | None:
    """Ranks of the rows that have a value on every data set, equal values sharing theirs; None if too few do."""
    from scipy.stats import friedmanchisquare, studentized_range

    ranks = _costs(values, metric).dropna().rank()
    k, n = ranks.shape
    if k < MIN_ROWS or n < MIN_DATA_SETS:
        return None
    p_value = float(friedmanchisquare(*ranks.to_numpy()).pvalue)
    difference = float(studentized_range.ppf(1 - LEVEL, k, inf)) / sqrt(2) * sqrt(k * (k + 1) / (6 * n))
    return Ranks(ranks.mean(axis=1).sort_values(kind="stable").to_dict(), n, p_value, difference)


def agreements(values: Mapping[str, pd.DataFrame]) -> Iterator[tuple[str, str, pd.Series, pd.Series]]:
    """Two metrics, Spearman's correlation of their orders of the rows, and how many rows have both, by data set.

    The best row is first in each. Only data sets with enough rows; NaN where a metric has all rows alike.
    """
    costs = {metric: _costs(frame, metric) for metric, frame in values.items()}
    for first, second in combinations(costs, 2):
        x, y = costs[first].align(costs[second], join="left")
        counts = (x.notna() & y.notna()).sum()
        counts = counts[counts >= MIN_ROWS]
        if counts.size:
            both = (pd.concat([x[data], y[data]], axis=1) for data in counts.index)
            yield first, second, pd.Series([pair.corr("spearman").iat[0, 1] for pair in both], counts.index), counts


def _costs(values: pd.DataFrame, metric: str) -> pd.DataFrame:
    """Values of which low ones are good."""
    return -values if METRICS[metric].higher else values


def rank_tables(results: Results) -> Iterator[Block]:
    """Mean ranks by each metric, if enough rows have figures on enough data sets."""
    ranked = {metric: mean_ranks(results.ours(metric), metric) for metric in results.experiment.metrics}
    known = {metric: ranks for metric, ranks in ranked.items() if ranks is not None}
    if not known:
        return
    tests = "; ".join(
        f"{METRICS[metric].phrase}: {len(ranks.mean)} rows, {ranks.n_data_sets} data sets, p = {ranks.p_value:.2g}, "
        f"critical difference {ranks.difference:.2f}"
        for metric, ranks in known.items()
    )
    yield Heading("Mean ranks over data sets", 3)
    yield Text(
        "Of rows with a figure on all data sets. A small p, by Friedman's test, says that rows are not all alike. Two "
        f"rows differ at the level {LEVEL} when their mean ranks are further apart than Nemenyi's critical difference. "
        f"{with_capital(tests)}."
    )
    order = next(iter(known.values())).mean
    labels = dict.fromkeys(label for ranks in known.values() for label in ranks.mean)
    lines = [
        (label, *(f"{ranks.mean[label]:.2f}" if label in ranks.mean else "-" for ranks in known.values()))
        for label in sorted(labels, key=lambda label: order.get(label, np.inf))
    ]
    yield grid_of(("", *(METRICS[metric].title for metric in known)), lines)
    if figures.can_draw():
        for metric, ranks in known.items():
            name = f"{results.experiment.name}-ranks-{metric.replace('_', '-')}"
            caption = f"Mean ranks by {METRICS[metric].phrase}; bars join rows that do not differ."
            yield Picture(name, figures.rank_lines(name, ranks), caption)


def correlations(results: Results) -> Iterator[Block]:
    """How far metrics agree on the order of the rows, by our figures and by the paper's."""
    metrics, data_sets = results.experiment.metrics, results.data_sets
    lines = []
    for side, values in (("ours", results.ours), ("the paper's figures", results.paper)):
        for first, second, by_data, counts in agreements({metric: values(metric) for metric in metrics}):
            least, most = counts.min(), counts.max()
            correlation = [*by_data.reindex(data_sets), by_data.mean()]
            name = f"{with_capital(METRICS[first].phrase)} and {METRICS[second].phrase}, {side}"
            count = str(most) if least == most else f"{least} to {most}"
            lines.append((name, count, *(f"{value:.2f}" if np.isfinite(value) else "-" for value in correlation)))
    if not lines:
        return
    yield Heading("Rank correlation of metrics", 3)
    yield Text(
        "Spearman's correlation over rows, the best row being first in each metric: 1 when two metrics order the rows "
        "alike. Rows count on the data sets where both metrics have a figure."
    )
    yield grid_of(("", "rows", *map(data_head, data_sets), "mean"), lines)
