"""Whether a table has more structure than one cloud of points, and on which columns that rests."""

from __future__ import annotations

from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy import sparse
from scipy.optimize import isotonic_regression
from scipy.special import ndtr, ndtri
from scipy.stats import rankdata

from hypcse._random import generator
from hypcse.graph.neighbors.precomputed import distance_blocks
from hypcse.kernels.arrays import Flags, Floating, Ids, Reals
from hypcse.partitions.evidence import CLEAR_SCORE, LEAST_SCORE, MIN_POINTS, UNTESTED, Structure, judge
from hypcse.partitions.separation import separation, telling_columns

MAX_POINTS = 1000
"""Number of points that are tested together."""
LEAST_APART = 0.75
"""Smallest excess in doublings that counts as structure, however significant."""
SPREAD = 0.1
"""Smallest standard deviation of chance, in doublings, that a few draws can measure; 1 / m^2 in few dimensions m."""
N_DRAWS = (3, 5, 10, 20)
"""Numbers of draws after which the answer may be plain enough."""
PLAIN_SCORE = 2 * CLEAR_SCORE
"""The score from which no more draws are needed."""
DOUBT = 2.0
"""After the first few draws, the excess must be so many times below or above the least one."""
N_KNOTS = 40
"""About how many quantiles describe a column."""
SHORTEST = 8
"""The mode of a column lies in the shortest interval that holds one in so many values."""
FOUND = ("weak", "clear")
FEW_VALUES = 10
"""A column with at most so many different values says which kind a row is, as a coin or a year does."""


def table_structure(points: Floating, rng: np.random.Generator) -> Structure:
    """Test a sample of the points, and if it shows nothing, the neighbors of one of them."""
    n = len(points)
    whole = points if n <= MAX_POINTS else points[rng.choice(n, MAX_POINTS, replace=False)]
    of_all = _of_columns(_centered(whole), rng)
    if of_all.found or n <= MAX_POINTS:
        return of_all
    # A sample of all points thins out clusters of a few points each.
    squares = np.square(points - points[rng.integers(n)]).sum(axis=1)
    of_few = _of_columns(_centered(points[np.argpartition(squares, MAX_POINTS)[:MAX_POINTS]]), rng)
    return of_few if of_few.word == "clear" else of_all


def _centered(points: Floating) -> Reals:
    """Points around 0 and at most 1 from it, because single precision has limits and separations have no unit."""
    centered = points.astype(np.float64) - points.mean(axis=0, dtype=np.float64)
    # A power of two, so that the division is exact.
    return np.ldexp(centered, -np.frexp(np.abs(centered).max())[1])


class _Test(NamedTuple):
    """A comparison with noise: the answer, the draws, and which distinct rows are in the part farthest out."""

    answer: Structure
    draws: list[Reals]
    part: Flags


def _of_columns(points: Reals, rng: np.random.Generator) -> Structure:
    """Test points, and see on which columns the answer rests."""
    if not points.any():
        return Structure("none", 0.0, 0.0)
    test, columns = _first_found(points, rng)
    answer = test.answer
    if answer.word == "none":
        return replace(answer, rests_on=_steps(points))
    if answer.word == "untested":
        return answer
    if points.shape[1] == 1:
        return replace(answer, rests_on=(0,))
    telling = columns
    if columns.size > 1:
        telling = columns[telling_columns(np.unique(points[:, columns], axis=0), test.part)]
    if telling.size != 1 or few_valued(points[:, telling]).any():
        return answer
    rest = np.delete(points, telling, axis=1)
    if _is_plain(rest, test.draws):
        return answer
    others, _ = _first_found(rest, rng)
    return answer if others.answer.word in FOUND else replace(answer, rests_on=(int(telling[0]),))


def _first_found(points: Reals, rng: np.random.Generator) -> tuple[_Test, Ids]:
    """The structure of the columns of many values or, if there is none, of all columns; and these columns."""
    few = few_valued(points)
    columns = np.arange(len(few))
    if few.any() and not few.all():
        test = _against_noise(points[:, ~few], rng)
        if test.answer.word in FOUND:
            return test, columns[~few]
    return _against_noise(points, rng), columns


