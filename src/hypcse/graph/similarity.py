"""The sparse similarity graph of a table."""

from __future__ import annotations

import math
import warnings
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from hypcse._arrays import freeze
from hypcse._checks import HypcseWarning, check_choice, check_count
from hypcse._choices import Bandwidth, Metric, NeighborSearch, Scale, WidthRule
from hypcse._threads import openmp_threads
from hypcse.graph.features import dense_features
from hypcse.graph.graph import Graph
from hypcse.graph.neighbors.search import nearest_neighbors
from hypcse.graph.scaling import scale_features
from hypcse.kernels.points.nearest import candidate_distances

# From this many points on, `nearest_neighbors` is used instead of scikit-learn.
LARGE = 20_000
# A smaller weight is raised to this, so that products of volumes stay representable.
MIN_WEIGHT = 1e-100
# exp(-230) is the last weight above MIN_WEIGHT.
MAX_EXPONENT = 230.0
# Squares of bandwidths outside these limits overflow or underflow.
BANDWIDTHS = (1e-150, 1e150)


def similarity_graph(
    X: Any,
    n_neighbors: int = 10,
    bandwidth: Bandwidth = 1.0,
    scale: Scale = "minmax",
    *,
    metric: Metric = "euclidean",
    algorithm: NeighborSearch = "auto",
) -> Graph:
    """Connect each point to its nearest neighbours with weights w = exp(-d^2 / bandwidth^2), averaged both ways.

    A one-sided neighbour gets half the weight. The diagonal is kept in `self_weights`.

    Parameters
    ----------
    X
        Features, one row per point, dense or sparse; precomputed distances; or `Points`, whose own graph is returned
        if they have one. Sparse features of up to 512 columns are made dense. With more columns, the 64 main directions
        are used (truncated singular value decomposition).
    n_neighbors
        Number of neighbours per point; with n - 1 or more the graph is complete.
    bandwidth
        A positive number, "auto" or "median". "median" is the median of the neighbours' distances above 0 (1 if there
        are none). "auto" is 1 for Euclidean distances of features scaled by "minmax", and otherwise the largest of the
        neighbours' distances: each weight is then between 1/e and 1 before both ways are averaged, and no unit changes
        it. A number so small that weights fall below 1e-100 is replaced by the median, with a warning.
    scale
        "minmax", "standard", "rank" or "none", see `scale_features`; not applied to precomputed distances.
    metric
        See `nearest_neighbors`.
    algorithm
        See `nearest_neighbors`.

    Returns
    -------
    Graph
        A graph whose vertex k is row k of X.

    Notes
    -----
    By default, below 20,000 points, this is the graph behind the published figures: scikit-learn's neighbours, in its
    own order among equal distances. The diagonal is then 1, or 0 for a point that exact copies push out of its own
    list. Otherwise equal distances are ordered by id and the diagonal is 1. Memory O(n k).

    Examples
    --------
    >>> similarity_graph([[0.0], [1.0], [9.0]], n_neighbors=1, scale="none", bandwidth=8.0).n_edges
    2
    """
    check_choice("scale", scale, Scale)
    check_choice("metric", metric, Metric)
    check_choice("algorithm", algorithm, NeighborSearch)
    check_similarity(n_neighbors, bandwidth)
    if callable(getattr(X, "similarity", None)):
        return _of_points(X, n_neighbors, bandwidth, scale, {"metric": metric, "algorithm": algorithm})
    points = X if metric == "precomputed" else scale_features(dense_features(X), scale, metric)
    width = width_on_scale(bandwidth, scale, metric)
    return scaled_similarity(points, n_neighbors, width, metric=metric, algorithm=algorithm)[0]


def width_on_scale(bandwidth: Bandwidth, scale: Scale, metric: Metric) -> Bandwidth:
    """The bandwidth, with "auto" made 1 where the scale itself gives distances their unit.

    Columns from 0 to 1 have distances without a unit; 1 is wide beside those between neighbours, as is the largest of
    them, which "auto" stands for anywhere else.
    """
    return 1.0 if bandwidth == "auto" and scale == "minmax" and metric == "euclidean" else bandwidth


def _of_points(points: Any, n_neighbors: int, bandwidth: Bandwidth, scale: Scale, others: dict[str, str]) -> Graph:
    """The graph of `Points`, which have their own metric."""
    for name, default in (("metric", "euclidean"), ("algorithm", "auto")):
        if others[name] != default:
            raise ValueError(
                f"{name}={others[name]!r} cannot be used with Points, which have their own metric. "
                "Pass Points.of(X, metric=...), or the features themselves: points.table."
            )
    return points.similarity(n_neighbors, bandwidth, scale)


def scaled_similarity(
    points: Any,
    n_neighbors: int,
    bandwidth: Bandwidth,
    *,
    metric: Metric = "euclidean",
    algorithm: NeighborSearch = "auto",
) -> tuple[Graph, float]:
    """The similarity graph of points that are already scaled, and the bandwidth used."""
    check_similarity(n_neighbors, bandwidth)
    indices, squared, self_weights = weighed_neighbors(points, n_neighbors, metric=metric, algorithm=algorithm)
    width = _chosen_width(indices, squared, bandwidth)
    return _average_with_transpose(indices, gaussian_weights(squared, width), self_weights), width


