"""Exact nearest neighbours: every pair by brute force, or a k-d tree."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from hypcse.kernels.nearest import nearest_in_block, sorted_candidates

# A block of inner products. Smaller ones measured slower: threads start and stop once a block.
BLOCK_BYTES = 64 * 2**20


def brute_force(
    X: NDArray[np.floating], k: int, queries: NDArray[np.int64] | None = None
) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
    """Ids and squared distances of the k nearest others of each query (all points by default), (queries, k).

    Matrix products in float32 bound the distances from below; only pairs that pass are measured exactly, so
    the answer does not depend on how products round. O(n d) a query, memory for one block of products.
    """
    n, d = X.shape
    wanted = np.arange(n) if queries is None else queries
    points, unit = centred(X)
    norms = np.einsum("ij,ij->i", points, points, dtype=np.float64)
    slack = _rounding(d)
    indices = np.empty((wanted.size, k), np.int64)
    squared = np.empty((wanted.size, k))
    step = max(1, BLOCK_BYTES // (4 * n))
    for start in range(0, wanted.size, step):
        block = wanted[start : start + step]
        products = points[block] @ points.T
        found = nearest_in_block(X, block, products, norms, slack, unit, k)
        indices[start : start + step], squared[start : start + step] = found
    return indices, squared


def kd_tree(X: NDArray[np.floating], k: int) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
    """Ids and squared distances of the k nearest others of every point, (n, k), for k < n - 1.

    The tree's own order among equal distances is arbitrary: rows whose k-th and next distance are equal to
    rounding are searched again by brute force. O(n log n) in few dimensions.
    """
    from scipy.spatial import cKDTree

    everyone = np.arange(X.shape[0])
    # The point itself, its k nearest, and one more that shows a tie at the boundary.
    candidates = np.asarray(cKDTree(X).query(X, k + 2, workers=-1)[1], dtype=np.int64)
    indices, squared = sorted_candidates(X, everyone, candidates)
    tied = np.flatnonzero(squared[:, k] <= squared[:, k - 1] * (1 + 1e-12))
    indices, squared = indices[:, :k].copy(), squared[:, :k].copy()
    if tied.size:
        indices[tied], squared[tied] = brute_force(X, k, tied)
    return indices, squared


def centred(X: NDArray[np.floating]) -> tuple[NDArray[np.float32], float]:
    """(X - mean) / unit in float32, the largest entry about 1, and the unit.

    Centring keeps the norms small against the distances, which is what products in float32 can resolve.
    """
    mean = X.mean(axis=0, dtype=np.float64)
    points = np.empty(X.shape, np.float32)
    reach = max(float((X.max(axis=0) - mean).max()), float((mean - X.min(axis=0)).max()))
    unit = max(reach, 1e-150)
    step = max(1, BLOCK_BYTES // (8 * X.shape[1]))
    for start in range(0, X.shape[0], step):
        points[start : start + step] = (X[start : start + step] - mean) / unit
    return points, unit


def _rounding(d: int) -> tuple[float, float]:
    """Bound on the error of |a|^2 + |b|^2 - 2 a.b in float32: relative to |a|^2 + |b|^2, and absolute.

    A product of d terms errs by at most d/2 eps |a||b| in any order of summation, rounding the points adds a
    few eps; twice that is taken. The absolute part covers products that vanish in single precision.
    """
    return (d + 16) * float(np.finfo(np.float32).eps), 4 * d * float(np.finfo(np.float32).tiny)
