"""Approximate nearest neighbours for large tables: faiss's inverted lists, then exact distances."""

from __future__ import annotations

import math
import warnings
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from importlib.util import find_spec
from typing import Any

import numba
import numpy as np
from numpy.typing import NDArray

from hypcse._checks import HypcseWarning
from hypcse.graph.neighbors.exact import FAR, Queries, brute_force, in_unit, kd_tree
from hypcse.kernels.points.nearest import sorted_candidates

# Share of true neighbours to be found by a sample of points, large enough to tell 0.998 from 0.995.
RECALL = 0.998
SAMPLE = 512
# Answers beyond k: the point itself, and a few that single precision may have put in the wrong order.
EXTRA = 3
_QUERIES = 4096
_SEED = 1


def has_faiss() -> bool:
    """Whether faiss can be imported."""
    return find_spec("faiss") is not None


def inverted_lists(X: NDArray[np.floating], k: int) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
    """Ids and squared distances of k near others of every point, (n, k); at least 0.995 of the nearest.

    Points are put in about 4 sqrt(n) lists by their nearest centre; a query reads the lists of the centres
    nearest to it, as many as a sample of points needs (see `_choose_lists`). The same at any number of threads.
    Where even all lists are too few, because single precision cannot tell the points apart, the search is exact.
    """
    faiss = _import_faiss()
    n = X.shape[0]
    indices = np.empty((n, k), np.int64)
    squared = np.empty((n, k))
    points = _robustly_centred(X)
    with _workers(faiss) as pool:
        index = pool.submit(_build, faiss, points).result()
        share = _choose_lists(index, points, X, k)
        if share < RECALL:
            return _exact_after_all(X, k, share)
        blocks = [np.arange(start, min(start + _QUERIES, n)) for start in range(0, n, _QUERIES)]
        near = pool.map(lambda block: index.search(points[block], min(k + EXTRA, n))[1], blocks)
        for block, candidates in zip(blocks, near, strict=True):
            found, distances = sorted_candidates(X, X[block], block, candidates)
            indices[block], squared[block] = found[:, :k], distances[:, :k]
    lacking = np.flatnonzero(indices[:, -1] < 0)
    if lacking.size:
        indices[lacking], squared[lacking] = brute_force(X, k, Queries.rows(X, lacking))
    return indices, squared


def _import_faiss() -> Any:
    try:
        import faiss
    except ImportError:
        raise ImportError(
            "algorithm='faiss' needs the package faiss, which is not installed. "
            'Run pip install "hypcse[large]", or choose algorithm="brute" or "kd-tree".'
        ) from None
    return faiss


@contextmanager
def _workers(faiss: Any) -> Iterator[ThreadPoolExecutor]:
    """Threads in which faiss and its matrix products each use one thread.

    Every block of queries is then computed in one way whatever the number of threads. The setting belongs to
    the calling thread, so that the user's own stays as it was.
    """
    threads = numba.get_num_threads()
    with ThreadPoolExecutor(threads, initializer=faiss.omp_set_num_threads, initargs=(1,)) as pool:
        yield pool


def _build(faiss: Any, points: NDArray[np.float32]) -> Any:
    """The index with all points in their lists; the centres are learned from about 40 points each."""
    n, d = points.shape
    n_lists = max(1, min(int(4 * math.sqrt(n)), n // 40))
    index = faiss.IndexIVFFlat(faiss.IndexFlatL2(d), d, n_lists)
    index.cp.seed = _SEED
    index.cp.min_points_per_centroid = 1
    index.cp.max_points_per_centroid = 40
    index.train(points)
    index.add(points)
    return index


def _choose_lists(index: Any, points: NDArray[np.float32], X: NDArray[np.floating], k: int) -> float:
    """Double the number of lists that a query reads until a sample finds its true neighbours; the share found."""
    n = points.shape[0]
    sample = _sample(n, SAMPLE)
    farthest = brute_force(X, k, Queries.rows(X, sample))[1][:, -1:]
    reads = 4
    while True:
        _read_lists(index, min(reads, index.nlist), n)
        candidates = index.search(points[sample], min(k + EXTRA, n))[1]
        # By distance: among equal ones any choice is right.
        share = float((sorted_candidates(X, X[sample], sample, candidates)[1][:, :k] <= farthest).mean())
        if share >= RECALL or reads >= index.nlist:
            return share
        reads *= 2


def _sample(n: int, size: int) -> NDArray[np.int64]:
    return np.sort(np.random.default_rng(_SEED).choice(n, min(size, n), replace=False))


def _robustly_centred(X: NDArray[np.floating]) -> NDArray[np.float32]:
    """(X - median) / (median distance from it), in float32, by a sample of rows.

    A few rows far away would move the mean and the range, and leave the others equal in single precision. They
    themselves are moved to where their squares are still numbers.
    """
    some = X[_sample(len(X), 8 * SAMPLE)].astype(np.float64)
    centre = np.median(some, axis=0)
    away = np.abs(some - centre).max(axis=1)
    unit = float(np.median(away[away > 0])) if away.any() else 1.0
    with np.errstate(over="ignore"):
        points = in_unit(X, centre, unit)
    return np.clip(points, -FAR, FAR, out=points)


def _exact_after_all(X: NDArray[np.floating], k: int, share: float) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
    n, d = X.shape
    warnings.warn(
        f"faiss finds {share:.3f} of the neighbours of these {n} points, less than {RECALL}, because single precision "
        "cannot tell them apart. They are searched exactly instead, which may take minutes or hours. "
        "Scale the columns, or remove points that are far from all others.",
        HypcseWarning,
        stacklevel=5,
    )
    return kd_tree(X, k) if d <= 15 and k < n - 1 else brute_force(X, k)


def _read_lists(index: Any, reads: int, n: int) -> None:
    """Let a query read `reads` lists, but no more than 32 times the points that even lists would hold.

    Without this limit a table with many copies of one point would put them in one list and cost O(n^2).
    """
    index.nprobe = reads
    index.max_codes = min(n, 32 * reads * (n // index.nlist + 1)) if reads < index.nlist else 0
