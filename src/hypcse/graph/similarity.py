"""The sparse similarity graph of a table, and links of new points to it."""

from __future__ import annotations

import math
from dataclasses import dataclass, fields
from typing import Any, NamedTuple, Self

import numpy as np
from scipy import sparse

from hypcse._arrays import freeze
from hypcse._checks import check_choice, check_count, warn
from hypcse._choices import Bandwidth, Metric, NeighborSearch, Scale, WidthRule
from hypcse.graph.graph import Graph
from hypcse.graph.neighbors import search
from hypcse.graph.neighbors.exact import TreeIndex
from hypcse.graph.neighbors.search import nearest_neighbors, neighbors_among, published_neighbors
from hypcse.graph.scaling import scale_features
from hypcse.kernels.arrays import Flags, Ids, Reals, Singles

# A smaller weight is raised to this, so that products of volumes stay representable.
MIN_WEIGHT = 1e-100
# exp(-230) is the last weight above MIN_WEIGHT.
MAX_EXPONENT = 230.0
# Squares of bandwidths outside these limits overflow or underflow.
BANDWIDTHS = (1e-150, 1e150)


@dataclass(frozen=True)
class GraphOptions:
    """The options of a similarity graph, checked; see `similarity_graph`."""

    n_neighbors: int = 10
    bandwidth: Bandwidth = 1.0
    scale: Scale = "minmax"
    metric: Metric = "euclidean"
    algorithm: NeighborSearch = "auto"

    def __post_init__(self) -> None:
        check_choice("scale", self.scale, Scale)
        check_choice("metric", self.metric, Metric)
        check_choice("algorithm", self.algorithm, NeighborSearch)
        check_count("n_neighbors", self.n_neighbors, 1)
        bandwidth, (low, high) = self.bandwidth, BANDWIDTHS
        if isinstance(bandwidth, str):
            check_choice("bandwidth", bandwidth, WidthRule)
        elif isinstance(bandwidth, bool) or not isinstance(bandwidth, int | float | np.integer | np.floating):
            raise TypeError(f"bandwidth={bandwidth!r} must be a positive number, 'auto' or 'median'.")
        elif not low <= bandwidth <= high:
            raise ValueError(f"bandwidth={bandwidth} must lie between {low} and {high}. Try bandwidth='median'.")

    @classmethod
    def of(cls, model: Any) -> Self:
        """The options that an estimator has, with the defaults of the others."""
        names = [field.name for field in fields(GraphOptions) if hasattr(model, field.name)]
        return cls(**{name: getattr(model, name) for name in names})

    @property
    def width(self) -> Bandwidth:
        """The bandwidth, 1 for "auto" if columns are scaled to 0 .. 1: their distances have no unit then."""
        unit = self.scale == "minmax" and self.metric == "euclidean"
        return 1.0 if self.bandwidth == "auto" and unit else self.bandwidth


def similarity_graph(
    X: Any,
    n_neighbors: int = 10,
    bandwidth: Bandwidth = 1.0,
    scale: Scale = "minmax",
    *,
    metric: Metric = "euclidean",
    algorithm: NeighborSearch = "auto",
) -> Graph:
    """Connect each point to its nearest neighbors with weights w = exp(-d^2 / bandwidth^2), averaged both ways.

    A one-sided neighbor gets half the weight. The diagonal is kept in `self_weights`.

    Parameters
    ----------
    X
        Features, one row per point, dense or sparse; precomputed distances; or `Points`, whose own graph is returned
        if they have one. Sparse features of up to 512 columns are made dense. With more columns, the 64 main directions
        are used (truncated singular value decomposition).
    n_neighbors
        Number of neighbors per point; with n - 1 or more the graph is complete.
    bandwidth
        A positive number, "auto" or "median". "median" is the median of the neighbors' distances above 0 (1 if there
        are none). "auto" is 1 for Euclidean distances of features scaled by "minmax", and otherwise the largest of the
        neighbors' distances: each weight is then between 1/e and 1 before both ways are averaged, and no unit changes
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
    By default, below 12,000 points, this is the graph behind the published figures: scikit-learn's neighbors, in its
    own order among equal distances. The diagonal is then 1, or 0 for a point that exact copies push out of its own
    list. Otherwise equal distances are ordered by id and the diagonal is 1. Memory O(n k).

    Examples
    --------
    >>> similarity_graph([[0.0], [1.0], [9.0]], n_neighbors=1, scale="none", bandwidth=8.0).n_edges
    2
    """
    options = GraphOptions(n_neighbors, bandwidth, scale, metric, algorithm)
    if callable(getattr(X, "similarity", None)):
        for name, default in (("metric", "euclidean"), ("algorithm", "auto")):
            if getattr(options, name) != default:
                raise ValueError(
                    f"{name}={getattr(options, name)!r} cannot be used with Points, which have their own metric. "
                    "Pass Points.of(X, metric=...), or the features themselves: points.table."
                )
        return X.similarity(n_neighbors, bandwidth, scale)
    points = X if metric == "precomputed" else scale_features(X, scale, metric)
    return scaled_similarity(points, options)[0]


