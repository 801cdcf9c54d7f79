"""How methods rank over data sets, and how far metrics agree about it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from math import inf, sqrt

import numpy as np

from hypcse.paper.results.metrics import METRICS
from hypcse.paper.results.summary import Values

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


def mean_ranks(values: Values, metric: str) -> Ranks | None:
    """Ranks of the rows that have a value on every data set, equal values sharing theirs.

    None where rows or data sets are too few to say anything.
    """
    from scipy.stats import friedmanchisquare, rankdata, studentized_range

    data_sets = list(dict.fromkeys(data for row in values.values() for data in row))
    labels = [label for label, row in values.items() if len(row) == len(data_sets)]
    k, n = len(labels), len(data_sets)
    if k < MIN_ROWS or n < MIN_DATA_SETS:
        return None
    matrix = np.array([[values[label][data] for data in data_sets] for label in labels])
    ranks = rankdata(_costs(matrix, metric), axis=0)
    mean = ranks.mean(axis=1)
    p_value = float(friedmanchisquare(*ranks).pvalue)
    difference = float(studentized_range.ppf(1 - LEVEL, k, inf)) / sqrt(2) * sqrt(k * (k + 1) / (6 * n))
    order = np.argsort(mean, kind="stable")
    return Ranks({labels[i]: float(mean[i]) for i in order}, n, p_value, difference)


@dataclass(frozen=True)
class Agreement:
    """Spearman's correlation of the orders that two metrics give, by data set, and over how many rows there."""

    first: str
    second: str
    correlation: dict[str, float]
    n_rows: dict[str, int]


def agreements(by_metric: Mapping[str, Values]) -> list[Agreement]:
    """For every two metrics; the best row is first in each, and rows count where both metrics have a value."""
    found = [_agreement(pair, [by_metric[metric] for metric in pair]) for pair in combinations(by_metric, 2)]
    return [one for one in found if one.correlation]


def _agreement(metrics: tuple[str, str], values: Sequence[Values]) -> Agreement:
    """NaN on a data set where a metric has all rows alike."""
    correlation, n_rows = {}, {}
    data_sets = dict.fromkeys(data for row in values[0].values() for data in row)
    for data in data_sets:
        rows = [label for label in values[0] if all(data in side.get(label, {}) for side in values)]
        if len(rows) >= MIN_ROWS:
            sides = [[side[label][data] for label in rows] for side in values]
            correlation[data] = _spearman(*(_costs(np.array(s), m) for s, m in zip(sides, metrics, strict=True)))
            n_rows[data] = len(rows)
    return Agreement(*metrics, correlation, n_rows)


def _spearman(x: np.ndarray, y: np.ndarray) -> float:
    from scipy.stats import spearmanr

    return float("nan") if np.ptp(x) == 0 or np.ptp(y) == 0 else float(spearmanr(x, y).statistic)


def _costs(values: np.ndarray, metric: str) -> np.ndarray:
    """Values of which low ones are good."""
    return -values if METRICS[metric].higher else values
