"""Lists of the points nearest to each point outside its part, and the distances to the k-th nearest."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from hypcse.kernels.arrays import Ids, Reals
from hypcse.kernels.compile import kernel
from hypcse.kernels.points.kdtree import PointTree, point_distance
from hypcse.kernels.points.outside import insert, nearest_outside

# Length of the lists. Longer ones take longer to find and spare searches in later rounds.
N_NEAREST = 8


class Lists(NamedTuple):
    """For each position: points outside its part (n, k), sorted by the length of their edges.

    squared, found : squared lengths and positions; -1 at places without a point.
    head           : which of them comes next; k if none is left.
    floor          : no edge to a point outside that is not in the list is shorter.
    """

    squared: Reals
    found: Ids
    head: Ids
    floor: Reals


def no_lists(n: int, k: int) -> Lists:
    """Return empty lists."""
    return Lists(np.full((n, k), np.inf), np.full((n, k), -1), np.full(n, k), np.zeros(n))


def known_lists(tree: PointTree, nearest: Ids) -> Lists:
    """Return lists from the nearest others of each point, (n, k) by id, that other code found; sorted by distance."""
    n, k = nearest.shape
    lists = no_lists(n, k)
    _fill_lists(tree, np.argsort(tree.ids), nearest, lists, 1 - tree.points.shape[1] * float(np.finfo(float).eps))
    return lists


def searched_lists(tree: PointTree, k: int) -> Lists:
    """Search the tree for the k nearest others of each point, k < n."""
    lists, _ = _search_lists(tree, np.arange(tree.start.size - 1), k)
    return Lists(lists.squared, lists.found, np.zeros_like(lists.head), lists.squared[:, -1].copy())


def visited_share(tree: PointTree) -> float:
    """Estimate from about 64 leaves which share of the leaves the search for the first lists compares with one."""
    n_leaves = tree.start.size - 1
    _, visits = _search_lists(tree, np.arange(0, n_leaves, max(1, n_leaves // 64)), min(N_NEAREST, tree.ids.size - 1))
    return float(visits.mean() / n_leaves)


def _search_lists(tree: PointTree, leaves: Ids, k: int) -> tuple[Lists, Ids]:
    """Search lists for the points of some leaves, each point its own part; return also the visits of each leaf."""
    n = tree.ids.size
    lists = no_lists(n, k)
    everyone, mixed = np.ones(n, np.bool_), np.full(2 * tree.start.size - 3, -1)
    return lists, nearest_outside(tree, np.arange(n), mixed, leaves, everyone, lists[:2])


@kernel
def _fill_lists(tree: PointTree, place: Ids, nearest: Ids, lists: Lists, slack: float) -> None:
    k = nearest.shape[1]
    for p in range(place.size):
        for point in nearest[tree.ids[p]]:
            q = place[point]
            insert(tree, lists.squared, lists.found, p, point_distance(tree.points, p, q), q)
        lists.floor[p], lists.head[p] = slack * lists.squared[p, k - 1], 0


@kernel
def certain_lists(tree: PointTree, lists: Lists) -> Lists:
    """Sort lists in the order of the tree's edges, without edges not below the floor: others may come before these."""
    n, k = lists.found.shape
    squared, neighbors = np.full((n, k), np.inf), np.full((n, k), -1)
    for p in range(n):
        for slot in range(k):
            q = lists.found[p, slot]
            length = max(lists.squared[p, slot], tree.core[p], tree.core[q])
            if length < lists.floor[p]:
                insert(tree, squared, neighbors, p, length, q)
    return Lists(squared, neighbors, np.zeros(n, np.int64), lists.floor)


def core_distances(lists: Lists, copies: Ids, min_samples: int) -> Reals:
    """Return the squared distance of each position to the `min_samples`-th nearest point, itself the first. O(n k).

    The lists are those by distance; `copies` (n,) is how many points a position stands for.
    """
    closer = np.cumsum(np.column_stack([copies, copies[lists.found[:, :-1]]]), axis=1)
    n_counted = (closer < min_samples).sum(axis=1)
    farthest = lists.squared[np.arange(copies.size), np.maximum(n_counted, 1) - 1]
    return np.where(n_counted > 0, farthest, 0.0)
