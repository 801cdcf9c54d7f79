"""Exact nearest neighbours: every pair by brute force, or a k-d tree."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numba
import numpy as np
from numpy.typing import NDArray

from hypcse.kernels.points.nearest import nearest_in_block, sorted_candidates
from hypcse.kernels.points.rows import first_copies

# A block of inner products. Smaller blocks were slower: threads start and stop once per block.
BLOCK_BYTES = 64 * 2**20
# Neighbours to request from the k-d tree to find the end of a tie; beyond this, brute force is faster.
MAX_REACH = 256
# The largest entry, in units of the points: its square times the number of columns fits in float32.
FAR = 1e15


@dataclass(frozen=True)
class Queries:
    """Points (q, d) to find neighbours of, and the id (q,) of each in the searched table, or -1."""

    points: NDArray[np.floating]
    own: NDArray[np.int64]

    @classmethod
    def rows(cls, X: NDArray[np.floating], ids: NDArray[np.int64]) -> Queries:
        """Some rows of the table itself."""
        return cls(X[ids], ids)

    @classmethod
    def new(cls, points: NDArray[np.floating]) -> Queries:
        """Points that the table does not hold."""
        return cls(points, np.full(len(points), -1))

    def part(self, ids: NDArray[np.int64]) -> Queries:
        """Some of the queries."""
        return Queries(self.points[ids], self.own[ids])


def brute_force(
    X: NDArray[np.floating], k: int, queries: Queries | None = None
) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
    """Ids and squared distances of the k nearest others of each query (all points by default), (queries, k).

    Matrix products in float32 bound the distances from below; only pairs that pass are measured exactly, so the result
    does not depend on rounding in the products. O(n d) per query, memory for one block of products.
    """
    n, d = X.shape
    wanted = Queries(X, np.arange(n)) if queries is None else queries
    centre, unit = centre_and_unit(X)
    points = in_unit(X, centre, unit)
    norms = squared_norms(points)
    indices = np.empty((wanted.own.size, k), np.int64)
    squared = np.empty((wanted.own.size, k))
    step = max(1, BLOCK_BYTES // (4 * n))
    for start in range(0, wanted.own.size, step):
        part = slice(start, start + step)
        block = np.ascontiguousarray(wanted.points[part])
        near, far = near_part(block, centre, unit)
        products = near @ points.T
        # A query out of the range of single precision is measured against every point.
        products[far] = np.inf
        indices[part], squared[part] = nearest_in_block(
            X, block, wanted.own[part], products, norms, squared_norms(near), rounding(d), unit, k
        )
    return indices, squared


def kd_tree(
    X: NDArray[np.floating], k: int, queries: Queries | None = None
) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
    """Ids and squared distances of the k nearest others of each query (all points by default), for k < n - 1.

    O(n log n) in few dimensions. Equal rows are searched once: a tree cannot tell them apart, and rows with more copies
    than neighbours would take O(n) each.
    """
    copies = find_copies(X)
    if copies is None:
        return _search_tree(X, k, Queries(X, np.arange(len(X))) if queries is None else queries)
    distinct = np.ascontiguousarray(X[copies.first])
    if queries is None:
        # The row itself is one of the k + 1 nearest, or more than k others are as near.
        near = _search_tree(distinct, k + 1, Queries.new(distinct))
        return _with_copies(X, k, Queries(X, np.arange(len(X))), copies, near, copies.place)
    near = _search_tree(distinct, k + 1, Queries.new(queries.points))
    return _with_copies(X, k, queries, copies, near, np.arange(queries.own.size))


def _with_copies(
    X: NDArray[np.floating],
    k: int,
    wanted: Queries,
    copies: Copies,
    near: tuple[NDArray[np.int64], NDArray[np.float64]],
    place: NDArray[np.int64],
) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
    """The k nearest rows, from the k + 1 nearest different ones; `place` says which row of these is for each query."""
    indices, squared = np.empty((wanted.own.size, k), np.int64), np.empty((wanted.own.size, k))
    step = max(1, BLOCK_BYTES // (32 * (k + 1) ** 2))
    for start in range(0, wanted.own.size, step):
        rows = np.arange(start, min(start + step, wanted.own.size))
        candidates = copies.expand(near[0][place[rows]], near[1][place[rows]])
        asked = wanted.part(rows)
        found, distances = sorted_candidates(X, asked.points, asked.own, candidates)
        indices[rows], squared[rows] = found[:, :k], distances[:, :k]
    return indices, squared


def _search_tree(X: NDArray[np.floating], k: int, wanted: Queries) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
    """Ids and squared distances of the k nearest of each query by a k-d tree.

    The tree's order among equal distances is arbitrary. If the k-th distance equals that of the last point found, the
    row asks for twice as many; rows still tied at 256 are searched by brute force.
    """
    from scipy.spatial import cKDTree

    n = X.shape[0]
    tree = cKDTree(X)
    indices = np.empty((wanted.own.size, k), np.int64)
    squared = np.empty((wanted.own.size, k))
    open_rows = np.arange(wanted.own.size)
    # The point itself, its k nearest, and one more to detect a tie.
    reach = k + 2
    limit = min(n, max(MAX_REACH, 2 * reach))
    while open_rows.size and reach <= limit:
        step = max(1, BLOCK_BYTES // (32 * reach))
        blocks = [open_rows[start : start + step] for start in range(0, open_rows.size, step)]
        open_rows = np.concatenate([_query_tree(tree, X, wanted, block, reach, (indices, squared)) for block in blocks])
        reach = limit if reach < limit < 2 * reach else 2 * reach
    if open_rows.size:
        indices[open_rows], squared[open_rows] = brute_force(X, k, wanted.part(open_rows))
    return indices, squared


def _query_tree(
    tree: Any,
    X: NDArray[np.floating],
    queries: Queries,
    rows: NDArray[np.int64],
    reach: int,
    answer: tuple[NDArray[np.int64], NDArray[np.float64]],
) -> NDArray[np.int64]:
    """Write the nearest of some queries, out of `reach` points found, into the answer; return the undecided rows."""
    indices, squared = answer
    k = indices.shape[1]
    asked = queries.part(rows)
    candidates = np.asarray(tree.query(asked.points, reach, workers=numba.get_num_threads())[1], np.int64)
    found, distances = sorted_candidates(X, asked.points, asked.own, candidates)
    indices[rows], squared[rows] = found[:, :k], distances[:, :k]
    if reach == len(X):
        return rows[:0]
    # The last position belongs to the row itself. The tree's own distances may be off by rounding.
    return rows[distances[:, reach - 2] <= distances[:, k - 1] * (1 + 1e-12)]


def centre_and_unit(X: NDArray[np.floating]) -> tuple[NDArray[np.float64], float]:
    """Mean and unit for which (X - mean) / unit has its largest entry at about 1.

    Centring keeps the norms small against the distances, which is what products in float32 can resolve.
    """
    mean = X.mean(axis=0, dtype=np.float64)
    reach = max(float((X.max(axis=0) - mean).max()), float((mean - X.min(axis=0)).max()))
    return mean, max(reach, 1e-150)


def near_part(
    queries: NDArray[np.floating], centre: NDArray[np.float64], unit: float
) -> tuple[NDArray[np.float32], NDArray[np.bool_]]:
    """The queries in the unit of the points, and a mask of those so far away that they are put at 0 instead."""
    with np.errstate(over="ignore"):
        points = in_unit(queries, centre, unit)
    far = ~(np.abs(points).max(axis=1) < FAR)
    points[far] = 0.0
    return points, far


def squared_norms(points: NDArray[np.float32]) -> NDArray[np.float64]:
    return np.einsum("ij,ij->i", points, points, dtype=np.float64)


def in_unit(X: NDArray[np.floating], centre: NDArray[np.float64], unit: float) -> NDArray[np.float32]:
    """(X - centre) / unit in float32, without a second table in float64."""
    points = np.empty(X.shape, np.float32)
    step = max(1, BLOCK_BYTES // (8 * X.shape[1]))
    for start in range(0, X.shape[0], step):
        points[start : start + step] = (X[start : start + step] - centre) / unit
    return points


def rounding(d: int) -> tuple[float, float]:
    """Bound on the error of |a|^2 + |b|^2 - 2 a.b in float32: relative to |a|^2 + |b|^2, and absolute.

    A product of d terms errs by at most d/2 eps |a||b| in any order of summation, rounding the points adds a
    few eps; twice that is taken. The absolute part covers products that vanish in single precision.
    """
    return (d + 16) * float(np.finfo(np.float32).eps), 4 * d * float(np.finfo(np.float32).tiny)


Ids = NDArray[np.int64]


@dataclass(frozen=True)
class Copies:
    """The different rows of a table, and where their copies are.

    first   : (m,) ids of the different rows, ascending; of equal rows the first.
    place   : (n,) position in `first` of the row that each row is equal to.
    members : (n,) ids of all rows, copies together, in the order of `first`; among copies ascending.
    start   : (m + 1,) where in `members` the copies of each begin.
    """

    first: Ids
    place: Ids
    members: Ids
    start: Ids

    def expand(self, near: Ids, squared: NDArray[np.float64]) -> Ids:
        """Rows that hold the K nearest of each query, (queries, at least K), padded with -1.

        near    : (queries, K) positions of the nearest different rows by (distance, position), padded with -1.
        squared : (queries, K) their squared distances, padded with infinity.

        The K nearest rows by (distance, id) are copies of these: a row is preceded by the first of its copies, so fewer
        than K different rows come before it. Of each, the first K copies are enough.
        """
        K = near.shape[1]
        counts = np.where(near < 0, 0, np.minimum(np.diff(self.start)[near], K))
        # Farther rows than the one that makes K complete are not among the nearest; those as far may be.
        complete = np.argmax(np.cumsum(counts, axis=1) >= K, axis=1)
        counts[squared > squared[np.arange(len(near)), complete][:, None]] = 0
        begin = np.repeat(self.start[near].ravel(), counts.ravel())
        ids = self.members[begin + _within_runs(counts.ravel())]
        totals = counts.sum(axis=1)
        found = np.full((len(near), int(totals.max(initial=K))), -1)
        found[np.repeat(np.arange(len(near)), totals), _within_runs(totals)] = ids
        return found


def find_copies(X: NDArray[np.floating]) -> Copies | None:
    """The copies in a finite table, or None if all rows are different. O(n (d + log n))."""
    # -0.0 is equal to 0.0, but not in its bits.
    original = first_copies(np.add(X, 0.0, dtype=np.float64))
    first, place, counts = np.unique(original, return_inverse=True, return_counts=True)
    if first.size == len(X):
        return None
    start = np.concatenate([[0], np.cumsum(counts)])
    return Copies(first, place, np.argsort(original, kind="stable"), start)


def _within_runs(lengths: Ids) -> Ids:
    """0, 1, ... in each of some runs.

    >>> _within_runs(np.array([2, 0, 3]))
    array([0, 1, 0, 1, 2])
    """
    return np.arange(lengths.sum()) - np.repeat(np.cumsum(lengths) - lengths, lengths)
