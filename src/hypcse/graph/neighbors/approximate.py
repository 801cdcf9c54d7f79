"""Approximate nearest neighbors for large tables: near points from a k-d tree, then the neighbors of neighbors."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from hypcse._checks import warn
from hypcse.graph.neighbors.exact import FAR, Ids, Nearest, Queries, brute_force, in_unit, kd_tree
from hypcse.kernels.points.kdtree import build_tree
from hypcse.kernels.points.leaves import search_leaves
from hypcse.kernels.points.links import Links, joined_links, links_back, measured_links, projected
from hypcse.kernels.points.nearest import sorted_candidates

# Share of true neighbors that a sample of points must find; the sample is large enough to tell 0.998 from 0.995.
RECALL = 0.998
SAMPLE = 1024
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
_QUERIES = 65_536
_SEED = 1


def nearest_in_lists(X: NDArray[np.floating], k: int) -> Nearest:
    """The k nearest others of every point, about 0.998 of them.

    Each point has a list of near points, first from the nearest leaves of a k-d tree. In each round, points look into
    the lists of those in their own, until a sample of 1,024 points has its true neighbors. If a round helps little, the
    lists get longer; if that does not help either, the search is exact.
    """
    n = len(X)
    first, more = min(n, k + max(n.bit_length() - FEWER, k // 2)), max(LONGER, k // 2)
    points = _robustly_centered(X)
    order, links = _first_lists(points, first)
    points = points[order]
    sample = _Sample(X, order, k)
    before, share = -1.0, sample.share(links)
    if share < ENOUGH:
        links = _longer(links, more)
    while share < RECALL:
        if 1 - share > (1 - PROGRESS) * (1 - before):
            if links.ids.shape[1] >= min(first + MOST * more, n):
                return _search_exactly(X, k, share)
            links, before = _longer(links, more), -1.0
        links = joined_links(points, links, *links_back(links, BACK))
        before, share = share, sample.share(links)
    return _measured(X, order, links, k)


def _first_lists(points: NDArray[np.float32], k: int) -> tuple[Ids, Links]:
    """The row of each position in the leaves of a tree, and near points of each position."""
    d, table = points.shape[1], points
    if d > MAX_COLUMNS:
        directions = np.random.default_rng(_SEED).standard_normal((d, MAX_COLUMNS), dtype=np.float32)
        table = projected(points, directions)
    tree = build_tree(table)
    most = max(1, VISITS // table.shape[1])
    ids, squared = search_leaves(tree, tree.points, tree.start, REACH, most, k)
    if table is points:
        return tree.ids, Links(ids, squared, np.ones(ids.shape, np.bool_))
    return tree.ids, measured_links(points[tree.ids], ids)


def _longer(links: Links, more: int) -> Links:
    """The lists with room for more points, all to be looked at again."""
    ids = np.pad(links.ids, ((0, 0), (0, more)), constant_values=-1)
    return Links(ids, np.pad(links.squared, ((0, 0), (0, more)), constant_values=np.inf), np.ones(ids.shape, np.bool_))


class _Sample:
    """Some rows of a table and the distances of their k-th neighbors, by brute force."""

    def __init__(self, X: NDArray[np.floating], order: Ids, k: int) -> None:
        self.X, self.order, self.k = X, order, k
        self.places = _sample(len(X), SAMPLE)
        self.farthest = brute_force(X, k, Queries.rows(X, order[self.places]))[1][:, -1:]

    def share(self, links: Links) -> float:
        """The share of true neighbors in the lists."""
        # By distance: among equal ones any choice is right.
        squared = _candidates(self.X, self.order, links, self.places)[1][:, : self.k]
        return float((squared <= self.farthest).mean())


def _candidates(X: NDArray[np.floating], order: Ids, links: Links, places: Ids) -> Nearest:
    rows, near = order[places], links.ids[places]
    return sorted_candidates(X, X[rows], rows, np.where(near < 0, -1, order[near]))


def _measured(X: NDArray[np.floating], order: Ids, links: Links, k: int) -> Nearest:
    """The k nearest of the points in each list, by exact distances."""
    n = len(X)
    indices, squared = np.empty((n, k), np.int64), np.empty((n, k))
    for start in range(0, n, _QUERIES):
        places = np.arange(start, min(start + _QUERIES, n))
        ids, distances = _candidates(X, order, links, places)
        indices[order[places]], squared[order[places]] = ids[:, :k], distances[:, :k]
    return indices, squared


def _sample(n: int, size: int) -> Ids:
    return np.sort(np.random.default_rng(_SEED).choice(n, min(size, n), replace=False))


def _robustly_centered(X: NDArray[np.floating]) -> NDArray[np.float32]:
    """(X - median) / (median distance from it), in float32, by a sample of rows; distant rows are clipped."""
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
