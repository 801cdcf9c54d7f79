"""Noise with the columns of a table: one cloud, whatever groups the table holds."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import isotonic_regression
from scipy.special import ndtr, ndtri
from scipy.stats import rankdata

from hypcse.graph.features import FEW_VALUES

N_KNOTS = 40
"""About how many quantiles describe a column."""
SHORTEST = 8
"""The mode of a column lies in the shortest interval that holds one in so many values."""


class Cloud(NamedTuple):
    """A normal distribution whose columns are bent to the shapes of other columns: a Gaussian copula.

    axes      : (r, d) r independent normal numbers times these have the correlations of the table's normal scores.
    quantiles : for each column, values and the shares of the noise below them; linear in between.
    """

    axes: NDArray[np.float64]
    quantiles: tuple[tuple[NDArray[np.float64], NDArray[np.float64]], ...]

    def draw(self, n: int, rng: np.random.Generator) -> NDArray[np.float64]:
        """A table of n rows."""
        shares = ndtr(rng.normal(size=(n, len(self.axes))) @ self.axes)
        return np.column_stack(
            [np.interp(u, below, values) for u, (values, below) in zip(shares.T, self.quantiles, strict=True)]
        )


def cloud_like(points: NDArray[np.float64]) -> Cloud:
    """One cloud as like a table as one cloud can be.

    Each column has the unimodal distribution nearest to that of the table's column. A column of few different values
    keeps them, so that the steps between its values are no structure. Rank correlations are those of the table.
    O(n d min(n, d)).
    """
    n, d = points.shape
    scores = ndtri((rankdata(points, axis=0) - 0.5) / n)
    deviation = scores.std(axis=0)
    scores = (scores - scores.mean(axis=0)) / np.where(deviation > 0, deviation, 1.0) / np.sqrt(n)
    if d <= n:
        variances, directions = np.linalg.eigh(scores.T @ scores)
        scores = (directions * np.sqrt(np.maximum(variances, 0.0))).T
    return Cloud(scores, tuple(_unimodal(column) for column in np.sort(points, axis=0).T))


def dip(column: NDArray[np.float64]) -> float:
    """How far values are from one mode: the largest difference to the shares of the nearest unimodal distribution.

    In doublings. Nearly the dip of Hartigan and Hartigan, whose unimodal distribution is the nearest in this sense.
    """
    ordered = np.sort(column)
    knots, below = _unimodal(ordered)
    values = np.unique(ordered)
    return float(np.log2(np.abs(_shares(ordered, values) - np.interp(values, knots, below)).max()))


def _shares(ordered: NDArray[np.float64], values: NDArray[np.float64]) -> NDArray[np.float64]:
    """The share of sorted numbers below each value, equal ones by half."""
    below, up_to = (np.searchsorted(ordered, values, side=side) for side in ("left", "right"))
    return (below + up_to) / (2 * ordered.size)


def _unimodal(column: NDArray[np.float64]) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Quantiles of the unimodal distribution nearest to sorted values."""
    values, counts = np.unique(column, return_counts=True)
    if values.size <= FEW_VALUES:
        share = np.repeat(np.cumsum(_up_and_down(counts, np.ones(counts.size), int(counts.argmax()))), 2)
        return np.repeat(values, 2), np.append(0.0, share[:-1])
    last = column.size - 1
    ranks = np.linspace(0, last, N_KNOTS + 1).astype(np.int64)
    # Knots at the ends of a long tail too, or it would be drawn too heavy.
    tail = 2 ** np.arange(int(np.log2(ranks[1] + 1)) + 1) - 1
    knots = np.unique(column[np.concatenate([ranks, tail, last - tail])])
    window = column.size // SHORTEST
    middle = column[int(np.argmin(column[window:] - column[:-window])) + window // 2]
    mode = min(int(np.searchsorted(knots, middle, side="right")) - 1, knots.size - 2)
    share = np.cumsum(_up_and_down(np.diff(_shares(column, knots)), np.diff(knots), mode))
    return knots, np.append(0.0, share)


def _up_and_down(counts: NDArray[Any], widths: NDArray[np.float64], mode: int) -> NDArray[np.float64]:
    """Shares of the bins with the nearest density that increases up to one bin and decreases after it."""
    density = counts / widths
    up = isotonic_regression(density[: mode + 1], weights=widths[: mode + 1]).x
    down = isotonic_regression(density[mode:], weights=widths[mode:], increasing=False).x
    mass = np.append(np.append(up[:-1], max(up[-1], down[0])), down[1:]) * widths
    return mass / mass.sum()
