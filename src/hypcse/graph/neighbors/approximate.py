"""Approximate nearest neighbours for large tables: points in lists, a search of the nearest lists, exact distances."""

from __future__ import annotations

import math
import warnings
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from hypcse._checks import HypcseWarning
from hypcse.graph.neighbors.exact import FAR, Queries, brute_force, in_unit, kd_tree
from hypcse.kernels.points.lists import Lists, columns_of_lists, move_centres, nearest_centres, read_lists
from hypcse.kernels.points.nearest import sorted_candidates

Found = tuple[NDArray[np.int64], NDArray[np.float64]]

# Share of true neighbours that a sample of points must find; the sample is large enough to tell 0.998 from 0.995.
RECALL = 0.998
SAMPLE = 512
# Candidates beyond k: the point itself, and a few that single precision may have put in the wrong order.
EXTRA = 3
# Points per centre for learning, and the number of k-means steps.
PER_CENTRE = 16
N_MOVES = 8
# If a query would have to read more than this share of all lists, matrix products are faster.
MAX_SHARE = 0.15
# An exact search with more products than this takes minutes.
MANY_PRODUCTS = 1e13
_QUERIES = 65_536
_SEED = 1


def near_in_lists(X: NDArray[np.floating], k: int) -> Found:
    """Ids and squared distances of k near neighbours of every point, (n, k); an estimated 0.995 of the nearest or more.

    Points are put in about 2 sqrt(n) lists by their nearest centre. A query reads the lists of the centres nearest to
    it, as many as a sample of 512 points needs. The result is the same at any number of threads. If too many lists
    would be needed, or if single precision cannot tell the points apart, the search is exact.
    """
    n = len(X)
    index = _build(X)
    n_reads, share = _choose_reads(index, k)
    if share < RECALL:
        return _search_exactly(X, k, share)
    indices, squared = np.empty((n, k), np.int64), np.empty((n, k))
    for start in range(0, n, _QUERIES):
        places = np.arange(start, min(start + _QUERIES, n))
        rows = index.order[places]
        found, distances = index.read(places, n_reads, k)
        indices[rows], squared[rows] = found[:, :k], distances[:, :k]
    lacking = np.flatnonzero(indices[:, -1] < 0)
    if lacking.size:
        indices[lacking], squared[lacking] = brute_force(X, k, Queries.rows(X, lacking))
    return indices, squared


@dataclass
class _Index:
    """A table, its points in lists, and the row (n,) of each position in the lists."""

    X: NDArray[np.floating]
    lists: Lists
    order: NDArray[np.int64]

    @property
    def n_lists(self) -> int:
        return len(self.lists.centres)

    def read(self, places: NDArray[np.int64], n_reads: int, k: int) -> Found:
        """More than k near neighbours of the points at some positions, by exact distance, from `n_reads` lists."""
        n, rows = len(self.X), self.order[places]
        # Without this limit, many copies of one point would share one list and cost O(n^2).
        most = min(n, 32 * n_reads * (n // self.n_lists + 1)) if n_reads < self.n_lists else n
        near = read_lists(self.lists, places, n_reads, most, min(k + EXTRA, n))
        candidates = np.where(near < 0, -1, self.order[near])
        return sorted_candidates(self.X, self.X[rows], rows, candidates)

    def look_around(self, n_reads: int) -> None:
        """Find the lists near each list, enough for queries that read this many."""
        centres = self.lists.centres
        n_near = min(self.n_lists, 4 * n_reads + 16)
        if n_near > self.lists.near.shape[1]:
            self.lists = self.lists._replace(near=nearest_centres(centres, centres, n_near))


def _build(X: NDArray[np.floating]) -> _Index:
    points = _robustly_centred(X)
    centres = _learn_centres(points)
    owner = nearest_centres(points, centres, 1)[:, 0]
    order = np.argsort(owner, kind="stable")
    rows, owner = points[order], owner[order]
    start = np.searchsorted(owner, np.arange(len(centres) + 1))
    near = np.arange(len(centres))[:, None]
    return _Index(X, Lists(rows, columns_of_lists(rows, start), start, owner, centres, near), order)


def _learn_centres(points: NDArray[np.float32]) -> NDArray[np.float32]:
    """Centres of about 2 sqrt(n) lists: Lloyd's k-means on a sample, started from some of its points."""
    n = len(points)
    n_lists = max(1, min(int(2 * math.sqrt(n)), n // PER_CENTRE))
    sample = np.random.default_rng(_SEED).choice(n, min(n, PER_CENTRE * n_lists), replace=False)
    some, centres = points[sample], points[sample[:n_lists]]
    for _ in range(N_MOVES):
        move_centres(some, nearest_centres(some, centres, 1)[:, 0], centres)
    return centres


def _choose_reads(index: _Index, k: int) -> tuple[int, float]:
    """How many lists a query must read for a sample to find its true neighbours, and the share that it finds.

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


def _sample(n: int, size: int) -> NDArray[np.int64]:
    return np.sort(np.random.default_rng(_SEED).choice(n, min(size, n), replace=False))


def _robustly_centred(X: NDArray[np.floating]) -> NDArray[np.float32]:
    """(X - median) / (median distance from it), in float32, by a sample of rows.

    A few distant rows would shift the mean and the range, and make the others equal in single precision. The distant
    rows are clipped so that their squares do not overflow.
    """
    some = X[_sample(len(X), 8 * SAMPLE)].astype(np.float64)
    centre = np.median(some, axis=0)
    away = np.abs(some - centre).max(axis=1)
    unit = float(np.median(away[away > 0])) if away.any() else 1.0
    with np.errstate(over="ignore"):
        points = in_unit(X, centre, unit)
    return np.clip(points, -FAR, FAR, out=points)


def _search_exactly(X: NDArray[np.floating], k: int, share: float) -> Found:
    """Fall back to exact neighbours, with a warning if that takes long."""
    n, d = X.shape
    if float(n) * n * d > MANY_PRODUCTS:
        warnings.warn(
            f"the neighbours of {n} points in {d} dimensions are found exactly, which may take minutes or hours: the "
            f"fast search finds {share:.3f} of them, less than {RECALL}. Either the points are spread too evenly, or "
            "single precision cannot tell them apart. Reduce the columns (PCA), scale them, or remove points that are "
            "far from all others.",
            HypcseWarning,
            stacklevel=5,
        )
    return kd_tree(X, k) if d <= 15 and k < n - 1 else brute_force(X, k)
