"""Neighbors of neighbors: lists of near points get better by looking into the lists of the points in them.

Dong, Moses and Li, "Efficient k-nearest neighbor graph construction for generic similarity measures" (WWW 2011). A
round reads the old lists and writes new ones, so that the result does not depend on the order of the work.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numba import prange

from hypcse.kernels.arrays import Flags, Ids, ShortIds, Singles
from hypcse.kernels.compile import bare_helper, kernel, parallel_kernel, summing_helper
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


@kernel
def links_back(links: Links, most: int) -> tuple[ShortIds, Flags]:
    """Points (n, most), nearest first, that list a point while it does not list them; which of these links are new."""
    n, k = links.ids.shape
    back, new, count = np.full((n, most), -1, np.int32), np.zeros((n, most), np.bool_), np.zeros(n, np.int64)
    for slot in range(k):
        for i in range(n):
            j = links.ids[i, slot]
            if j >= 0 and count[j] < most and not _holds(links.ids[j], i):
                back[j, count[j]], new[j, count[j]] = i, links.new[i, slot]
                count[j] += 1
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
def joined_links(points: Singles, links: Links, back: ShortIds, back_new: Flags) -> Links:
    """Return lists after each point has looked into those of the points in its own, where either link is new."""
    n, k = links.ids.shape
    better = Links(links.ids.copy(), links.squared.copy(), np.zeros((n, k), np.bool_))
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
            _take(points, i, candidates[:count], better.squared[i], better.ids[i], better.new[i])
    return better


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