def _against_noise(points: Reals, rng: np.random.Generator) -> _Test:
    """Compare the separation of points with that of as many draws of noise as it takes."""
    distinct = np.unique(points, axis=0)
    draws: list[Reals] = []
    if len(distinct) < MIN_POINTS:
        return _Test(UNTESTED, draws, np.zeros(len(distinct), np.bool_))
    if points.shape[1] > 1:
        points = distinct
    else:
        # Along a line, values are often rounded, and equal ones are no copies, unless all are.
        values, counts = np.unique(points, return_counts=True)
        points = np.repeat(values, counts // np.gcd.reduce(counts))[:, None]
    own, part, spread = _apart(points)
    least = max(LEAST_APART, LEAST_SCORE * spread)
    noise = cloud_like(points)
    answer = UNTESTED
    for n_draws in N_DRAWS:
        while len(draws) < n_draws:
            draws.append(_apart(noise.draw(len(points), rng), own.size)[0])
        answer = judge(own, np.array(draws), least=least, spread=spread)
        doubt = DOUBT if n_draws == N_DRAWS[0] else 1.0
        if answer.excess * doubt < least or (answer.score >= PLAIN_SCORE and answer.excess >= doubt * least):
            break
    return _Test(answer, draws, part)


def _is_plain(points: Reals, draws: list[Reals]) -> bool:
    """Whether columns of many values are so far beyond the noise of a similar table that no own draws are needed."""
    if points.shape[1] == 1 or few_valued(points).any():
        return False
    own, _, spread = _apart(np.unique(points, axis=0), draws[0].size)
    least = DOUBT * max(LEAST_APART, LEAST_SCORE * spread)
    answer = judge(own, np.array(draws), least=least, spread=spread)
    return answer.found and answer.score >= PLAIN_SCORE


def _apart(points: Reals, n_scales: int | None = None) -> tuple[Reals, Flags, float]:
    """How far apart the parts of points are, in doublings, the part farthest out, and the least deviation in noise."""
    if points.shape[1] == 1:
        # Along a line, a single point in a gap joins its neighbors; but there, shares say more than gaps.
        return np.array([dip(points[:, 0])]), np.ones(len(points), np.bool_), SPREAD
    values, part, dimension = separation(np.unique(points, axis=0), n_scales)
    return values, part, max(SPREAD, dimension**-2)


def _steps(points: Reals) -> tuple[int, ...]:
    """The columns of few values each of which sets rows apart that the columns of many values do not."""
    few = few_valued(points)
    if len(np.unique(points[:, ~few], axis=0)) < MIN_POINTS or not few.any():
        return ()

    def apart(columns: Flags) -> float:
        return separation(np.unique(points[:, columns], axis=0), 1).values[0]

    least = apart(~few) + LEAST_APART
    if apart(np.ones_like(few)) < least:
        return ()
    return tuple(int(k) for k in np.flatnonzero(few) if apart(~few | (np.arange(few.size) == k)) >= least)


def few_valued(X: NDArray[Any]) -> Flags:
    """Which columns have few different values (at most 10), shape (d,)."""
    steps = np.diff(np.sort(X, axis=0), axis=0) > 0
    return np.count_nonzero(steps, axis=0) < FEW_VALUES


def classical_coordinates(distances: Any, rng: np.random.Generator | None = None) -> Reals | None:
    """Points that approximate the given distances, by classical scaling; None for sparse distances.

    Of more than `MAX_POINTS` points, as many are landmarks, and the others are placed by their distances to these.
    """
    if sparse.issparse(distances):
        return None
    n, blocks = distance_blocks(distances)
    rng = generator(0, "landmarks") if rng is None else rng
    landmarks = np.sort(rng.permutation(n)[:MAX_POINTS])
    to_landmarks = np.concatenate([rows[:, landmarks] for _, rows in blocks])
    squares = np.square(to_landmarks / (to_landmarks[landmarks].max() or 1.0))
    between = squares[landmarks]
    means = between.mean(axis=0)
    values, axes = np.linalg.eigh(-0.5 * (between - means - means[:, None] + means.mean()))
    # Values ascend; the last one stays even if all points are equal.
    used = values > 1e-9 * max(float(values[-1]), 0.0)
    used[-1] = True
    root = np.sqrt(np.maximum(values[used], 0.0))
    return (
        -0.5 * (squares - means) @ np.divide(axes[:, used], root, where=root > 0, out=np.zeros((used.size, root.size)))
    )


class Cloud(NamedTuple):
    """A normal distribution whose columns are bent to the shapes of other columns: a Gaussian copula.

    axes      : (r, d) r independent normal numbers times these have the correlations of the table's normal scores.
    quantiles : for each column, values and the shares of the noise below them; linear in between.
    """

    axes: Reals
    quantiles: tuple[tuple[Reals, Reals], ...]

    def draw(self, n: int, rng: np.random.Generator) -> Reals:
        """A table of n rows."""
        shares = ndtr(rng.normal(size=(n, len(self.axes))) @ self.axes)
        return np.column_stack(
            [np.interp(u, below, values) for u, (values, below) in zip(shares.T, self.quantiles, strict=True)]
        )


def cloud_like(points: Reals) -> Cloud:
    """One cloud as like a table as one cloud can be: rank correlations are those of the table. O(n d min(n, d)).

    Each column has the unimodal distribution nearest to that of the table's column; few different values stay.
    """
    n, d = points.shape
    scores = ndtri((rankdata(points, axis=0) - 0.5) / n)
    deviation = scores.std(axis=0)
    scores = (scores - scores.mean(axis=0)) / np.where(deviation > 0, deviation, 1.0) / np.sqrt(n)
    if d <= n:
        variances, directions = np.linalg.eigh(scores.T @ scores)
        scores = (directions * np.sqrt(np.maximum(variances, 0.0))).T
    return Cloud(scores, tuple(_unimodal(column) for column in np.sort(points, axis=0).T))


def dip(column: Reals) -> float:
    """How far values are from one mode, in doublings: nearly the dip of Hartigan and Hartigan."""
    ordered = np.sort(column)
    knots, below = _unimodal(ordered)
    values = np.unique(ordered)
    return float(np.log2(np.abs(_shares(ordered, values) - np.interp(values, knots, below)).max()))


def _shares(ordered: Reals, values: Reals) -> Reals:
    """The share of sorted numbers below each value, equal ones by half."""
    below, up_to = (np.searchsorted(ordered, values, side=side) for side in ("left", "right"))
    return (below + up_to) / (2 * ordered.size)


def _unimodal(column: Reals) -> tuple[Reals, Reals]:
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


def _up_and_down(counts: NDArray[Any], widths: Reals, mode: int) -> Reals:
    """Shares of the bins with the nearest density that increases up to one bin and decreases after it."""
    density = counts / widths
    up = isotonic_regression(density[: mode + 1], weights=widths[: mode + 1]).x
    down = isotonic_regression(density[mode:], weights=widths[mode:], increasing=False).x
    mass = np.append(np.append(up[:-1], max(up[-1], down[0])), down[1:]) * widths
    return mass / mass.sum()