def weighed_neighbors(
    points: Any, n_neighbors: int, *, metric: Metric = "euclidean", algorithm: NeighborSearch = "auto"
) -> tuple[NDArray[np.int64], NDArray[np.float64], NDArray[np.float64]]:
    """The neighbours that a similarity graph goes by (-1 for none), their squared distances, and the diagonal."""
    if metric == "euclidean" and algorithm == "auto" and len(points) < LARGE:
        return _published_neighbors(points, n_neighbors)
    indices, distances = nearest_neighbors(points, n_neighbors, metric=metric, algorithm=algorithm)
    return indices, np.square(distances, out=distances), np.ones(len(indices))


def gaussian_weights(squared: NDArray[np.float64], width: float) -> NDArray[np.float64]:
    """exp(-d^2 / width^2) of squared distances, never below 1e-100."""
    return np.maximum(np.exp(-_exponents(squared, width)), MIN_WEIGHT)


def check_similarity(n_neighbors: int, bandwidth: Bandwidth) -> None:
    """Raise for an invalid number of neighbours or bandwidth."""
    check_count("n_neighbors", n_neighbors, 1)
    _check_bandwidth(bandwidth)


def _published_neighbors(
    points: NDArray[np.float32], n_neighbors: int
) -> tuple[NDArray[np.int64], NDArray[np.float64], NDArray[np.float64]]:
    """scikit-learn's neighbours, squared distances, and 1 for each point that is in its own list.

    A point in its own list is marked by -1.
    """
    from sklearn.neighbors import NearestNeighbors

    everyone = np.arange(len(points))
    search = NearestNeighbors(n_neighbors=min(n_neighbors + 1, len(points))).fit(points)
    with openmp_threads():
        indices = search.kneighbors(points, return_distance=False).astype(np.int64, copy=False)
    squared = candidate_distances(points, points, indices)
    itself = indices == everyone[:, None]
    return np.where(itself, -1, indices), squared, itself.any(axis=1).astype(np.float64)


def _check_bandwidth(bandwidth: Bandwidth) -> None:
    low, high = BANDWIDTHS
    if isinstance(bandwidth, str):
        check_choice("bandwidth", bandwidth, WidthRule)
    elif isinstance(bandwidth, bool) or not isinstance(bandwidth, int | float | np.integer | np.floating):
        raise TypeError(f"bandwidth={bandwidth!r} must be a positive number, 'auto' or 'median'.")
    elif not low <= bandwidth <= high:
        raise ValueError(f"bandwidth={bandwidth} must lie between {low} and {high}. Try bandwidth='median'.")


def _chosen_width(indices: NDArray[np.int64], squared: NDArray[np.float64], bandwidth: Bandwidth) -> float:
    """The given bandwidth, or the one that the neighbours' distances say where that is asked for or needed."""
    known = squared[indices >= 0]
    if bandwidth == "auto":
        return root_width(known.max(initial=0.0))
    if bandwidth == "median":
        return _median_distance(known)
    width = float(bandwidth)
    if known.size and _exponents(known.max(), width) > MAX_EXPONENT:
        width = _median_distance(known)
        _warn_underflow(indices, _exponents(squared, float(bandwidth)), float(bandwidth), width)
    return width


def _exponents(squared: Any, width: float) -> Any:
    with np.errstate(over="ignore"):
        return squared / (width * width)


def _median_distance(squared: NDArray[np.float64]) -> float:
    positive = squared[squared > 0]
    return clip_width(float(np.median(np.sqrt(positive)))) if positive.size else 1.0


def root_width(largest: float) -> float:
    """The bandwidth "auto" for the largest squared distance between neighbours; 1 if all are 0."""
    return clip_width(math.sqrt(largest)) if largest > 0 else 1.0


def clip_width(width: float) -> float:
    """The bandwidth, within the limits."""
    return float(np.clip(width, *BANDWIDTHS))


def _warn_underflow(indices: NDArray[np.int64], exponents: NDArray[np.float64], bandwidth: float, width: float) -> None:
    low = (indices >= 0) & (exponents > MAX_EXPONENT)
    rows, columns = np.nonzero(low)[0], indices[low]
    ends = np.minimum(rows, columns) * len(indices) + np.maximum(rows, columns)
    power = exponents[low].max() / math.log(10)
    warnings.warn(
        f"bandwidth={bandwidth} makes {np.unique(ends).size} edges lighter than {MIN_WEIGHT} "
        f"(the lightest about 10^-{power:.4g}), which is too light to compute with. The median distance between "
        f"neighbours, bandwidth={width:.6g}, is used instead; pass bandwidth='median' to choose it yourself.",
        HypcseWarning,
        stacklevel=5,
    )


def _average_with_transpose(
    indices: NDArray[np.int64], weights: NDArray[np.float64], self_weights: NDArray[np.float64]
) -> Graph:
    """The graph of (W + W^T) / 2 for directed weights given row by row; entries of -1 are left out."""
    known = indices >= 0
    indptr = np.concatenate([[0], np.cumsum(known.sum(axis=1))])
    shape = (len(indices), len(indices))
    W = sparse.csr_array((weights[known], indices[known].astype(np.int32), indptr), shape=shape)
    W.sort_indices()
    both = sparse.csr_array(W + W.T.tocsr())
    both.sort_indices()
    # Halving can go below the smallest weight again.
    halved = np.maximum(both.data / 2, MIN_WEIGHT)
    return Graph(*map(freeze, (both.indptr.astype(np.int64), both.indices, halved, self_weights)))
