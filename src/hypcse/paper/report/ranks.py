"""How methods rank over data sets, and how far metrics agree about it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from itertools import combinations
from math import inf, sqrt

import numpy as np
import pandas as pd

from hypcse.paper.report.metrics import METRICS

LEVEL = 0.05
MIN_ROWS = 6
"""Rows from which ranks say something."""
MIN_DATA_SETS = 3


@dataclass(frozen=True)
class Ranks:
    """Mean ranks over data sets, best first.

    p_value    : of Friedman's test that all rows are alike.
    difference : Nemenyi's critical difference at the level 0.05; rows that are nearer do not differ.
    """

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


@dataclass(frozen=True)
class Agreement:
    """Spearman's correlation of the orders that two metrics give, by data set, and over how many rows there."""

    first: str
    second: str
    correlation: dict[str, float]
    n_rows: dict[str, int]


def agreements(values: Mapping[str, pd.DataFrame]) -> Iterator[Agreement]:
    """For every two metrics; the best row is first in each, and rows count if both metrics have a value.

    NaN on a data set where a metric has all rows alike.
    """
    costs = {metric: _costs(frame, metric) for metric, frame in values.items()}
    for pair in combinations(costs, 2):
        x, y = costs[pair[0]].align(costs[pair[1]], join="left")
        n_rows = {data: n for data, n in (x.notna() & y.notna()).sum().items() if n >= MIN_ROWS}
        if n_rows:
            both = {data: pd.concat([x[data], y[data]], axis=1) for data in n_rows}
            yield Agreement(*pair, {data: frame.corr("spearman").iat[0, 1] for data, frame in both.items()}, n_rows)


def _costs(values: pd.DataFrame, metric: str) -> pd.DataFrame:
    """Values of which low ones are good."""
    return -values if METRICS[metric].higher else values
