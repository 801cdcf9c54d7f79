"""Whether a table has more structure than one cloud of points, and on which columns that rests."""

from __future__ import annotations

from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from hypcse.graph.neighbors.precomputed import distance_blocks
from hypcse.graph.scaling import few_valued
from hypcse.partitions.clouds import cloud_like, dip, separation, telling_columns
from hypcse.partitions.evidence import CLEAR_SCORE, LEAST_SCORE, MIN_POINTS, UNTESTED, Structure, judge

MAX_POINTS = 1000
"""Number of points that are tested together."""
LEAST_APART = 0.75
"""Smallest excess in doublings that counts as structure, however significant."""
SPREAD = 0.1
"""Smallest standard deviation of chance, in doublings, that a few draws can measure. In points that fill m dimensions
it is at least 1 / m^2: along a curve, chance makes the widest gaps."""
N_DRAWS = (3, 5, 10, 20)
"""Numbers of draws after which the answer may be plain enough."""
PLAIN_SCORE = 2 * CLEAR_SCORE
"""The score from which no more draws are needed."""
DOUBT = 2.0
"""After the first few draws, the excess must be so many times below or above the least one."""
FOUND = ("weak", "clear")


def table_structure(points: NDArray[np.floating], rng: np.random.Generator) -> Structure:
    """Test a sample of the points, and if it shows nothing, the neighbors of one of them."""
    n = len(points)
    whole = points if n <= MAX_POINTS else points[rng.choice(n, MAX_POINTS, replace=False)]
    found = _of_columns(_centered(whole), rng)
    if found.found or n <= MAX_POINTS:
        return found
    # A sample of all points thins out clusters of a few points each.
    squares = np.square(points - points[rng.integers(n)]).sum(axis=1)
    near = _of_columns(_centered(points[np.argpartition(squares, MAX_POINTS)[:MAX_POINTS]]), rng)
    return near if near.word == "clear" else found


def _centered(points: NDArray[np.floating]) -> NDArray[np.float64]:
    """Points around 0 and at most 1 from it, because single precision has limits and separations have no unit."""
    centered = points.astype(np.float64) - points.mean(axis=0, dtype=np.float64)
    # A power of two, so that the division is exact.
    return np.ldexp(centered, -np.frexp(np.abs(centered).max())[1])


class _Test(NamedTuple):
    """A comparison with noise: the answer, the draws, and which distinct rows are in the part farthest out."""

    answer: Structure
    draws: list[NDArray[np.float64]]
    part: NDArray[np.bool_]


def _of_columns(points: NDArray[np.float64], rng: np.random.Generator) -> Structure:
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


def _first_found(points: NDArray[np.float64], rng: np.random.Generator) -> tuple[_Test, NDArray[np.int64]]:
    """The structure of the columns of many values or, if there is none, of all columns; and these columns."""
    few = few_valued(points)
    columns = np.arange(len(few))
    if few.any() and not few.all():
        test = _against_noise(points[:, ~few], rng)
        if test.answer.word in FOUND:
            return test, columns[~few]
    return _against_noise(points, rng), columns


def _against_noise(points: NDArray[np.float64], rng: np.random.Generator) -> _Test:
    """Compare the separation of points with that of as many draws of noise as it takes."""
    distinct = np.unique(points, axis=0)
    draws: list[NDArray[np.float64]] = []
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


def _is_plain(points: NDArray[np.float64], draws: list[NDArray[np.float64]]) -> bool:
    """Whether columns of many values are so far beyond the noise of a similar table that no own draws are needed."""
    if points.shape[1] == 1 or few_valued(points).any():
        return False
    own, _, spread = _apart(np.unique(points, axis=0), draws[0].size)
    least = DOUBT * max(LEAST_APART, LEAST_SCORE * spread)
    answer = judge(own, np.array(draws), least=least, spread=spread)
    return answer.found and answer.score >= PLAIN_SCORE


def _apart(
    points: NDArray[np.float64], n_scales: int | None = None
) -> tuple[NDArray[np.float64], NDArray[np.bool_], float]:
    """How far apart the parts of points are, in doublings, the part farthest out, and the least deviation in noise."""
    if points.shape[1] == 1:
        # Along a line, a single point in a gap joins its neighbors; but there, shares say more than gaps.
        return np.array([dip(points[:, 0])]), np.ones(len(points), np.bool_), SPREAD
    values, part, dimension = separation(np.unique(points, axis=0), n_scales)
    return values, part, max(SPREAD, dimension**-2)


def _steps(points: NDArray[np.float64]) -> tuple[int, ...]:
    """The columns of few values each of which sets rows apart that the columns of many values do not."""
    few = few_valued(points)
    others = np.unique(points[:, ~few], axis=0)
    if len(others) < MIN_POINTS or not few.any():
        return ()
    least = separation(others, 1).values[0] + LEAST_APART
    if separation(np.unique(points, axis=0), 1).values[0] < least:
        return ()
    tables = ((k, np.unique(points[:, ~few | (np.arange(few.size) == k)], axis=0)) for k in np.flatnonzero(few))
    return tuple(int(k) for k, table in tables if separation(table, 1).values[0] >= least)


def classical_coordinates(distances: Any, rng: np.random.Generator) -> NDArray[np.float64] | None:
    """Points that approximate the given distances, by classical scaling; None for sparse distances.

    Of more than `MAX_POINTS` points, as many are landmarks, and the others are placed by their distances to these. The
    largest distance between landmarks becomes 1, so that no square overflows. All distances are read and checked, some
    rows at a time.
    """
    if sparse.issparse(distances):
        return None
    n, blocks = distance_blocks(distances)
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
