"""The k nearest neighbors of each point: chooses the method and the distance."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from hypcse._checks import check_choice, check_count, check_features, say_count, warn
from hypcse._choices import Metric, NeighborSearch
from hypcse._threads import openmp_threads
from hypcse.graph.features import dense_features
from hypcse.graph.neighbors.approximate import nearest_in_lists
from hypcse.graph.neighbors.exact import Nearest, Queries, TreeIndex, brute_force, kd_tree
from hypcse.graph.neighbors.gpu import find_gpu, nearest_on_gpu
from hypcse.graph.neighbors.precomputed import precomputed_neighbors
from hypcse.kernels.points.nearest import candidate_distances

# Beyond this many points, every exact method over all pairs takes minutes.
MAX_EXACT = 50_000
# Up to this many points, a similarity graph goes by `published_neighbors`.
MAX_PUBLISHED = 12_000
# For no more queries than this, a k-d tree is not worth building.
FEW_QUERIES = 16
# From this many points, a k-d tree is faster than scikit-learn.
MIN_TREE = 2_000
# Columns up to which a k-d tree is faster than brute force.
MAX_TREE_COLUMNS = 32
# Columns up to which a k-d tree is faster than anything, at any number of points.
MAX_LOW_COLUMNS = 6
# Squares of larger differences overflow float64.
MAX_VALUE = 1e150

ENGINES: dict[str, Callable[[NDArray[np.floating], int], Nearest]] = {
    "brute": brute_force,
    "kd-tree": kd_tree,
    "lists": nearest_in_lists,
}
"""The searches of a table: from points and k to the k nearest others of each. `fastest` chooses among them."""


class Neighbors(NamedTuple):
    """Nearest neighbors by (distance, id), both (n, k): ids, padded with -1, and distances, padded with infinity."""

    indices: NDArray[np.int64]
    distances: NDArray[np.float64]


def nearest_neighbors(
    X: Any, n_neighbors: int, *, metric: Metric = "euclidean", algorithm: NeighborSearch = "auto"
) -> Neighbors:
    """Find the `n_neighbors` nearest other points of each point (all, if there are no more), nearest first.

    Equal distances are ordered by id, and at the end of the list the smaller ids win.

    Parameters
    ----------
    X
        Features, one row per point, dense or sparse; or distances. Sparse features of up to 512 columns are made dense.
        With more columns, the 64 main directions are used (truncated singular value decomposition).
    n_neighbors
        How many neighbors to find for each point.
    metric
        "euclidean"; "cosine", 1 - cos = |u - v|^2 / 2 of the unit rows; or "precomputed", if X holds the distances:
        square, condensed (SciPy's `pdist`) or sparse (only stored entries are known).
    algorithm
        "brute" and "kd-tree" are exact. "lists" of near points, which look for others in each other, find about
        0.998 of the neighbors, by a sample of 1,024 points; if they cannot, the search is exact, with a warning
        if that takes long. "auto" takes the fastest exact one up to 50,000 points and "lists" beyond, except in up to 6
        columns. If torch sees a GPU, it replaces "lists" (by an exact search up to two million points), unless single
        precision leaves over 2 % of a sample uncertain. Precomputed distances are always read completely.

    Returns
    -------
    Neighbors
        `indices` and `distances`, both (n, k), nearest first.

    Examples
    --------
    >>> nearest_neighbors([[0.0], [1.0], [3.0]], 1).indices.ravel()
    array([1, 0, 1])
    """
    check_count("n_neighbors", n_neighbors, 1)
    check_choice("metric", metric, Metric)
    check_choice("algorithm", algorithm, NeighborSearch)
    if metric == "precomputed":
        return Neighbors(*precomputed_neighbors(X, n_neighbors))
    features = np.ascontiguousarray(check_features(dense_features(X)))
    if metric == "cosine":
        warn_of_zeros(features)
        indices, squared = _search(unit_rows(features), n_neighbors, algorithm)
        return Neighbors(indices, np.divide(squared, 2, out=squared))
    check_range(features)
    indices, squared = _search(features, n_neighbors, algorithm)
    return Neighbors(indices, np.sqrt(squared, out=squared))


def published_neighbors(
    points: NDArray[np.float32], n_neighbors: int
) -> tuple[NDArray[np.int64], NDArray[np.float64], NDArray[np.float64]]:
    """scikit-learn's, in its order of ties: ids, squared distances, and 1 for points in their own list, there as -1."""
    without_ties = _untied_neighbors(points, n_neighbors)
    if without_ties is not None:
        return *without_ties, np.ones(len(points))
    from sklearn.neighbors import NearestNeighbors

    fitted = NearestNeighbors(n_neighbors=min(n_neighbors + 1, len(points))).fit(points)
    with openmp_threads():
        indices = fitted.kneighbors(points, return_distance=False).astype(np.int64, copy=False)
    squared = candidate_distances(points, points, indices)
    itself = indices == np.arange(len(points))[:, None]
    return np.where(itself, -1, indices), squared, itself.any(axis=1).astype(np.float64)


def _untied_neighbors(points: NDArray[np.float32], k: int) -> Nearest | None:
    """Each point itself as -1 and its k nearest others, if no two distances are equal up to rounding; else None."""
    n, d = points.shape
    if not n >= MIN_TREE or d > MAX_TREE_COLUMNS or k >= n - 2:
        return None
    indices, squared = kd_tree(points, k + 1)
    norm = float(np.einsum("ij,ij->i", points, points, dtype=np.float64).max())
    if (np.diff(squared, axis=1, prepend=0.0) <= 8 * (d + 16) * float(np.finfo(float).eps) * norm).any():
        return None
    return np.insert(indices[:, :k], 0, -1, axis=1), np.insert(squared[:, :k], 0, 0.0, axis=1)


def neighbors_among(
    X: NDArray[np.floating], points: NDArray[np.floating], n_neighbors: int, index: TreeIndex | None = None
) -> Neighbors:
    """The `n_neighbors` nearest rows of X (all, if there are no more) for each of some other points, (m, k), exactly.

    Both tables are finite and of one dtype, as `Scaling` gives them. Equal distances are ordered by id. O(n d) per
    point; less in few dimensions and with many points, or with an `index_of` X made before.
    """
    n, d = X.shape
    k, queries = min(n_neighbors, n), Queries.new(points)
    nearest = None
    if d > MAX_LOW_COLUMNS and n > MAX_EXACT and n * len(points) > MAX_EXACT**2 and (gpu := find_gpu()) is not None:
        nearest = nearest_on_gpu(X, k, queries, device=gpu)
    if nearest is None:
        few = len(points) <= FEW_QUERIES and index is None
        by_tree = d <= MAX_TREE_COLUMNS and k < n - 1 and not few
        nearest = kd_tree(X, k, queries, index) if by_tree else brute_force(X, k, queries)
    indices, squared = nearest
    return Neighbors(indices, np.sqrt(squared, out=squared))


def index_of(X: NDArray[np.floating], n_queries: int, before: TreeIndex | None = None) -> TreeIndex | None:
    """An index of X for queries of `neighbors_among`: the one before if it is of this array; None if none helps."""
    if before is not None and before.X is X:
        return before
    return TreeIndex.of(X) if n_queries > FEW_QUERIES and X.shape[1] <= MAX_TREE_COLUMNS else None


def _search(X: NDArray[np.floating], n_neighbors: int, algorithm: NeighborSearch) -> Nearest:
    n, d = X.shape
    k = min(n_neighbors, n - 1)
    if k == 0:
        return Queries.rows(X).blank(0)
    engine = fastest(n, d) if algorithm == "auto" else algorithm
    if algorithm == "auto" and engine == "lists" and (gpu := find_gpu()) is not None:
        nearest = nearest_on_gpu(X, k, device=gpu)
        if nearest is not None:
            return nearest
    # A k-d tree looks for one point beyond the last neighbor.
    return ENGINES["brute" if engine == "kd-tree" and k == n - 1 else engine](X, k)


def fastest(n: int, d: int) -> str:
    """The fastest engine on clustered tables, as measured on two cores."""
    if d <= MAX_LOW_COLUMNS or (d <= MAX_TREE_COLUMNS and n <= MAX_EXACT):
        return "kd-tree"
    return "brute" if n <= MAX_EXACT else "lists"


def unit_rows(features: NDArray[np.floating], width: int | None = None) -> NDArray[np.float64]:
    """Rows divided by their length, in float64; first by their largest entry, so that no square overflows.

    Rows of zeros, which have no direction, get one of their own, as a last column: their cosine distance from all
    others is 1. With `width` columns there is such a column or not, whatever the rows are.
    """
    rows = features.astype(np.float64)
    empty = ~rows.any(axis=1)
    if empty.any() if width is None else width > rows.shape[1]:
        rows = np.column_stack([rows, empty])
    elif empty.any():
        raise ValueError(
            f"row {int(np.argmax(empty))} of X (after scaling, if any) is all zeros, so its cosine distance is "
            "not defined. Remove the row, choose another scale, or use metric='euclidean'."
        )
    rows /= np.abs(rows).max(axis=1, keepdims=True)
    rows /= np.sqrt(np.einsum("ij,ij->i", rows, rows))[:, None]
    return rows


def warn_of_zeros(features: NDArray[np.floating]) -> None:
    """Warn of rows of zeros, which have no cosine."""
    empty = ~features.any(axis=1)
    if empty.any():
        warn(
            f"X has {say_count(int(empty.sum()), 'row')} (after scaling, if any) of only zeros, such as an empty text; "
            f"the first is row {int(np.argmax(empty))}. Their cosine distance from all others is 1."
        )


def check_range(features: NDArray[np.floating]) -> None:
    """Raise if squared distances would overflow."""
    if max(float(features.max()), -float(features.min())) > MAX_VALUE:
        row, column = np.unravel_index(int(np.argmax(np.abs(features))), features.shape)
        raise ValueError(
            f"X has {features[row, column]:.6g} at ({row}, {column}); beyond {MAX_VALUE:.0e} squared "
            "distances overflow. Divide X by a constant first."
        )
