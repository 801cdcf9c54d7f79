"""Nearest points by exact squared distances, ties to the smaller id; a row keeps its k best in a heap."""

from __future__ import annotations

import numpy as np
from numba import prange

from hypcse.kernels.arrays import Floating, Ids, Reals, ShortIds, Singles
from hypcse.kernels.compile import helper, kernel, parallel_kernel, sized_kernel

_STRIDE = 128
SERIAL_CANDIDATES = 50_000
"""Distances up to which threads cost more than they save, to compile and to wake."""


@helper
def squared_distance(X: Floating, i: int | np.int64, Y: Floating, j: int) -> float:
    """|x_i - y_j|^2 from float64 differences; equal to the last bit in both directions. O(d)."""
    # Four running sums hide the latency of the additions; their order is fixed, so the value is too.
    s0 = s1 = s2 = s3 = 0.0
    whole = X.shape[1] - X.shape[1] % 4
    for c in range(0, whole, 4):
        s0 += (np.float64(X[i, c]) - np.float64(Y[j, c])) ** 2
        s1 += (np.float64(X[i, c + 1]) - np.float64(Y[j, c + 1])) ** 2
        s2 += (np.float64(X[i, c + 2]) - np.float64(Y[j, c + 2])) ** 2
        s3 += (np.float64(X[i, c + 3]) - np.float64(Y[j, c + 3])) ** 2
    for c in range(whole, X.shape[1]):
        s0 += (np.float64(X[i, c]) - np.float64(Y[j, c])) ** 2
    return (s0 + s1) + (s2 + s3)


@kernel
def _replace_worst(distances: Reals, ids: Ids, distance: float, point: int) -> None:
    """Put (distance, point) in the place of the heap's root and sink it. O(log k)."""
    slot = 0
    while True:
        child = 2 * slot + 1
        if child >= ids.size:
            break
        other = child + 1
        if other < ids.size and (distances[other], ids[other]) > (distances[child], ids[child]):
            child = other
        if (distances[child], ids[child]) <= (distance, point):
            break
        distances[slot], ids[slot] = distances[child], ids[child]
        slot = child
    distances[slot], ids[slot] = distance, point


@kernel
def _sort_heap(distances: Reals, ids: Ids) -> None:
    """Sort a heap by (distance, id), in place. O(k log k)."""
    for end in range(ids.size - 1, 0, -1):
        distance, point = distances[end], ids[end]
        distances[end], ids[end] = distances[0], ids[0]
        _replace_worst(distances[:end], ids[:end], distance, point)


@kernel
def _count_below(lowered: Reals, products: Singles, limit: float) -> int:
    """How many points may be nearer than the limit; without a branch inside, it is compiled to vector instructions."""
    count = 0
    for j in range(lowered.size):
        count += 1 if lowered[j] - 2.0 * products[j] < limit else 0
    return count


@parallel_kernel
def nearest_in_block(
    X: Floating,
    queries: Floating,
    own: Ids,
    products: Singles,
    norms: Reals,
    query_norms: Reals,
    slack: tuple[float, float],
    unit: float,
    k: int,
) -> tuple[Ids, Reals]:
    """The k nearest points of each query (queries, d), with exact squared distances, both of shape (queries, k).

    `own` is the id of the point that a query is, which is left out, or -1. `products` (queries, n) are rounded inner
    products of queries and points divided by `unit`, and the norms their squared norms. With slack =
    (relative, absolute),

        unit^2 * ((1 - relative) * (norm_i + norm_j) - 2 * product_ij - absolute)

    must not exceed the exact squared distance: points whose bound reaches the k-th best so far are skipped.
    O(n) per query, and O(d) for each point that is not skipped.
    """
    ids = np.full((own.size, k), -1, np.int64)
    squared = np.full((own.size, k), np.inf)
    lowered = (1.0 - slack[0]) * norms
    for row in prange(own.size):
        limit = np.inf
        for start in range(0, norms.size, _STRIDE):
            stop = min(start + _STRIDE, norms.size)
            if _count_below(lowered[start:stop], products[row, start:stop], limit) == 0:
                continue
            for j in range(start, stop):
                if lowered[j] - 2.0 * products[row, j] >= limit or j == own[row]:
                    continue
                distance = squared_distance(queries, row, X, j)
                # Ids ascend, so that a later point at the same distance never wins.
                if distance < squared[row, 0]:
                    _replace_worst(squared[row], ids[row], distance, j)
                    limit = squared[row, 0] / (unit * unit) + slack[1] - (1.0 - slack[0]) * query_norms[row]
            if squared[row, 0] == 0.0:
                break
        _sort_heap(squared[row], ids[row])
    return ids, squared


