"""Lists of the nearest points outside the part of each point, and the distances to the k-th nearest."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from hypcse.kernels.compile import kernel
from hypcse.kernels.points.kdtree import Ids, PointTree, Reals, point_distance
from hypcse.kernels.points.outside import insert, nearest_outside

# Length of the lists. Longer ones take longer to find and spare searches in later rounds.
N_NEAREST = 8


class Lists(NamedTuple):
    """Of each position: points outside its part (n, k) by the length of their edge, which comes next, and the floor.

    Places without a point hold -1, and `head` is k where none is left.
    """

    squared: Reals
    found: Ids
    head: Ids
    floor: Reals


def no_lists(n: int, k: int) -> Lists:
    """Nothing found yet."""
    return Lists(np.full((n, k), np.inf), np.full((n, k), -1), np.full(n, k), np.zeros(n))


def known_lists(tree: PointTree, nearest: Ids) -> Lists:
    """Lists from the nearest others of each point, (n, k) by id, that were found by distances with other rounding.

    By distance alone, whatever the tree's cores; `certain_lists` leaves out what rounding may have put before others.
    """
    n, k = nearest.shape
    lists = no_lists(n, k)
    _fill_lists(tree, np.argsort(tree.ids), nearest, lists, 1 - tree.points.shape[1] * float(np.finfo(float).eps))
    return lists


def searched_lists(tree: PointTree, k: int) -> Lists:
    """The k nearest others of each point, k < n, by the tree."""
    lists, _ = _search_lists(tree, np.arange(tree.start.size - 1), k)
    return Lists(lists.squared, lists.found, np.zeros_like(lists.head), lists.squared[:, -1].copy())


def visited_share(tree: PointTree) -> float:
    """Share of the leaves that a leaf is compared with in the search for the first lists, from about 64 leaves."""
    n_leaves = tree.start.size - 1
    _, visits = _search_lists(tree, np.arange(0, n_leaves, max(1, n_leaves // 64)), min(N_NEAREST, tree.ids.size - 1))
    return float(visits.mean() / n_leaves)


def _search_lists(tree: PointTree, leaves: Ids, k: int) -> tuple[Lists, Ids]:
    """Lists of the points of some leaves, each point a part of its own, and the visits that each leaf took."""
    n = tree.ids.size
    lists = no_lists(n, k)
    everyone, mixed = np.ones(n, np.bool_), np.full(2 * tree.start.size - 3, -1)
    return lists, nearest_outside(tree, np.arange(n), mixed, leaves, everyone, lists[:2])


@kernel
def _fill_lists(tree: PointTree, place: Ids, nearest: Ids, lists: Lists, slack: float) -> None:
    k = nearest.shape[1]
    for p in range(place.size):
        for near in nearest[tree.ids[p]]:
            q = place[near]
            insert(tree, lists.squared, lists.found, p, point_distance(tree.points, p, q), q)
        lists.floor[p], lists.head[p] = slack * lists.squared[p, k - 1], 0


@kernel
def certain_lists(tree: PointTree, lists: Lists) -> Lists:
    """Lists by distance in the order of the tree's edges, less those that are not below the floor.

    An edge is never shorter than the distance of its ends, so that the floor holds; edges that are not below it may not
    come next.
    """
    n, k = lists.found.shape
    squared, found = np.full((n, k), np.inf), np.full((n, k), -1)
    for p in range(n):
        for slot in range(k):
            q = lists.found[p, slot]
            length = max(lists.squared[p, slot], tree.core[p], tree.core[q])
            if length < lists.floor[p]:
                insert(tree, squared, found, p, length, q)
    return Lists(squared, found, np.zeros(n, np.int64), lists.floor)


@kernel
def core_distances(lists: Lists, copies: Ids, min_samples: int) -> Reals:
    """Squared distance of each position to the `min_samples`-th nearest point, itself the first. O(n k).

    The lists are those by distance; `copies` (n,) is how many points a position stands for. Where a list ends sooner,
    its last point counts.
    """
    core = np.zeros(copies.size)
    for p in range(copies.size):
        counted = copies[p]
        for slot in range(lists.found.shape[1]):
            if counted >= min_samples:
                break
            core[p] = lists.squared[p, slot]
            counted += copies[lists.found[p, slot]]
    return core
