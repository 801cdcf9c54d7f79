"""Approximate nearest neighbors: points stored in lists around centers, of which a query reads the nearest.

A list is stored column by column, so that the distances of one query to all of its points are vector instructions, and
queries of one list follow each other, so that what they read stays in the cache. Single precision is enough to choose
candidates, whose distances the caller computes exactly.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numba import prange

from hypcse.kernels.arrays import Ids, Singles
from hypcse.kernels.compile import helper, kernel, parallel_kernel

_STRIDE = 256
_SHARE = 64


class Lists(NamedTuple):
    """Points (n, d) in the order of their lists, and the lists themselves.

    rows (n, d)            : the points.
    columns (n * d,)       : the same points, each list column by column.
    start (n_lists + 1,)   : list l holds the points start[l] .. start[l + 1] - 1.
    owner (n,)             : the list of each point.
    centers (n_lists, d)   : their centers.
    near (n_lists, m)      : for each list, those whose centers are nearest to its own, itself first.
    """

    rows: Singles
    columns: Singles
    start: Ids
    owner: Ids
    centers: Singles
    near: Ids


@helper
def _measure(columns: Singles, begin: int, length: int, first: int, query: Singles, squared: Singles) -> None:
    """Squared distances of a query to `squared.size` points of a block, from its `first` on.

    The block is `length` points, column by column, from `begin` on.
    """
    size, d = squared.size, query.size
    for j in range(size):
        squared[j] = 0.0
    whole = d - d % 4
    for c in range(0, whole, 4):
        # Four columns at a time, for each needs the sums read and written once.
        at = begin + c * length + first
        one, two = columns[at : at + size], columns[at + length : at + length + size]
        at += 2 * length
        three, four = columns[at : at + size], columns[at + length : at + length + size]
        a, b, x, y = query[c], query[c + 1], query[c + 2], query[c + 3]
        for j in range(size):
            squared[j] += ((one[j] - a) ** 2 + (two[j] - b) ** 2) + ((three[j] - x) ** 2 + (four[j] - y) ** 2)
    for c in range(whole, d):
        at = begin + c * length + first
        one, a = columns[at : at + size], query[c]
        for j in range(size):
            squared[j] += (one[j] - a) ** 2


@helper
def _keep_nearest(squared: Singles, first: int, best: Singles, ids: Ids) -> None:
    """Insert the points first, first + 1, ... into the best so far, ascending, if they are nearer than the last."""
    last = best.size - 1
    for begin in range(0, squared.size, _SHARE):
        end = min(begin + _SHARE, squared.size)
        count = 0
        for j in range(begin, end):
            count += 1 if squared[j] < best[last] else 0
        if count == 0:
            continue
        for j in range(begin, end):
            if squared[j] < best[last]:
                place = last
                while place > 0 and best[place - 1] > squared[j]:
                    best[place], ids[place] = best[place - 1], ids[place - 1]
                    place -= 1
                best[place], ids[place] = squared[j], first + j


@parallel_kernel
def nearest_centers(points: Singles, centers: Singles, k: int) -> Ids:
    """Return the k nearest centers of each point, nearest first, (n, k); ties go to the first."""
    n, n_centers = points.shape[0], centers.shape[0]
    columns = centers.T.copy().ravel()
    nearest = np.full((n, k), -1, np.int64)
    for share in prange((n + _SHARE - 1) // _SHARE):
        squared, best = np.empty(_STRIDE, np.float32), np.empty(k, np.float32)
        for row in range(share * _SHARE, min((share + 1) * _SHARE, n)):
            best[:] = np.inf
            for first in range(0, n_centers, _STRIDE):
                part = squared[: min(_STRIDE, n_centers - first)]
                _measure(columns, 0, n_centers, first, points[row], part)
                _keep_nearest(part, first, best, nearest[row])
    return nearest


@kernel
def move_centers(points: Singles, owner: Ids, centers: Singles) -> None:
    """Move each center to the mean of its points; one without points stays. O(n d)."""
    n_centers, d = centers.shape
    total, count = np.zeros((n_centers, d)), np.zeros(n_centers, np.int64)
    for row in range(points.shape[0]):
        count[owner[row]] += 1
        for c in range(d):
            total[owner[row], c] += points[row, c]
    for center in range(n_centers):
        if count[center] > 0:
            for c in range(d):
                centers[center, c] = total[center, c] / count[center]


@parallel_kernel
def columns_of_lists(rows: Singles, start: Ids) -> Singles:
    """Lay out points in the order of their lists, each list column by column."""
    d = rows.shape[1]
    columns = np.empty(rows.size, np.float32)
    for number in prange(start.size - 1):
        begin, length = start[number], start[number + 1] - start[number]
        for c in range(d):
            for j in range(length):
                columns[begin * d + c * length + j] = rows[begin + j, c]
    return columns


@parallel_kernel
def read_lists(lists: Lists, queries: Ids, n_lists: int, most: int, k: int) -> Ids:
    """Return the places of k points near each query, itself among them, (queries, k); -1 if fewer were read.

    A query, named by its place, reads the `n_lists` lists whose centers are nearest to it, among those near its own
    list, and at most about `most` points.
    """
    n, d = queries.size, lists.rows.shape[1]
    nearest = np.full((n, k), -1, np.int64)
    for share in prange((n + _SHARE - 1) // _SHARE):
        squared, best = np.empty(_STRIDE, np.float32), np.empty(k, np.float32)
        near = np.empty(n_lists, np.int64)
        distance = np.empty(n_lists, np.float32)
        known, centers = np.int64(-1), np.empty(0, np.float32)
        for row in range(share * _SHARE, min((share + 1) * _SHARE, n)):
            query, own = lists.rows[queries[row]], lists.owner[queries[row]]
            if own != known:
                known, centers = own, lists.centers[lists.near[own]].T.copy().ravel()
            _choose_lists(lists, query, own, centers, squared, distance, near)
            best[:] = np.inf
            left = most
            for number in near:
                begin, length = lists.start[number], lists.start[number + 1] - lists.start[number]
                for first in range(0, length, _STRIDE):
                    if left > 0:
                        part = squared[: min(_STRIDE, length - first)]
                        _measure(lists.columns, begin * d, length, first, query, part)
                        _keep_nearest(part, begin + first, best, nearest[row])
                        left -= part.size
    return nearest


@helper
def _choose_lists(
    lists: Lists, query: Singles, own: int, centers: Singles, squared: Singles, distance: Singles, near: Ids
) -> None:
    """Write the lists whose centers are nearest to a query, among those near its own, nearest first."""
    m = lists.near.shape[1]
    distance[:] = np.inf
    for first in range(0, m, _STRIDE):
        part = squared[: min(_STRIDE, m - first)]
        _measure(centers, 0, m, first, query, part)
        _keep_nearest(part, first, distance, near)
    for k in range(near.size):
        near[k] = lists.near[own, near[k]]