def scaled_similarity(points: Any, options: GraphOptions) -> tuple[Graph, float]:
    """The similarity graph of points that are already scaled, and the bandwidth used."""
    indices, squared, self_weights = weighed_neighbors(points, options)
    width = _chosen_width(indices, squared, options.width)
    return _average_with_transpose(indices, gaussian_weights(squared, width), self_weights), width


def weighed_neighbors(points: Any, options: GraphOptions) -> tuple[Ids, Reals, Reals]:
    """The neighbors that a similarity graph goes by (-1 for none), their squared distances, and the diagonal."""
    if options.metric == "euclidean" and options.algorithm == "auto" and len(points) < search.MAX_PUBLISHED:
        return published_neighbors(points, options.n_neighbors)
    indices, distances = nearest_neighbors(
        points, options.n_neighbors, metric=options.metric, algorithm=options.algorithm
    )
    return indices, np.square(distances, out=distances), np.ones(len(indices))


def gaussian_weights(squared: Reals, width: float) -> Reals:
    """exp(-d^2 / width^2) of squared distances, never below 1e-100."""
    return np.maximum(np.exp(-_exponents(squared, width)), MIN_WEIGHT)


def _exponents(squared: Any, width: float) -> Any:
    with np.errstate(over="ignore"):
        return squared / (width * width)


def _chosen_width(indices: Ids, squared: Reals, bandwidth: Bandwidth) -> float:
    """The bandwidth as a number: the median where weights would be too light."""
    known = squared[indices >= 0]
    if bandwidth == "auto":
        return root_width(known.max(initial=0.0))
    if bandwidth == "median":
        return _median_distance(known)
    width = float(bandwidth)
    if known.size == 0 or _exponents(known.max(), width) <= MAX_EXPONENT:
        return width
    low = (indices >= 0) & (_exponents(squared, width) > MAX_EXPONENT)
    rows, columns = np.nonzero(low)[0], indices[low]
    ends = np.minimum(rows, columns) * len(indices) + np.maximum(rows, columns)
    median = _median_distance(known)
    warn(light_weights(bandwidth, f"{np.unique(ends).size} edges", _exponents(known.max(), width), median))
    return median


def light_weights(bandwidth: Bandwidth, edges: str, exponent: float, median: float) -> str:
    """The text of the warning that the median replaces a bandwidth."""
    return (
        f"bandwidth={bandwidth} makes {edges} lighter than {MIN_WEIGHT} (the lightest about "
        f"10^-{exponent / math.log(10):.4g}), which is too light to compute with. The median distance between "
        f"neighbors, bandwidth={median:.6g}, is used instead; pass bandwidth='median' to choose it yourself."
    )


def _median_distance(squared: Reals) -> float:
    positive = squared[squared > 0]
    return clip_width(float(np.median(np.sqrt(positive)))) if positive.size else 1.0


def root_width(largest: float) -> float:
    """The bandwidth "auto" for the largest squared distance between neighbors; 1 if all are 0."""
    return clip_width(math.sqrt(largest)) if largest > 0 else 1.0


def clip_width(width: float) -> float:
    """The bandwidth, within the limits."""
    return float(np.clip(width, *BANDWIDTHS))


def _average_with_transpose(indices: Ids, weights: Reals, self_weights: Reals) -> Graph:
    """The graph of (W + W^T) / 2 for directed weights, row by row; entries of -1 are left out."""
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


class Links(NamedTuple):
    """Edges from m new points to k vertices of a graph each, nearest first, all (m, k); never among new points.

    indices   : the vertices.
    distances : distances to them, on the scale of the graph.
    weights   : w = exp(-d^2 / bandwidth^2), as in `similarity_graph`.
    """

    indices: Ids
    distances: Reals
    weights: Reals

    def copies(self) -> Flags:
        """Which new points lie exactly on a vertex; their first link leads to the vertex with the smallest id."""
        return self.distances[:, 0] == 0

    def part(self, rows: slice | Flags) -> Links:
        """The links of some of the new points."""
        return Links(self.indices[rows], self.distances[rows], self.weights[rows])


def links_to(
    points: Singles,
    new_points: Singles,
    n_neighbors: int,
    bandwidth: float,
    metric: Metric = "euclidean",
    index: TreeIndex | None = None,
) -> Links:
    """Links of new points (m, d) to their nearest among the points (n, d) of a graph, on one scale.

    O(n d) per point, less with an `index_of` the points; O(m k) memory and one block.
    """
    indices, distances = neighbors_among(points, new_points, n_neighbors, index)
    if metric == "cosine":
        # All rows have length 1, and 1 - cos = |u - v|^2 / 2.
        distances = np.square(distances) / 2
    return Links(indices, distances, gaussian_weights(np.square(distances), bandwidth))
