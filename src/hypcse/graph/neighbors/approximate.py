"""Approximate nearest neighbors for large tables: near points from a k-d tree, then the neighbors of neighbors."""

from __future__ import annotations

from typing import Any

import numpy as np
from numba import get_num_threads
from numpy.typing import NDArray

from hypcse._checks import warn
from hypcse.graph.neighbors.exact import FAR, Ids, Nearest, Queries, brute_force, in_unit, kd_tree, rounding
from hypcse.kernels.points.kdtree import PointTree, build_tree
from hypcse.kernels.points.leaves import search_leaves
from hypcse.kernels.points.links import Links, joined_links, links_back, measured_links, projected
from hypcse.kernels.points.nearest import nearest_of_lists, sorted_candidates

# Share of true neighbors that a sample of points must find; the sample is large enough to tell 0.998 from 0.995.
RECALL = 0.998
SAMPLE = 1024
# Candidates beyond k for the neighbors of the sample: where the last is farther than rounding reaches, none is missing.
EXTRA = 8
# Columns of the tree; wider tables are searched in as many random directions.
MAX_COLUMNS = 32
# Leaves that a block of points looks into, times the columns, and the share of the squared reach within which it does.
VISITS, REACH = 6_000, 0.2
# Points in a list beyond k: so many less than the doublings of n, because larger tables need longer lists, and more if
# the first lists hold a smaller share of the true neighbors. And points that have it in theirs.
FEWER, ENOUGH, BACK = 10, 0.9, 8
# A round must find this share of what is lacking; if not, lists get longer, by this at least, up to so many times.
PROGRESS, LONGER, MOST = 0.2, 10, 5
# An exact search with more products than this takes minutes.
MANY_PRODUCTS = 1e13
_SEED = 1


def nearest_in_lists(X: NDArray[np.floating], k: int) -> Nearest:
    """The k nearest others of every point, about 0.998 of them.

    Each point has a list of near points, first from the nearest leaves of a k-d tree. In each round, points look into
    the lists of those in their own, until a sample of 1,024 points has its true neighbors. If a round helps little, the
    lists get longer; if that does not help either, the search is exact.
    """
    n = len(X)
    first, more = min(n, k + max(n.bit_length() - FEWER, k // 2)), max(LONGER, k // 2)
    table, unit = _robustly_centered(X)
    tree, links = _first_lists(table, first)
    order, is_whole = tree.ids, table.shape[1] <= MAX_COLUMNS
    points: Any = tree.points if is_whole else table[order]
    sample = _Sample(X, order, k, tree if is_whole else None, unit)
    del table, tree
    before, share = -1.0, sample.share(links)
    length = first if share >= ENOUGH else first + more
    while share < RECALL:
        if 1 - share > (1 - PROGRESS) * (1 - before):
            if length >= min(first + MOST * more, n):
                return _search_exactly(X, k, share)
            # All points are to be looked at again.
            links, length, before = links._replace(new=np.ones_like(links.new)), length + more, -1.0
        links = joined_links(points, links, *links_back(links, BACK, get_num_threads()), length)
        before, share = share, sample.share(links)
    return nearest_of_lists(X, order, links.ids, np.arange(n), order, k)


def _first_lists(points: NDArray[np.float32], k: int) -> tuple[PointTree, Links]:
    """A tree of the points, or of their projections, and near points of each position in its leaves."""
    d, table = points.shape[1], points
    if d > MAX_COLUMNS:
        directions = np.random.default_rng(_SEED).standard_normal((d, MAX_COLUMNS), dtype=np.float32)
        table = projected(points, directions)
    tree = build_tree(table)
    most = max(1, VISITS // table.shape[1])
    ids, squared = search_leaves(tree, tree.points, tree.start, REACH, most, k)
    if table is points:
        return tree, Links(ids, squared, np.ones(ids.shape, np.bool_))
    return tree, measured_links(points[tree.ids], ids)


class _Sample:
    """Some rows of a table, which the leaves of a tree hold in this order, and the distances of their k-th neighbors.

    The tree holds the points in single precision, divided by `unit`; without it, brute force finds the neighbors.
    """

    def __init__(self, X: NDArray[np.floating], order: Ids, k: int, tree: PointTree | None, unit: float) -> None:
        self.X, self.order, self.k = X, order, k
        self.places = _sample(len(X), SAMPLE)
        self.farthest, unsure = np.empty((self.places.size, 1)), np.ones(self.places.size, np.bool_)
        if tree is not None:
            self.farthest, unsure = self._by_tree(tree, unit)
        if unsure.any():
            queries = Queries.rows(X, order[self.places[unsure]])
            self.farthest[unsure] = brute_force(X, k, queries)[1][:, -1:]

    def _by_tree(self, tree: PointTree, unit: float) -> tuple[NDArray[np.float64], NDArray[np.bool_]]:
        """The distances by the tree, and where they are not certain because of rounding."""
        points: Any = tree.points[self.places]
        start, room = np.arange(len(points) + 1), self.k + 1 + EXTRA
        near, squared = search_leaves(tree, points, start, 1.0, tree.start.size, room)
        rows = self.order[self.places]
        ids = np.where(near < 0, -1, self.order[near])
        farthest = sorted_candidates(self.X, self.X[rows], rows, ids)[1][:, self.k - 1 : self.k]
        # No other point is nearer than the last of these, up to rounding: of its distance, and of the coordinates.
        relative, absolute = rounding(points.shape[1])
        lost = 2 * float(np.finfo(np.float32).eps) * np.linalg.norm(points, axis=1).astype(np.float64) + np.sqrt(
            absolute
        )
        reach = (1 - relative) * unit * (np.sqrt(squared[:, -1], dtype=np.float64) - lost)
        return farthest, (farthest[:, 0] > 0) & (np.sqrt(farthest[:, 0]) >= reach)

    def share(self, links: Links) -> float:
        """The share of true neighbors in the lists."""
        # By distance: among equal ones any choice is right.
        rows = np.arange(self.places.size)
        squared = nearest_of_lists(self.X, self.order, links.ids, self.places, rows, self.k)[1]
        return float((squared <= self.farthest).mean())


def _sample(n: int, size: int) -> Ids:
    return np.sort(np.random.default_rng(_SEED).choice(n, min(size, n), replace=False))


def _robustly_centered(X: NDArray[np.floating]) -> tuple[NDArray[np.float32], float]:
    """(X - median) / (median distance from it), by a sample of rows, in float32, far rows clipped; and that unit."""
    some = X[_sample(len(X), 8 * SAMPLE)].astype(np.float64)
    center = np.median(some, axis=0)
    away = np.abs(some - center).max(axis=1)
    unit = float(np.median(away[away > 0])) if away.any() else 1.0
    with np.errstate(over="ignore"):
        points = in_unit(X, center, unit)
    return np.clip(points, -FAR, FAR, out=points), unit


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
