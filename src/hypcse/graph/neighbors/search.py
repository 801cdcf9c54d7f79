"""The k nearest neighbours of each point: chooses the method and the distance."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from hypcse._checks import check_choice, check_count, check_features
from hypcse._choices import Metric, NeighborSearch
from hypcse.graph.features import dense_features
from hypcse.graph.neighbors.approximate import near_in_lists
from hypcse.graph.neighbors.exact import Queries, brute_force, kd_tree
from hypcse.graph.neighbors.gpu import find_card, near_on_card
from hypcse.graph.neighbors.precomputed import precomputed_neighbors

# Beyond this many points, every exact method over all pairs takes minutes.
MAX_EXACT = 50_000
# Columns up to which a k-d tree is faster than brute force.
MAX_TREE_COLUMNS = 15
# Columns up to which a k-d tree is faster than anything, at any number of points.
MAX_LOW_COLUMNS = 6
# Squares of larger differences overflow float64.
MAX_VALUE = 1e150
# If all columns have a smaller range, squares of differences underflow.
MIN_RANGE = 1e-100


class Neighbors(NamedTuple):
    """Nearest neighbours by (distance, id), both (n, k): ids, padded with -1, and distances, padded with infinity."""

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
        How many neighbours to find for each point.
    metric
        "euclidean"; "cosine", 1 - cos = |u - v|^2 / 2 of the unit rows; or "precomputed", if X holds the distances:
        square, condensed (SciPy's `pdist`) or sparse (only stored entries are known).
    algorithm
        "brute" and "kd-tree" are exact. "lists" finds an estimated 0.995 of the neighbours or more, by a sample of 512
        points; if it cannot, the search is exact, with a warning if that takes long. "auto" takes the fastest exact one
        up to 50,000 points and "lists" beyond, except in up to 6 columns. If torch sees a GPU, it replaces "lists" by
        an exact search, unless single precision leaves over 2 % of a sample uncertain. Precomputed distances are always
        read completely.

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
        indices, squared = _search(unit_rows(features), n_neighbors, algorithm)
        return Neighbors(indices, np.divide(squared, 2, out=squared))
    check_range(features)
    points, power = representable(features)
    indices, squared = _search(points, n_neighbors, algorithm)
    distances = np.sqrt(squared, out=squared)
    return Neighbors(indices, np.ldexp(distances, -power, out=distances) if power else distances)


def neighbors_among(X: NDArray[np.floating], points: NDArray[np.floating], n_neighbors: int) -> Neighbors:
    """The `n_neighbors` nearest rows of X (all, if there are no more) for each of some other points, (m, k), exactly.

    Both tables are finite and of one dtype, as `Scaling` gives them. Equal distances are ordered by id. The result for
    a point does not depend on the other points. O(n d) per point; less in few dimensions and with many points.

    >>> neighbors_among(np.array([[0.0], [1.0], [3.0]]), np.array([[2.0]]), 2).indices
    array([[1, 2]])
    """
    check_count("n_neighbors", n_neighbors, 1)
    n, d = X.shape
    k = min(n_neighbors, n)
    card = find_card() if _suits_card(n, d, len(points)) else None
    if card is not None:
        found = near_on_card(X, k, Queries.new(points), device=card)
        if found is not None:
            return Neighbors(found[0], np.sqrt(found[1], out=found[1]))
    # A tree pays off only for about as many queries as it has levels.
    search = kd_tree if d <= MAX_TREE_COLUMNS and k < n - 1 and len(points) > 16 else brute_force
    indices, squared = search(X, k, Queries.new(points))
    return Neighbors(indices, np.sqrt(squared, out=squared))


def _search(
    X: NDArray[np.floating], n_neighbors: int, algorithm: NeighborSearch
) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
    n, d = X.shape
    k = min(n_neighbors, n - 1)
    if k == 0:
        return np.empty((n, 0), np.int64), np.empty((n, 0))
    chosen = _fastest(n, d) if algorithm == "auto" else algorithm
    card = find_card() if algorithm == "auto" and chosen == "lists" else None
    if card is not None:
        found = near_on_card(X, k, device=card)
        if found is not None:
            return found
    if chosen == "lists":
        return near_in_lists(X, k)
    if chosen == "kd-tree" and k < n - 1:
        return kd_tree(X, k)
    return brute_force(X, k)


def _fastest(n: int, d: int) -> str:
    """The fastest method on clustered tables, as measured on two cores."""
    if d <= MAX_LOW_COLUMNS or (d <= MAX_TREE_COLUMNS and n <= MAX_EXACT):
        return "kd-tree"
    return "brute" if n <= MAX_EXACT else "lists"


def _suits_card(n: int, d: int, n_queries: int) -> bool:
    """Whether a GPU, if there is one, finds neighbours faster than a tree or products on the CPU."""
    return d > MAX_LOW_COLUMNS and n > MAX_EXACT and n * n_queries > MAX_EXACT**2


def unit_rows(features: NDArray[np.floating]) -> NDArray[np.float64]:
    """Rows divided by their length, in float64; first by their largest entry, so that no square overflows."""
    rows = features.astype(np.float64)
    largest = np.abs(rows).max(axis=1, keepdims=True)
    if not largest.all():
        row = int(np.flatnonzero(largest == 0)[0])
        raise ValueError(
            f"row {row} of X (after scaling, if any) is all zeros, so its cosine distance is "
            "not defined. Remove the row, choose another scale, or use metric='euclidean'."
        )
    rows /= largest
    rows /= np.sqrt(np.einsum("ij,ij->i", rows, rows))[:, None]
    return rows


def check_range(features: NDArray[np.floating]) -> None:
    """Raise if squared distances would overflow."""
    if max(float(features.max()), -float(features.min())) > MAX_VALUE:
        row, column = np.unravel_index(int(np.argmax(np.abs(features))), features.shape)
        raise ValueError(
            f"X has {features[row, column]:.6g} at ({row}, {column}); beyond {MAX_VALUE:.0e} squared "
            "distances overflow. Divide X by a constant first."
        )


def representable(features: NDArray[np.floating]) -> tuple[NDArray[np.floating], int]:
    """The table times 2^power, without rounding, so that squares of differences do not underflow."""
    low, high = features.min(axis=0), features.max(axis=0)
    widest = float((high - low).max())
    if not 0 < widest < MIN_RANGE:
        return features, 0
    power = -int(np.frexp(widest)[1])
    # A constant column could overflow, and adds nothing to a distance.
    return np.ldexp(np.where(low < high, features, 0), power), power
