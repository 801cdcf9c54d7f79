"""How methods rank over data sets, and how far metrics agree about it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from itertools import combinations
from math import inf, sqrt

import numpy as np

from hypcse.experiments.summary import HIGHER_IS_BETTER, Table

Grid = Mapping[str, Mapping[str, float]]
"""Values by row and by data set."""

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
        found: list[tuple[int, int]] = []
        for first in range(len(labels)):
            last = int(np.flatnonzero(ranks - ranks[first] < self.difference)[-1])
            if last > first and (not found or last > found[-1][1]):
                found.append((first, last))
        return [(labels[first], labels[last]) for first, last in found]


def values(table: Table, paper: bool = False) -> Grid:
    """Our means, or the paper's figures, of rows that have one on every data set that the table has."""
    data_sets = {data for row in table.values() for data in row}
    grid = {}
    for label, row in table.items():
        shown = {data: figure.paper if paper else figure.mean for data, figure in row.items()}
        known = {data: value for data, value in shown.items() if value is not None and np.isfinite(value)}
        if known.keys() == data_sets:
            grid[label] = known
    return grid


def mean_ranks(grid: Grid, metric: str) -> Ranks | None:
    """Ranks of the rows, equal figures sharing theirs; None where rows or data sets are too few to say anything."""
    from scipy.stats import friedmanchisquare, studentized_range

    labels, ranks = _ranks(grid, metric)
    k, n = ranks.shape
    if k < MIN_ROWS or n < MIN_DATA_SETS:
        return None
    mean = ranks.mean(axis=1)
    order = np.argsort(mean, kind="stable")
    p_value = float(friedmanchisquare(*ranks).pvalue)
    difference = float(studentized_range.ppf(1 - LEVEL, k, inf)) / sqrt(2) * sqrt(k * (k + 1) / (6 * n))
    return Ranks({labels[i]: float(mean[i]) for i in order}, n, p_value, difference)


def agreement(first: tuple[str, Grid], second: tuple[str, Grid]) -> dict[str, float]:
    """Spearman's correlation of two metrics' ranks of the rows that both have, by data set; best is rank 1 in each.

    NaN on a data set where a metric has all rows alike.
    """
    common = [label for label in first[1] if label in second[1]]
    if len(common) < MIN_ROWS:
        return {}
    sides = [_ranks({label: grid[label] for label in common}, metric)[1] for metric, grid in (first, second)]
    data_sets = list(first[1][common[0]])
    return {data: _correlation(sides[0][:, k], sides[1][:, k]) for k, data in enumerate(data_sets)}


def _correlation(x: np.ndarray, y: np.ndarray) -> float:
    return float("nan") if np.ptp(x) == 0 or np.ptp(y) == 0 else float(np.corrcoef(x, y)[0, 1])


def agreements(grids: Mapping[str, Grid]) -> dict[tuple[str, str], dict[str, float]]:
    """The correlation for every two metrics."""
    found = {(a, b): agreement((a, grids[a]), (b, grids[b])) for a, b in combinations(grids, 2)}
    return {pair: by_data for pair, by_data in found.items() if by_data}


def _ranks(grid: Grid, metric: str) -> tuple[list[str], np.ndarray]:
    """Labels, and the rank of each in each data set, (rows, data sets)."""
    from scipy.stats import rankdata

    labels = list(grid)
    if not labels:
        return [], np.empty((0, 0))
    data_sets = list(grid[labels[0]])
    matrix = np.array([[grid[label][data] for data in data_sets] for label in labels])
    return labels, rankdata(-matrix if metric in HIGHER_IS_BETTER else matrix, axis=0)
