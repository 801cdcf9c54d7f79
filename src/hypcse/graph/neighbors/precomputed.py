"""Nearest neighbors from given distances: square, condensed or sparse."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from hypcse._checks import check_finite, check_real, real_numbers
from hypcse.graph.compressed import stored_position
from hypcse.graph.neighbors.exact import Nearest, blocks
from hypcse.kernels.points.nearest import smallest_in_block

# Distances that should be equal, or 0, may differ by this share of the largest.
ROUNDING = 1e-9

Place = Callable[[int], tuple[int, int]]
"""From the place of an entry among all values to the two points that it stands for."""


def precomputed_neighbors(D: Any, n_neighbors: int) -> Nearest:
    """Ids and distances of the nearest others of each point, both (n, k), k = min(n_neighbors, n - 1).

    D is a square symmetric array, a condensed vector in the order of SciPy's `pdist`, or a sparse matrix whose
    stored entries, zeros among them, are the known distances; rows with fewer than k end in -1 at infinity.
    """
    if sparse.issparse(D):
        return _from_sparse(known_distances(D), n_neighbors)
    n, checked = distance_blocks(D)
    k = min(n_neighbors, n - 1)
    indices, nearest = np.empty((n, k), np.int64), np.empty((n, k))
    for start, rows in checked:
        if k:
            part = slice(start, start + len(rows))
            indices[part], nearest[part] = smallest_in_block(rows, start, k)
    return indices, nearest


def distance_blocks(D: Any) -> tuple[int, Iterator[tuple[int, NDArray[np.float64]]]]:
    """The number of points of square or condensed distances, and blocks of checked rows: first row and (b, n)."""
    # Integers are converted block by block: a second square array might not fit into memory.
    distances = real_numbers("the distances", D, (np.floating, np.integer))
    if distances.ndim == 1:
        n = _condensed_size(distances.size)
        return n, _condensed_blocks(distances, n)
    _check_square(distances)
    return len(distances), _square_blocks(distances)


def known_distances(D: Any) -> sparse.csr_array:
    """Sparse distances, checked, as a copy in float64; those slightly below 0 become 0."""
    check_real("the distances", D)
    # A copy, because sorting and summing work in place.
    known: Any = sparse.csr_array(D, copy=True).astype(np.float64)
    _check_square(known)
    known.sum_duplicates()

    def place(entry: int) -> tuple[int, int]:
        return stored_position(known, entry)

    check_finite("the distances", known.data, place)
    margin = _margin(D.dtype, known.data)
    known.data = _not_below_zero(known.data, margin, place)
    rows = np.repeat(np.arange(known.shape[0]), np.diff(known.indptr))
    loops = rows == known.indices
    _check_zero(rows[loops], known.data[loops], margin)
    mirror = sparse.csr_array(known.T)
    mirror.sort_indices()
    if not np.array_equal(known.indptr, mirror.indptr) or not np.array_equal(known.indices, mirror.indices):
        raise ValueError(
            "the sparse distances are not symmetric: some (i, j) is stored while (j, i) is not. "
            "Store both, for example with D.maximum(D.T)."
        )
    _check_symmetric(known.data, mirror.data, margin, place)
    return known


def _square_blocks(D: NDArray[Any]) -> Iterator[tuple[int, NDArray[np.float64]]]:
    n = len(D)
    if not np.isfinite([D.min(), D.max()]).all():
        check_finite("the distances", D)
    margin = _margin(D.dtype, D)
    for part in blocks(n, 8 * n):
        start = part.start
        rows = np.ascontiguousarray(D[part], dtype=np.float64)

        def place(entry: int, start: int = start) -> tuple[int, int]:
            return start + entry // n, entry % n

        _check_symmetric(rows, D[:, part].T, margin, place)
        _check_zero(np.arange(part.start, part.stop), np.diagonal(rows, start), margin)
        yield start, _not_below_zero(rows, margin, place)


def _condensed_size(length: int) -> int:
    n = (1 + math.isqrt(1 + 8 * length)) // 2
    if n * (n - 1) // 2 != length:
        raise ValueError(
            f"a condensed vector holds n (n - 1) / 2 distances, but {length} is not such a number "
            f"(n = {n} has {n * (n - 1) // 2}). Pass scipy.spatial.distance.pdist(X) or a square array."
        )
    return n


def _condensed_blocks(vector: NDArray[Any], n: int) -> Iterator[tuple[int, NDArray[np.float64]]]:
    """Rows of the square array, some at a time; d(i, j), i < j, stands at n i - i (i + 1) / 2 + j - i - 1."""
    ids = np.arange(n, dtype=np.int64)
    offset = n * ids - ids * (ids + 1) // 2 - ids - 1

    def place(entry: int) -> tuple[int, int]:
        row = int(np.searchsorted(offset + ids + 1, entry, side="right")) - 1
        return row, entry - int(offset[row])

    check_finite("the distances", vector, place)
    vector = _not_below_zero(vector, _margin(vector.dtype, vector), place)
    for part in blocks(n, 8 * n):
        rows = np.zeros((part.stop - part.start, n))
        for i, row in enumerate(rows, part.start):
            row[:i] = vector[offset[:i] + i]
            row[i + 1 :] = vector[offset[i] + i + 1 : offset[i] + n]
        yield part.start, rows


def _from_sparse(D: sparse.csr_array, n_neighbors: int) -> Nearest:
    n = D.shape[0]
    rows = np.repeat(np.arange(n), np.diff(D.indptr))
    others = rows != D.indices
    rows, columns, values = rows[others], D.indices[others], D.data[others]
    order = np.lexsort((columns, values, rows))
    counts = np.bincount(rows, minlength=n)
    rank = np.arange(rows.size) - np.repeat(np.cumsum(counts) - counts, counts)
    k = min(n_neighbors, n - 1)
    order, rank = order[rank < k], rank[rank < k]
    indices, nearest = np.full((n, k), -1, np.int64), np.full((n, k), np.inf)
    indices[rows[order], rank] = columns[order]
    nearest[rows[order], rank] = values[order]
    return indices, nearest


def _margin(dtype: np.dtype[Any], values: NDArray[Any]) -> float:
    """How far apart distances that should be equal may be: single precision is coarser than `ROUNDING`."""
    share = max(ROUNDING, 8 * float(np.finfo(dtype).eps)) if dtype.kind == "f" else ROUNDING
    return share * max(float(values.max(initial=0)), 0.0)


def _check_square(D: Any) -> None:
    if D.ndim != 2 or D.shape[0] != D.shape[1] or D.shape[0] == 0:
        raise ValueError(
            "precomputed distances must be a square array of at least one row or a condensed vector, "
            f"got shape {D.shape}. Pass scipy.spatial.distance.pdist(X), or features with metric='euclidean'."
        )


def _check_symmetric(values: NDArray[Any], mirrored: NDArray[Any], margin: float, place: Place) -> None:
    gap = np.abs(values - mirrored)
    worst = int(np.argmax(gap)) if gap.size else 0
    if gap.size and gap.flat[worst] > margin:
        row, column = place(worst)
        raise ValueError(
            f"the distances are not symmetric: ({row}, {column}) has {values.flat[worst]} and ({column}, {row}) has "
            f"{mirrored.flat[worst]}. Pass (D + D.T) / 2."
        )


def _check_zero(points: NDArray[Any], values: NDArray[Any], margin: float) -> None:
    """Raise unless the distances of points to themselves are 0."""
    if values.size and values.max() > margin:
        worst = int(np.argmax(values))
        raise ValueError(
            f"the distance of point {points[worst]} to itself is {values[worst]}; the diagonal must be 0. "
            "Set it with numpy.fill_diagonal(D, 0)."
        )


def _not_below_zero(values: NDArray[Any], margin: float, place: Place) -> NDArray[Any]:
    """The values, with 0 for those slightly negative by rounding, such as 1 - cos of equal points."""
    if values.size == 0 or values.min() >= 0:
        return values
    worst = int(np.argmin(values))
    if values.flat[worst] < -margin:
        raise ValueError(
            f"the distance of {place(worst)} is {values.flat[worst]}; distances must not be negative. Turn "
            "similarities into distances first, for example with 1 - S, or set rounding to 0 by numpy.maximum(D, 0)."
        )
    return np.maximum(values, 0)
