"""Nearest neighbours from given distances: square, condensed or sparse."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from hypcse._checks import check_finite, check_real, real_numbers
from hypcse.graph.compressed import stored_position
from hypcse.graph.neighbors import exact
from hypcse.kernels.points.nearest import smallest_in_block

# Distances that should be equal, or 0, may differ by this share of the largest.
ROUNDING = 1e-9

Found = tuple[NDArray[np.int64], NDArray[np.float64]]


def precomputed_neighbors(D: Any, n_neighbors: int) -> Found:
    """Ids and distances of the nearest others of each point, both (n, k), k = min(n_neighbors, n - 1).

    D is a square symmetric array, a condensed vector in the order of SciPy's `pdist`, or a sparse matrix whose
    stored entries, zeros among them, are the known distances; rows with fewer than k end in -1 at infinity.
    """
    if sparse.issparse(D):
        return _from_sparse(known_distances(D), n_neighbors)
    n, blocks = distance_blocks(D)
    return _from_blocks(blocks, n, n_neighbors)


def distance_blocks(D: Any) -> tuple[int, Iterator[tuple[int, NDArray[np.float64]]]]:
    """The number of points of square or condensed distances, and blocks of checked rows: first row and (b, n)."""
    # Integers are converted block by block: a second square array might not fit into memory.
    distances = real_numbers("the distances", D, (np.floating, np.integer))
    if distances.ndim == 1:
        n = _condensed_size(distances.size)
        return n, _condensed_blocks(distances, n)
    if distances.ndim != 2 or distances.shape[0] != distances.shape[1] or distances.shape[0] == 0:
        raise _not_square(distances.shape)
    return distances.shape[0], _square_blocks(distances)


def known_distances(D: Any) -> sparse.csr_array:
    """Sparse distances, checked, as a copy in float64."""
    check_real("the distances", D)
    # A copy, because sorting and summing work in place.
    known: Any = sparse.csr_array(D, copy=True).astype(np.float64)
    if known.ndim != 2 or known.shape[0] != known.shape[1] or known.shape[0] == 0:
        raise _not_square(known.shape)
    known.sum_duplicates()
    _check_sparse(known, _rounding(D.dtype))
    return known


def _rounding(dtype: np.dtype[Any]) -> float:
    """Share of the largest distance that counts as rounding: single precision is coarser than ROUNDING."""
    return max(ROUNDING, 8 * float(np.finfo(dtype).eps)) if dtype.kind == "f" else ROUNDING


def _from_blocks(blocks: Iterator[tuple[int, NDArray[np.float64]]], n: int, n_neighbors: int) -> Found:
    k = min(n_neighbors, n - 1)
    indices = np.empty((n, k), np.int64)
    nearest = np.empty((n, k))
    for start, rows in blocks:
        if k:
            found = smallest_in_block(rows, start, k)
            indices[start : start + len(rows)], nearest[start : start + len(rows)] = found
    return indices, nearest


def _square_blocks(D: NDArray[np.floating]) -> Iterator[tuple[int, NDArray[np.float64]]]:
    """Checked rows of a square array, some at a time."""
    n = D.shape[0]
    if not np.isfinite([D.min(), D.max()]).all():
        check_finite("the distances", D)
    margin = _rounding(D.dtype) * max(float(D.max()), 0.0)
    step = max(1, exact.BLOCK_BYTES // (8 * n))
    for start in range(0, n, step):
        rows = np.ascontiguousarray(D[start : start + step], dtype=np.float64)
        gap = np.abs(rows - D[:, start : start + step].T)
        row, column = divmod(int(np.argmax(gap)), n)
        if gap[row, column] > margin:
            raise _not_symmetric(start + row, column, rows[row, column], D[column, start + row])
        diagonal = np.diagonal(rows, start)
        if diagonal.size and diagonal.max() > margin:
            raise _not_zero(start + int(np.argmax(diagonal)), diagonal.max())
        yield start, _not_below_zero(rows, margin, partial(_place_in_rows, n, start))


def _place_in_rows(n: int, first: int, entry: int) -> tuple[int, int]:
    """The two points of an entry in a block of rows that starts with row `first`."""
    return first + entry // n, entry % n


def _not_below_zero(values: NDArray[Any], margin: float, place: Callable[[int], tuple[int, int]]) -> NDArray[Any]:
    """The values, with 0 for those slightly negative by rounding, such as 1 - cos of equal points.

    `place` gives the two points of an entry.
    """
    if values.size == 0 or values.min() >= 0:
        return values
    worst = int(np.argmin(values))
    if values.flat[worst] < -margin:
        raise _negative(*place(worst), values.flat[worst])
    return np.maximum(values, 0)


def _condensed_size(length: int) -> int:
    n = (1 + math.isqrt(1 + 8 * length)) // 2
    if n * (n - 1) // 2 != length:
        raise ValueError(
            f"a condensed vector holds n (n - 1) / 2 distances, but {length} is not such a number "
            f"(n = {n} has {n * (n - 1) // 2}). Pass scipy.spatial.distance.pdist(X) or a square array."
        )
    return n


def _condensed_blocks(vector: NDArray[np.floating], n: int) -> Iterator[tuple[int, NDArray[np.float64]]]:
    """Rows of the square array, some at a time; d(i, j), i < j, stands at n i - i (i + 1) / 2 + j - i - 1."""
    ids = np.arange(n, dtype=np.int64)
    offset = n * ids - ids * (ids + 1) // 2 - ids - 1

    def place(entry: int) -> tuple[int, int]:
        row = int(np.searchsorted(offset + ids + 1, entry, side="right")) - 1
        return row, entry - int(offset[row])

    check_finite("the distances", vector, place)
    margin = _rounding(vector.dtype) * float(vector.max(initial=0))
    vector = _not_below_zero(vector, margin, place)
    step = max(1, exact.BLOCK_BYTES // (8 * n))
    for start in range(0, n, step):
        rows = np.zeros((min(step, n - start), n))
        for i, row in enumerate(rows, start):
            row[:i] = vector[offset[:i] + i]
            row[i + 1 :] = vector[offset[i] + i + 1 : offset[i] + n]
        yield start, rows


def _from_sparse(D: sparse.csr_array, n_neighbors: int) -> Found:
    n = D.shape[0]
    rows = np.repeat(np.arange(n), np.diff(D.indptr))
    others = rows != D.indices
    rows, columns, values = rows[others], D.indices[others], D.data[others]
    order = np.lexsort((columns, values, rows))
    counts = np.bincount(rows, minlength=n)
    rank = np.arange(rows.size) - np.repeat(np.cumsum(counts) - counts, counts)
    k = min(n_neighbors, n - 1)
    order, rank = order[rank < k], rank[rank < k]
    indices = np.full((n, k), -1, np.int64)
    nearest = np.full((n, k), np.inf)
    indices[rows[order], rank] = columns[order]
    nearest[rows[order], rank] = values[order]
    return indices, nearest


def _check_sparse(D: sparse.csr_array, rounding: float) -> None:
    """Raise unless D is symmetric with a diagonal of 0; set slightly negative values to 0, in place."""
    check_finite("the distances", D.data, lambda entry: stored_position(D, entry))
    margin = rounding * float(D.data.max(initial=0))
    D.data = _not_below_zero(D.data, margin, lambda entry: stored_position(D, entry))
    rows = np.repeat(np.arange(D.shape[0]), np.diff(D.indptr))
    loops = (rows == D.indices) & (D.data > margin)
    if loops.any():
        raise _not_zero(int(rows[loops][0]), D.data[loops][0])
    mirror = sparse.csr_array(D.T)
    mirror.sort_indices()
    if not np.array_equal(D.indptr, mirror.indptr) or not np.array_equal(D.indices, mirror.indices):
        raise ValueError(
            "the sparse distances are not symmetric: some (i, j) is stored while (j, i) is not. "
            "Store both, for example with D.maximum(D.T)."
        )
    gap = np.abs(D.data - mirror.data)
    if gap.size and gap.max() > margin:
        worst = int(np.argmax(gap))
        raise _not_symmetric(int(rows[worst]), int(D.indices[worst]), D.data[worst], mirror.data[worst])


def _not_square(shape: tuple[int, ...]) -> ValueError:
    return ValueError(
        "precomputed distances must be a square array of at least one row or a condensed vector, "
        f"got shape {shape}. "
        "Pass scipy.spatial.distance.pdist(X), or features with metric='euclidean'."
    )


def _not_symmetric(row: int, column: int, there: float, back: float) -> ValueError:
    return ValueError(
        f"the distances are not symmetric: ({row}, {column}) has {there} and ({column}, {row}) has {back}. "
        "Pass (D + D.T) / 2."
    )


def _negative(row: int, column: int, value: float) -> ValueError:
    return ValueError(
        f"the distance of ({row}, {column}) is {value}; distances must not be negative. "
        "Turn similarities into distances first, for example with 1 - S, or set rounding to 0 by numpy.maximum(D, 0)."
    )


def _not_zero(row: int, value: float) -> ValueError:
    return ValueError(
        f"the distance of point {row} to itself is {value}; the diagonal must be 0. "
        "Set it with numpy.fill_diagonal(D, 0)."
    )
