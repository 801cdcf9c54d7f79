"""Neighbors of neighbors: lists of near points get better by looking into the lists of the points in them.

Dong, Moses and Li, "Efficient k-nearest neighbor graph construction for generic similarity measures" (WWW 2011). A
round reads the old lists and writes new ones, so that the result does not depend on the order of the work.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numba import prange

from hypcse.kernels.arrays import Flags, Ids, ShortIds, Singles
from hypcse.kernels.compile import bare_helper, parallel_kernel, summing_helper
from hypcse.kernels.points.leaves import insert_sorted

# Points that one task works on, and how many of those just seen it remembers.
_TASK, _SEEN = 256, 1024


class Links(NamedTuple):
    """Lists (n, k) of near points, sorted by squared distance, -1 for none; which are new since the last round."""

    ids: ShortIds
    squared: Singles
    new: Flags


@summing_helper
def _gap(one: Singles, other: Singles) -> Any:
    total = np.float32(0)
    for c in range(one.size):
        total += (one[c] - other[c]) ** 2
    return total


@bare_helper
def _holds(ids: ShortIds, point: int) -> bool:
    held = False
    for k in range(ids.size):
        held |= ids[k] == point
    return held


@parallel_kernel
def measured_links(points: Singles, ids: ShortIds) -> Links:
    """Return lists of the same points, sorted by their distance here, all of them new."""
    n, k = ids.shape
    links = Links(np.full((n, k), -1, np.int32), np.full((n, k), np.inf, np.float32), np.ones((n, k), np.bool_))
    for i in prange(n):
        for j in ids[i]:
            if j >= 0:
                insert_sorted(links.squared[i], links.ids[i], _gap(points[i], points[j]), j)
    return links


@bare_helper
def _insert_back(back: ShortIds, slots: ShortIds, new: Flags, i: int, slot: int, fresh: bool) -> None:
    """Insert point i, in whose list a point has this slot, into the list of that point; later points come last."""
    place = slots.size - 1
    while place > 0 and slots[place - 1] > slot:
        back[place], slots[place], new[place] = back[place - 1], slots[place - 1], new[place - 1]
        place -= 1
    back[place], slots[place], new[place] = i, slot, fresh


@parallel_kernel
def links_back(links: Links, most: int, n_tasks: int) -> tuple[ShortIds, Flags]:
    """Points (n, most), nearest first, that list a point while it does not list them; which of these links are new.

    Each task, best as many as there are threads, reads all lists and writes those of a range of points.
    """
    ids, is_new = links.ids, links.new
    n, k = ids.shape
    back, new, slots = np.full((n, most), -1, np.int32), np.zeros((n, most), np.bool_), np.full((n, most), k, np.int32)
    for task in prange(n_tasks):
        first, end = task * n // n_tasks, (task + 1) * n // n_tasks
        for i in range(n):
            for slot in range(k):
                j = ids[i, slot]
                if first <= j < end and slot < slots[j, most - 1] and not _holds(ids[j], i):
                    _insert_back(back[j], slots[j], new[j], i, slot, is_new[i, slot])
    return back, new


@bare_helper
def _note(near: ShortIds, wanted: Flags, every: bool, i: int, seen: Ids, candidates: Ids, count: int) -> int:
    """Add the points of a list to the candidates of point i, unless it has seen them lately; return their number."""
    for k in range(near.size):
        c = np.int64(near[k])
        if c >= 0 and (every or wanted[k]) and seen[c & (_SEEN - 1)] != (i << 32) | c:
            seen[c & (_SEEN - 1)] = (i << 32) | c
            candidates[count] = c
            count += 1
    return count


@bare_helper
def _take(points: Singles, i: int, candidates: Ids, squared: Singles, ids: ShortIds, new: Flags) -> None:
    """Put candidates into the list of point i if they are nearer than its last."""
    last = squared.size - 1
    for c in candidates:
        distance = _gap(points[i], points[c])
        if distance < squared[last] and not _holds(ids, c):
            place = insert_sorted(squared, ids, distance, c)
            for k in range(last, place, -1):
                new[k] = new[k - 1]
            new[place] = True


@parallel_kernel
def joined_links(points: Singles, links: Links, back: ShortIds, back_new: Flags, room: int) -> Links:
    """Return lists of `room` points, each after a look into those of the points in its own, if either link is new."""
    n, k = links.ids.shape
    # Not a tuple yet: inside a parallel loop numba forgets what is written into the arrays of one.
    ids, squared, new = np.empty((n, room), np.int32), np.empty((n, room), np.float32), np.zeros((n, room), np.bool_)
    width = k + back.shape[1]
    for task in prange((n + _TASK - 1) // _TASK):
        seen, candidates = np.full(_SEEN, -1, np.int64), np.empty(width * (width + 1), np.int64)
        for i in range(task * _TASK, min(n, (task + 1) * _TASK)):
            seen[i & (_SEEN - 1)] = (i << 32) | i
            _note(links.ids[i], links.new[i], True, i, seen, candidates, 0)
            count = 0
            for a in range(width):
                j = np.int64(links.ids[i, a] if a < k else back[i, a - k])
                if j >= 0 and j != i:
                    fresh = links.new[i, a] if a < k else back_new[i, a - k]
                    count = _note(links.ids[j], links.new[j], fresh, i, seen, candidates, count)
                    count = _note(back[j], back_new[j], fresh, i, seen, candidates, count)
            for slot in range(room):
                ids[i, slot] = links.ids[i, slot] if slot < k else -1
                squared[i, slot] = links.squared[i, slot] if slot < k else np.inf
            _take(points, i, candidates[:count], squared[i], ids[i], new[i])
    return Links(ids, squared, new)


@parallel_kernel
def projected(points: Singles, directions: Singles) -> Singles:
    """Return the products of each point (n, d) with each direction (d, m), the same at any number of threads."""
    n, m = points.shape[0], directions.shape[1]
    products = np.zeros((n, m), np.float32)
    for i in prange(n):
        for c in range(points.shape[1]):
            for j in range(m):
                products[i, j] += points[i, c] * directions[c, j]
    return products
