"""Points kept in lists around centres, and the lists nearest to a query read through: near neighbours, not always all.

A list is stored column by column, so that the distances of one query to all of its points are vector instructions, and
queries of one list follow each other, so that what they read stays in the cache. Single precision is enough to choose
candidates; whoever asks measures these exactly.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numba import prange
from numpy.typing import NDArray

from hypcse.kernels.compile import helper, kernel, parallel_kernel

Ids = NDArray[np.int64]
Singles = NDArray[np.float32]

_STRIDE = 256
_SHARE = 64


class Lists(NamedTuple):
    """Points (n, d) in the order of their lists, and the lists themselves.

    rows (n, d)            : the points.
    columns (n * d,)       : the same points, each list column by column.
    start (n_lists + 1,)   : list l holds the points start[l] .. start[l + 1] - 1.
    owner (n,)             : the list of each point.
    centres (n_lists, d)   : their centres.
    near (n_lists, m)      : for each list, those whose centres are nearest to its own, itself first.
    """

    rows: Singles
    columns: Singles
    start: Ids
    owner: Ids
    centres: Singles
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
    """Put the points first, first + 1, ... among the best so far, ascending, where they are nearer than the last."""
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
def nearest_centres(points: Singles, centres: Singles, k: int) -> Ids:
    """The k nearest centres of each point, nearest first, (n, k); ties go to the first. O(n_centres d) per point."""
    n, n_centres = points.shape[0], centres.shape[0]
    columns = centres.T.copy().ravel()
    found = np.full((n, k), -1, np.int64)
    for share in prange((n + _SHARE - 1) // _SHARE):
        squared, best = np.empty(_STRIDE, np.float32), np.empty(k, np.float32)
        for row in range(share * _SHARE, min((share + 1) * _SHARE, n)):
            best[:] = np.inf
            for first in range(0, n_centres, _STRIDE):
                part = squared[: min(_STRIDE, n_centres - first)]
                _measure(columns, 0, n_centres, first, points[row], part)
                _keep_nearest(part, first, best, found[row])
    return found


@kernel
def move_centres(points: Singles, owner: Ids, centres: Singles) -> None:
    """Move each centre to the mean of its points; one without points stays. O(n d)."""
    n_centres, d = centres.shape
    total, count = np.zeros((n_centres, d)), np.zeros(n_centres, np.int64)
    for row in range(points.shape[0]):
        count[owner[row]] += 1
        for c in range(d):
            total[owner[row], c] += points[row, c]
    for centre in range(n_centres):
        if count[centre] > 0:
            for c in range(d):
                centres[centre, c] = total[centre, c] / count[centre]


@parallel_kernel
def columns_of_lists(rows: Singles, start: Ids) -> Singles:
    """Points in the order of their lists, each list column by column."""
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
    """Places of k points near each query, itself among them, (queries, k); -1 where fewer were read.

    A query, given by its place, reads the `n_lists` lists whose centres are nearest to it, of those near its own list,
    and no more than about `most` points.
    """
    n, d = queries.size, lists.rows.shape[1]
    found = np.full((n, k), -1, np.int64)
    for share in prange((n + _SHARE - 1) // _SHARE):
        squared, best = np.empty(_STRIDE, np.float32), np.empty(k, np.float32)
        near = np.empty(n_lists, np.int64)
        distance = np.empty(n_lists, np.float32)
        known, centres = np.int64(-1), np.empty(0, np.float32)
        for row in range(share * _SHARE, min((share + 1) * _SHARE, n)):
            query, own = lists.rows[queries[row]], lists.owner[queries[row]]
            if own != known:
                known, centres = own, lists.centres[lists.near[own]].T.copy().ravel()
            _choose_lists(lists, query, own, centres, squared, distance, near)
            best[:] = np.inf
            left = most
            for number in near:
                begin, length = lists.start[number], lists.start[number + 1] - lists.start[number]
                for first in range(0, length, _STRIDE):
                    if left > 0:
                        part = squared[: min(_STRIDE, length - first)]
                        _measure(lists.columns, begin * d, length, first, query, part)
                        _keep_nearest(part, begin + first, best, found[row])
                        left -= part.size
    return found


@helper
def _choose_lists(
    lists: Lists, query: Singles, own: int, centres: Singles, squared: Singles, distance: Singles, near: Ids
) -> None:
    """Write the lists whose centres are nearest to a query, of those near its own, nearest first."""
    m = lists.near.shape[1]
    distance[:] = np.inf
    for first in range(0, m, _STRIDE):
        part = squared[: min(_STRIDE, m - first)]
        _measure(centres, 0, m, first, query, part)
        _keep_nearest(part, first, distance, near)
    for k in range(near.size):
        near[k] = lists.near[own, near[k]]
