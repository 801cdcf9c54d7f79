"""Approximate nearest neighbors for large tables: points in lists, a search of the nearest lists, exact distances."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from hypcse._checks import warn
from hypcse.graph.neighbors.exact import FAR, Ids, Nearest, Queries, brute_force, in_unit, kd_tree
from hypcse.kernels.points.lists import Lists, columns_of_lists, move_centers, nearest_centers, read_lists
from hypcse.kernels.points.nearest import sorted_candidates

# Share of true neighbors that a sample of points must find; the sample is large enough to tell 0.998 from 0.995.
RECALL = 0.998
SAMPLE = 512
# Candidates beyond k: the point itself, and a few that single precision may have put in the wrong order.
EXTRA = 3
# Points per center for learning, and the number of k-means steps.
PER_CENTER = 16
N_MOVES = 8
# If a query would have to read more than this share of all lists, matrix products are faster.
MAX_SHARE = 0.15
# An exact search with more products than this takes minutes.
MANY_PRODUCTS = 1e13
_QUERIES = 65_536
_SEED = 1


def nearest_in_lists(X: NDArray[np.floating], k: int) -> Nearest:
    """The k nearest others of every point, an estimated 0.995 of them or more.

    Points are put in about 2 sqrt(n) lists by their nearest center. A query reads the lists of the centers nearest to
    it, as many as a sample of 512 points needs. The result is the same at any number of threads. If too many lists
    would be needed, or if single precision cannot tell the points apart, the search is exact.
    """
    n, index = len(X), _Index(X)
    n_reads, share = _choose_reads(index, k)
    if share < RECALL:
        return _search_exactly(X, k, share)
    indices, squared = np.empty((n, k), np.int64), np.empty((n, k))
    for start in range(0, n, _QUERIES):
        places = np.arange(start, min(start + _QUERIES, n))
        ids, distances = index.read(places, n_reads, k)
        indices[index.order[places]], squared[index.order[places]] = ids[:, :k], distances[:, :k]
    lacking = np.flatnonzero(indices[:, -1] < 0)
    if lacking.size:
        indices[lacking], squared[lacking] = brute_force(X, k, Queries.rows(X, lacking))
    return indices, squared


class _Index:
    """A table, its points in lists by nearest center, and the row (n,) of each position in the lists."""

    def __init__(self, X: NDArray[np.floating]) -> None:
        self.X = X
        points = _robustly_centered(X)
        centers = _learn_centers(points)
        owner = nearest_centers(points, centers, 1)[:, 0]
        self.order = np.argsort(owner, kind="stable")
        rows, owner = points[self.order], owner[self.order]
        start = np.searchsorted(owner, np.arange(len(centers) + 1))
        near = np.arange(len(centers))[:, None]
        self.lists = Lists(rows, columns_of_lists(rows, start), start, owner, centers, near)
        self.n_lists = len(centers)

    def read(self, places: Ids, n_reads: int, k: int) -> Nearest:
        """More than k near neighbors of the points at some positions, from `n_reads` lists."""
        n, rows = len(self.X), self.order[places]
        # Without this limit, many copies of one point would share one list and cost O(n^2).
        most = min(n, 32 * n_reads * (n // self.n_lists + 1)) if n_reads < self.n_lists else n
        near = read_lists(self.lists, places, n_reads, most, min(k + EXTRA, n))
        return sorted_candidates(self.X, self.X[rows], rows, np.where(near < 0, -1, self.order[near]))

    def look_around(self, n_reads: int) -> None:
        """Find the lists near each list, enough for queries that read this many."""
        centers = self.lists.centers
        n_near = min(self.n_lists, 4 * n_reads + 16)
        if n_near > self.lists.near.shape[1]:
            self.lists = self.lists._replace(near=nearest_centers(centers, centers, n_near))


def _learn_centers(points: NDArray[np.float32]) -> NDArray[np.float32]:
    """Centers of about 2 sqrt(n) lists: Lloyd's k-means on a sample, started from some of its points."""
    n = len(points)
    n_lists = max(1, min(int(2 * math.sqrt(n)), n // PER_CENTER))
    sample = np.random.default_rng(_SEED).choice(n, min(n, PER_CENTER * n_lists), replace=False)
    some, centers = points[sample], points[sample[:n_lists]]
    for _ in range(N_MOVES):
        move_centers(some, nearest_centers(some, centers, 1)[:, 0], centers)
    return centers


def _choose_reads(index: _Index, k: int) -> tuple[int, float]:
    """How many lists a query must read for a sample to find its true neighbors, and the share that it finds.

    The share is less than `RECALL` if that takes all lists, or so many that an exact search is faster.
    """
    places = _sample(len(index.X), SAMPLE)
    farthest = brute_force(index.X, k, Queries.rows(index.X, index.order[places]))[1][:, -1:]
    n_reads = min(4, index.n_lists)
    while True:
        index.look_around(n_reads)
        # By distance: among equal ones any choice is right.
        share = float((index.read(places, n_reads, k)[1][:, :k] <= farthest).mean())
        more = min(n_reads + max(1, n_reads // 4), index.n_lists)
        if share >= RECALL or more == n_reads or more > max(MAX_SHARE * index.n_lists, 8):
            return n_reads, share
        n_reads = more


def _sample(n: int, size: int) -> Ids:
    return np.sort(np.random.default_rng(_SEED).choice(n, min(size, n), replace=False))


def _robustly_centered(X: NDArray[np.floating]) -> NDArray[np.float32]:
    """(X - median) / (median distance from it), in float32, by a sample of rows.

    A few distant rows would shift the mean and the range, and make the others equal in single precision. The distant
    rows are clipped so that their squares do not overflow.
    """
    some = X[_sample(len(X), 8 * SAMPLE)].astype(np.float64)
    center = np.median(some, axis=0)
    away = np.abs(some - center).max(axis=1)
    unit = float(np.median(away[away > 0])) if away.any() else 1.0
    with np.errstate(over="ignore"):
        points = in_unit(X, center, unit)
    return np.clip(points, -FAR, FAR, out=points)


def _search_exactly(X: NDArray[np.floating], k: int, share: float) -> Nearest:
    """Fall back to exact neighbors, with a warning if that takes long."""
    n, d = X.shape
    if float(n) * n * d > MANY_PRODUCTS:
        warn(
            f"the neighbors of {n} points in {d} dimensions are found exactly, which may take minutes or hours: the "
            f"fast search finds {share:.3f} of them, less than {RECALL}. Either the points are spread too evenly, or "
            "single precision cannot tell them apart. Reduce the columns (PCA), scale them, or remove points that are "
            "far from all others."
        )
    return kd_tree(X, k) if d <= 15 and k < n - 1 else brute_force(X, k)
