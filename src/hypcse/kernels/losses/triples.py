"""Loss and gradient over triples of leaves on one circle or sphere of the ball; and rows brought to the simplex."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numba import prange

from hypcse.kernels.arrays import Floating, Ids, Reals
from hypcse.kernels.compile import helper, kernel, parallel_kernel


class TripleSlopes(NamedTuple):
    """Mean loss, and its slopes by the directions (n, d) and by the radius."""

    loss: float
    by_direction: Reals
    by_radius: float


@helper
def _half_sums(units: Reals, a: int, b: int) -> tuple[float, float]:
    """(1 + cosine) / 2 and (1 - cosine) / 2 of two unit vectors, each without cancellation."""
    alike, apart = 0.0, 0.0
    for k in range(units.shape[1]):
        alike += (units[a, k] + units[b, k]) ** 2
        apart += (units[a, k] - units[b, k]) ** 2
    return alike / 4, apart / 4


@helper
def _unit_rows(directions: Reals, rows: Ids, units: Reals, inverse: Reals) -> None:
    """Directions of three rows over their lengths, and one over the lengths; a zero row takes the first axis."""
    for p in range(3):
        squared = 0.0
        for k in range(units.shape[1]):
            squared += directions[rows[p], k] ** 2
        inverse[p] = 1 / np.sqrt(squared) if squared > 0 else 0.0
        for k in range(units.shape[1]):
            units[p, k] = directions[rows[p], k] * inverse[p]
        if squared == 0:
            units[p, 0] = 1.0


@helper
def _across(units: Reals, a: int, b: int, alike: float, apart: float, k: int) -> float:
    """Coordinate k of the part of unit b that stands across unit a, u_b - <u_a, u_b> u_a, without cancellation."""
    if alike < apart:
        return units[b, k] + units[a, k] - 2 * alike * units[a, k]
    return units[b, k] - units[a, k] + 2 * apart * units[a, k]


@kernel
def triple_slopes(
    directions: Reals, radius: float, triples: Ids, similarities: Reals, temperature: float
) -> TripleSlopes:
    """Mean over triples of s_ij + s_ik + s_jk - (s_ij, s_ik, s_jk) . softmax(depths / t), with its gradient.

    Leaves are the directions (n, d) brought to one radius. O(b d + n d), on one thread.

    With x = tanh^2 d_o = tanh^2(R) (1 + c) / 2 and y = 1 - x, c the cosine of two leaves, the depth is
    log(1 + sqrt x) - log(y) / 2, its slopes are tanh^2(R) / (4 y sqrt x) by c and sqrt x / (y tanh R) by tanh R.
    """
    first, second = (0, 0, 1), (1, 2, 2)
    top = 2 * radius / (1 + radius**2)
    sech = (1 - radius) * (1 + radius) / (1 + radius**2)
    n_triples, d = triples.shape[0], directions.shape[1]
    by_direction = np.zeros_like(directions)
    units, inverse = np.empty((3, d)), np.empty(3)
    alike, apart, root, rest, share = np.empty(3), np.empty(3), np.empty(3), np.empty(3), np.empty(3)
    loss, by_top = 0.0, 0.0
    for e in range(n_triples):
        _unit_rows(directions, triples[e], units, inverse)
        for p in range(3):
            alike[p], apart[p] = _half_sums(units, first[p], second[p])
            root[p] = top * np.sqrt(alike[p])
            rest[p] = sech**2 + top**2 * apart[p]
            share[p] = (np.log1p(root[p]) - np.log(rest[p]) / 2) / temperature
        share[:] = np.exp(share - share.max())
        share /= share.sum()
        mean = np.dot(share, similarities[e])
        loss += similarities[e].sum() - mean
        for p in range(3):
            by_depth = -share[p] * (similarities[e, p] - mean) / temperature
            by_top += by_depth * root[p] / (rest[p] * top)
            # Opposite leaves, but for rounding, can be turned either way: they stay.
            if alike[p] < 1e-20:
                continue
            rate = by_depth * top**2 / (4 * rest[p] * root[p])
            a, b = first[p], second[p]
            for k in range(d):
                by_direction[triples[e, a], k] += rate * inverse[a] * _across(units, a, b, alike[p], apart[p], k)
                by_direction[triples[e, b], k] += rate * inverse[b] * _across(units, b, a, alike[p], apart[p], k)
    by_radius = by_top * 2 * sech / (1 + radius**2)
    return TripleSlopes(loss / n_triples, by_direction / n_triples, by_radius / n_triples)


@helper
def _shift(row: Floating) -> float:
    """The number t for which the positive parts of row - t add up to 1, by Michelot's rounds."""
    count = row.size
    total = 0.0
    for value in row:
        total += value
    while True:
        t = (total - 1.0) / count
        above, total = 0, 0.0
        for value in row:
            if value > t:
                above += 1
                total += value
        # None is above where all but one entry round away.
        if above == count or above == 0:
            return t
        count = above


@parallel_kernel
def project_rows(matrix: Floating, first: Ids) -> None:
    """Bring each row, from column first[row] on, to the nearest point of the simplex, in place; zeros before it."""
    for r in prange(matrix.shape[0]):
        low = first[r]
        matrix[r, :low] = 0
        if low < matrix.shape[1]:
            t = _shift(matrix[r, low:])
            for k in range(low, matrix.shape[1]):
                matrix[r, k] = max(matrix[r, k] - t, 0.0)
