"""Exact nearest neighbors: every pair by brute force, or a k-d tree."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from hypcse.kernels.points.kdtree import PointTree, build_tree
from hypcse.kernels.points.leaves import search_leaves
from hypcse.kernels.points.nearest import nearest_in_block, sorted_candidates
from hypcse.kernels.points.rows import first_copies

# A block of inner products. Smaller blocks were slower: threads start and stop once per block.
BLOCK_BYTES = 64 * 2**20
# Neighbors to request from the k-d tree to find the end of a tie; beyond this, brute force is faster.
MAX_REACH = 256
# The largest entry, in units of the points: its square times the number of columns fits in float32.
FAR = 1e15

Ids = NDArray[np.int64]
Nearest = tuple[Ids, NDArray[np.float64]]
"""Ids and squared distances of the nearest points of each query, (queries, k) each, by (distance, id)."""


@dataclass(frozen=True)
class Queries:
    """Points (q, d) to find neighbors of, and the id (q,) of each in the searched table, or -1."""

    points: NDArray[np.floating]
    own: Ids

    @classmethod
    def rows(cls, X: NDArray[np.floating], ids: Ids | None = None) -> Queries:
        """Some rows of the table itself, or all."""
        return cls(X, np.arange(len(X))) if ids is None else cls(X[ids], ids)

    @classmethod
    def new(cls, points: NDArray[np.floating]) -> Queries:
        """Points that the table does not hold."""
        return cls(points, np.full(len(points), -1))

    def part(self, ids: Ids | slice) -> Queries:
        """Some of the queries."""
        return Queries(self.points[ids], self.own[ids])

    def blank(self, k: int) -> Nearest:
        """Arrays for the answer."""
        return np.empty((self.own.size, k), np.int64), np.empty((self.own.size, k))


def blocks(n_rows: int, row_bytes: int) -> Iterator[slice]:
    """Slices of rows of which each takes about `BLOCK_BYTES`."""
    step = max(1, BLOCK_BYTES // row_bytes)
    return (slice(start, min(start + step, n_rows)) for start in range(0, n_rows, step))


def brute_force(X: NDArray[np.floating], k: int, queries: Queries | None = None) -> Nearest:
    """The k nearest others of each query (all points by default).

    Matrix products in float32 bound the distances from below; only pairs that pass are measured exactly, so the result
    does not depend on rounding in the products. O(n d) per query, memory for one block of products.
    """
    queries = Queries.rows(X) if queries is None else queries
    center, unit = center_and_unit(X)
    points = in_unit(X, center, unit)
    norms = squared_norms(points)
    indices, squared = queries.blank(k)
    for part in blocks(queries.own.size, 4 * len(X)):
        block = np.ascontiguousarray(queries.points[part])
        scaled, far = scaled_queries(block, center, unit)
        products = scaled @ points.T
        # A query out of the range of single precision is measured against every point.
        products[far] = np.inf
        slack = rounding(X.shape[1])
        indices[part], squared[part] = nearest_in_block(
            X, block, queries.own[part], products, norms, squared_norms(scaled), slack, unit, k
        )
    return indices, squared


@dataclass(frozen=True)
class TreeIndex:
    """A table, its equal rows if it has some, and a k-d tree of the different ones."""

    X: NDArray[np.floating]
    copies: _Copies | None
    distinct: NDArray[np.floating]
    tree: PointTree

    @classmethod
    def of(cls, X: NDArray[np.floating]) -> TreeIndex:
        """Index a finite table; O(n d log n)."""
        copies = _find_copies(X)
        distinct = X if copies is None else np.ascontiguousarray(X[copies.first])
        return cls(X, copies, distinct, build_tree(distinct.astype(np.float64, copy=False)))


def kd_tree(X: NDArray[np.floating], k: int, queries: Queries | None = None, index: TreeIndex | None = None) -> Nearest:
    """The k nearest others of each query (all points by default), for k < n - 1; O(n log n) in few dimensions."""
    wanted = Queries.rows(X) if queries is None else queries
    index = TreeIndex.of(X) if index is None else index
    copies, distinct = index.copies, index.distinct
    if copies is None:
        return _search_tree(index, k, wanted)
    # Equal rows are searched once: a tree cannot tell them apart, and many copies would take O(n) each.
    # A row of the table itself is one of the k + 1 nearest, or more than k others are as near.
    points, place = (distinct, copies.place) if queries is None else (queries.points, np.arange(queries.own.size))
    nearest, near_squared = _search_tree(index, k + 1, Queries.new(points))
    indices, squared = wanted.blank(k)
    for part in blocks(wanted.own.size, 32 * (k + 1) ** 2):
        candidates = copies.expand(nearest[place[part]], near_squared[place[part]])
        query = wanted.part(part)
        ids, distances = sorted_candidates(X, query.points, query.own, candidates)
        indices[part], squared[part] = ids[:, :k], distances[:, :k]
    return indices, squared


def _search_tree(index: TreeIndex, k: int, queries: Queries) -> Nearest:
    """The k nearest different rows of each query by the tree; those tied at the end look farther, or by brute force."""
    X = index.distinct
    n = len(X)
    indices, squared = queries.blank(k)
    undecided = np.arange(queries.own.size)
    # The point itself, its k nearest, and one more to detect a tie.
    reach = k + 2
    limit = min(n, max(MAX_REACH, 2 * reach))
    while undecided.size and reach <= limit:
        tied = [undecided[:0]]
        for part in blocks(undecided.size, 32 * reach):
            rows = undecided[part]
            query = queries.part(rows)
            candidates = _candidates(index.tree, query.points, reach)
            ids, distances = sorted_candidates(X, query.points, query.own, candidates)
            indices[rows], squared[rows] = ids[:, :k], distances[:, :k]
            if reach < n:
                # The last position belongs to the row itself. The tree's own distances may be off by rounding.
                tied.append(rows[distances[:, reach - 2] <= distances[:, k - 1] * (1 + 1e-12)])
        undecided = np.concatenate(tied)
        reach = limit if reach < limit < 2 * reach else 2 * reach
    if undecided.size:
        indices[undecided], squared[undecided] = brute_force(X, k, queries.part(undecided))
    return indices, squared


def _candidates(tree: PointTree, points: NDArray[np.floating], k: int) -> Ids:
    """The k nearest of each point but for rounding and ties, (points, k), -1 for none."""
    blocks_of_points = build_tree(points.astype(np.float64, copy=False))
    places = search_leaves(tree, blocks_of_points.points, blocks_of_points.start, 1.0, tree.start.size, k)[0]
    ids = np.empty(places.shape, np.int64)
    ids[blocks_of_points.ids] = np.where(places < 0, -1, tree.ids[places])
    return ids


def center_and_unit(X: NDArray[np.floating]) -> tuple[NDArray[np.float64], float]:
    """Mean and unit for which (X - mean) / unit has its largest entry at about 1, so that norms are small."""
    mean = X.mean(axis=0, dtype=np.float64)
    reach = max(float((X.max(axis=0) - mean).max()), float((mean - X.min(axis=0)).max()))
    return mean, max(reach, 1e-150)


def scaled_queries(
    queries: NDArray[np.floating], center: NDArray[np.float64], unit: float
) -> tuple[NDArray[np.float32], NDArray[np.bool_]]:
    """The queries in the unit of the points, and a mask of those so far away that they are put at 0 instead."""
    with np.errstate(over="ignore"):
        points = in_unit(queries, center, unit)
    far = ~(np.abs(points).max(axis=1) < FAR)
    points[far] = 0.0
    return points, far


def squared_norms(points: NDArray[np.float32]) -> NDArray[np.float64]:
    return np.einsum("ij,ij->i", points, points, dtype=np.float64)


def in_unit(X: NDArray[np.floating], center: NDArray[np.float64], unit: float) -> NDArray[np.float32]:
    """(X - center) / unit in float32, without a second table in float64."""
    points = np.empty(X.shape, np.float32)
    for part in blocks(len(X), 8 * X.shape[1]):
        points[part] = (X[part] - center) / unit
    return points


def rounding(d: int) -> tuple[float, float]:
    """Bound on the error of |a|^2 + |b|^2 - 2 a.b in float32: relative to |a|^2 + |b|^2, and absolute.

    A product of d terms errs by at most d/2 eps |a||b| in any order of summation, rounding the points adds a
    few eps; twice that is taken. The absolute part covers products that vanish in single precision.
    """
    return (d + 16) * float(np.finfo(np.float32).eps), 4 * d * float(np.finfo(np.float32).tiny)


@dataclass(frozen=True)
class _Copies:
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

    def expand(self, nearest: Ids, squared: NDArray[np.float64]) -> Ids:
        """Rows that hold the K nearest of each query, (queries, at least K), padded with -1.

        `nearest` and `squared` (queries, K) are positions and squared distances of the nearest different rows by
        (distance, position), padded with -1 and infinity. The first K copies of each are enough.
        """
        K = nearest.shape[1]
        counts = np.where(nearest < 0, 0, np.minimum(np.diff(self.start)[nearest], K))
        # Rows farther than the one that completes K are not among the nearest; those at the same distance may be.
        complete = np.argmax(np.cumsum(counts, axis=1) >= K, axis=1)
        counts[squared > squared[np.arange(len(nearest)), complete][:, None]] = 0
        begin = np.repeat(self.start[nearest].ravel(), counts.ravel())
        totals = counts.sum(axis=1)
        rows = np.full((len(nearest), int(totals.max(initial=K))), -1)
        rows[np.repeat(np.arange(len(nearest)), totals), _within_runs(totals)] = self.members[
            begin + _within_runs(counts.ravel())
        ]
        return rows


def _find_copies(X: NDArray[np.floating]) -> _Copies | None:
    """The copies in a finite table, or None if all rows are different. O(n (d + log n))."""
    # -0.0 is equal to 0.0, but not in its bits.
    original = first_copies(np.add(X, 0.0, dtype=np.float64))
    first, place, counts = np.unique(original, return_inverse=True, return_counts=True)
    if first.size == len(X):
        return None
    return _Copies(first, place, np.argsort(original, kind="stable"), np.concatenate([[0], np.cumsum(counts)]))


def _within_runs(lengths: Ids) -> Ids:
    """0, 1, ... in each of some runs: 0, 1, 0, 1, 2 for the lengths 2, 0, 3."""
    return np.arange(lengths.sum()) - np.repeat(np.cumsum(lengths) - lengths, lengths)