@parallel_kernel
def smallest_in_block(values: Reals, first: int, k: int) -> tuple[Ids, Reals]:
    """Columns and values of the k smallest entries of each row, without (row, first + row). O(n) per row."""
    ids = np.full((values.shape[0], k), -1, np.int64)
    smallest = np.full((values.shape[0], k), np.inf)
    for row in prange(values.shape[0]):
        for j in range(values.shape[1]):
            if values[row, j] < smallest[row, 0] and j != first + row:
                _replace_worst(smallest[row], ids[row], values[row, j], j)
        _sort_heap(smallest[row], ids[row])
    return ids, smallest


@sized_kernel(SERIAL_CANDIDATES)
def candidate_distances(X: Floating, queries: Floating, candidates: Ids) -> Reals:
    """Exact squared distance of each query (queries, d) to each of its candidates, shape of `candidates`."""
    squared = np.empty(candidates.shape)
    for row in prange(candidates.shape[0]):
        for c in range(candidates.shape[1]):
            squared[row, c] = squared_distance(queries, np.int64(row), X, candidates[row, c])
    return squared


@parallel_kernel
def sorted_candidates(X: Floating, queries: Floating, own: Ids, candidates: Ids) -> tuple[Ids, Reals]:
    """Candidates of each query (queries, d) by (exact squared distance, id); `own` and -1 become -1 at infinity."""
    ids = np.full(candidates.shape, -1, np.int64)
    squared = np.full(candidates.shape, np.inf)
    for row in prange(own.size):
        for c in range(candidates.shape[1]):
            point = candidates[row, c]
            if point >= 0 and point != own[row]:
                distance = squared_distance(queries, row, X, point)
                _replace_worst(squared[row], ids[row], distance, point)
        _sort_heap(squared[row], ids[row])
    return ids, squared


@parallel_kernel
def nearest_of_lists(X: Floating, order: Ids, lists: ShortIds, places: Ids, rows: Ids, k: int) -> tuple[Ids, Reals]:
    """Return the k nearest in the lists of some places by (exact squared distance, id), (places, k) each, as `rows`.

    Lists hold places, -1 for none; `order` is the point at each. The list of places[p] makes row rows[p].
    """
    ids, squared = np.full((places.size, k), -1, np.int64), np.full((places.size, k), np.inf)
    for p in prange(places.size):
        row, own = rows[p], order[places[p]]
        for near in lists[places[p]]:
            if near >= 0 and order[near] != own:
                point = order[near]
                distance = squared_distance(X, own, X, point)
                if (distance, point) < (squared[row, 0], ids[row, 0]) or ids[row, 0] < 0:
                    _replace_worst(squared[row], ids[row], distance, point)
        _sort_heap(squared[row], ids[row])
    return ids, squared


@parallel_kernel
def list_ends(X: Floating, indptr: Ids, indices: ShortIds, vertices: Ids, k: int) -> Reals:
    """Return the squared distance of the k-th nearest neighbor in a graph of some vertices, inf if there are fewer."""
    ends = np.empty(vertices.size)
    for row in prange(vertices.size):
        vertex, ids, squared = vertices[row], np.full(k, -1, np.int64), np.full(k, np.inf)
        for place in range(indptr[vertex], indptr[vertex + 1]):
            point = int(indices[place])
            distance = squared_distance(X, vertex, X, point)
            if distance < squared[0]:
                _replace_worst(squared, ids, distance, point)
        ends[row] = squared[0]
    return ends
