"""Nearest neighbours from distances that are given: square, condensed or sparse."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from hypcse._checks import check_finite
from hypcse.graph import exact
from hypcse.kernels.nearest import smallest_in_block

# Distances (i, j) and (j, i) may differ by rounding, this share of the largest.
ROUNDING = 1e-9

Found = tuple[NDArray[np.int64], NDArray[np.float64]]


def precomputed_neighbors(D: Any, n_neighbors: int) -> Found:
    """Ids and distances of the nearest others of each point, both (n, k), k = min(n_neighbors, n - 1).

    D is a square symmetric array, a condensed vector in the order of SciPy's `pdist`, or a sparse matrix whose
    stored entries, zeros among them, are the known distances; rows with fewer than k end in -1 at infinity.
    """
    if sparse.issparse(D):
        # A copy, because sorting and summing work in place.
        known: Any = sparse.csr_array(D, copy=True)
        return _from_sparse(known.astype(np.float64), n_neighbors)
    try:
        distances = np.asarray(D)
        # Integers are converted block by block: a second square array could be too much.
        distances = distances if distances.dtype.kind in "fiu" else distances.astype(np.float64)
    except (TypeError, ValueError) as error:
        raise TypeError(f"the distances must be numbers: {error}.") from None
    if distances.ndim == 1:
        n = _condensed_size(distances.size)
        return _from_blocks(_condensed_blocks(distances, n), n, n_neighbors)
    if distances.ndim != 2 or distances.shape[0] != distances.shape[1] or distances.shape[0] == 0:
        raise _not_square(distances.shape)
    return _from_blocks(_square_blocks(distances), distances.shape[0], n_neighbors)


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
    margin = ROUNDING * float(D.max())
    step = max(1, exact.BLOCK_BYTES // (8 * n))
    for start in range(0, n, step):
        rows = np.ascontiguousarray(D[start : start + step], dtype=np.float64)
        gap = np.abs(rows - D[:, start : start + step].T)
        row, column = divmod(int(np.argmax(gap)), n)
        if gap[row, column] > margin:
            raise _not_symmetric(start + row, column, rows[row, column], D[column, start + row])
        _check_entries(rows, start, np.diagonal(rows, start), margin)
        yield start, rows


def _check_entries(rows: NDArray[np.float64], start: int, diagonal: NDArray[np.float64], margin: float) -> None:
    if rows.min() < 0:
        row, column = divmod(int(np.argmin(rows)), rows.shape[1])
        raise _negative(start + row, column, rows[row, column])
    if diagonal.size and diagonal.max() > margin:
        raise _not_zero(start + int(np.argmax(diagonal)), diagonal.max())


def _condensed_size(length: int) -> int:
    n = (1 + math.isqrt(1 + 8 * length)) // 2
    if n * (n - 1) // 2 != length:
        raise ValueError(
            f"a condensed vector holds n (n - 1) / 2 distances, but {length} is no such number "
            f"(n = {n} has {n * (n - 1) // 2}). Pass scipy.spatial.distance.pdist(X) or a square array."
        )
    return n


def _condensed_blocks(vector: NDArray[np.floating], n: int) -> Iterator[tuple[int, NDArray[np.float64]]]:
    """Rows of the square array, some at a time; d(i, j), i < j, stands at n i - i (i + 1) / 2 + j - i - 1."""
    check_finite("the distances", vector)
    if vector.size and vector.min() < 0:
        entry = int(np.argmin(vector))
        raise ValueError(f"distance {entry} is {vector[entry]}; distances must not be negative.")
    ids = np.arange(n, dtype=np.int64)
    offset = n * ids - ids * (ids + 1) // 2 - ids - 1
    step = max(1, exact.BLOCK_BYTES // (8 * n))
    for start in range(0, n, step):
        rows = np.zeros((min(step, n - start), n))
        for i, row in enumerate(rows, start):
            row[:i] = vector[offset[:i] + i]
            row[i + 1 :] = vector[offset[i] + i + 1 : offset[i] + n]
        yield start, rows


def _from_sparse(D: sparse.csr_array, n_neighbors: int) -> Found:
    if D.ndim != 2 or D.shape[0] != D.shape[1] or D.shape[0] == 0:
        raise _not_square(D.shape)
    D.sum_duplicates()
    _check_sparse(D)
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


def _check_sparse(D: sparse.csr_array) -> None:
    check_finite("the distances", D.data)
    rows = np.repeat(np.arange(D.shape[0]), np.diff(D.indptr))
    if D.data.size and D.data.min() < 0:
        entry = int(np.argmin(D.data))
        raise _negative(int(rows[entry]), int(D.indices[entry]), D.data[entry])
    loops = (rows == D.indices) & (D.data > 0)
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
    if gap.size and gap.max() > ROUNDING * D.data.max():
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
        "Turn similarities into distances first, for example with 1 - S."
    )


def _not_zero(row: int, value: float) -> ValueError:
    return ValueError(
        f"the distance of point {row} to itself is {value}; the diagonal must be 0. "
        "Set it with numpy.fill_diagonal(D, 0)."
    )
