"""Points that lie far from their nearest neighbors, measured by what is usual in their cluster and among all points."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from hypcse.graph import Graph
from hypcse.partitions.cuts import substantial_size
from hypcse.search.binary import volume_heights
from hypcse.search.leaving import joined_by_distance
from hypcse.tree import Tree
from hypcse.tree.flat import count_clusters

CORE, FENCE = 1.5, 2.0
"""How many interquartile ranges above the upper quartile the core of the points ends, and where outliers begin."""
LEAST_EXCESS = math.log(2)
"""No point is an outlier unless its neighbors are twice as far away as usual."""
CLOSEST = 1e-3
"""Share of the usual distance below which distances count as equal: copies are at distance 0."""
BLOCK = 100_000
"""Edges measured at a time."""

Floats = NDArray[np.float64]
Labels = NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class Outliers:
    """How far every point lies from its neighbors, and from where on that makes it an outlier.

    distances : (n,) mean distance to the nearest neighbors.
    usual     : (n,) the usual distance where the point lies.
    limit     : outliers are the points with an excess above it.
    """

    distances: Floats
    usual: Floats
    limit: float

    def scores(self) -> Floats:
        """(n,) 1 - usual distance / distance, and 0 for points no farther away than usual."""
        return 1 - np.exp(-np.maximum(excess(self.distances, self.usual), 0.0))

    def marked(self) -> NDArray[np.bool_]:
        """(n,) which points are outliers."""
        return excess(self.distances, self.usual) > self.limit


def measure(graph: Graph, points: NDArray[np.float32] | None, labels: Labels, n_neighbors: int) -> Outliers:
    """The outliers among points; without points, among the vertices of a graph."""
    if points is None:
        return find_outliers(tie_distances(graph, labels), labels)
    return find_outliers(neighbor_distances(graph, points, n_neighbors), labels)


def find_outliers(distances: Floats, labels: Labels) -> Outliers:
    """Compare distances with the usual ones, and find where outliers begin.

    The usual distance of a point is the geometric mean of two medians: among the points of its cluster, and among all
    points. The first alone would miss outliers that make up half of a cluster, the second those beside a dense cluster
    when another one is sparse. Clusters that are not substantial have the second alone.

    The logarithms of distance / usual distance, the excesses, have no unit. Outliers begin two interquartile ranges
    above the upper quartile of the core; the core is what remains when all points more than 1.5 ranges above are left
    out, again and again until nothing changes. At least as many points as there are clusters are no outliers.

    >>> far = find_outliers(np.array([1.0, 1.1, 0.9, 1.2, 1.0, 1.1, 9.0]), np.zeros(7, np.int64))
    >>> far.scores().round(2).tolist(), far.marked().tolist()
    ([0.0, 0.0, 0.0, 0.08, 0.0, 0.0, 0.88], [False, False, False, False, False, False, True])
    """
    positive = distances > 0
    if not positive.any():
        return Outliers(distances, np.ones(distances.size), LEAST_EXCESS)
    overall = float(np.median(distances[positive]))
    counts = np.bincount(labels[positive], minlength=int(labels.max()) + 1)
    order = np.flatnonzero(positive)[np.lexsort((distances[positive], labels[positive]))]
    begin = np.cumsum(counts) - counts
    substantial = counts >= substantial_size(labels.size, int(np.count_nonzero(counts)))
    usual = np.full(counts.size, overall)
    low, high = (begin + (counts - 1) // 2)[substantial], (begin + counts // 2)[substantial]
    medians = (distances[order[low]] + distances[order[high]]) / 2
    usual[substantial] = np.sqrt(medians * overall)
    excesses = excess(distances, usual[labels])
    return Outliers(
        distances, usual[labels], max(limit_of(excesses), float(np.sort(excesses)[count_clusters(labels) - 1]))
    )


def excess(distances: Floats, usual: Floats) -> Floats:
    """Logarithm of how many times as far as usual."""
    return np.log(np.maximum(distances / usual, CLOSEST))


def limit_of(excesses: Floats) -> float:
    """The excess at which outliers begin."""
    core = np.sort(excesses)
    while True:
        lower, upper = np.percentile(core, [25, 75])
        inside = core[: np.searchsorted(core, upper + CORE * (upper - lower), side="right")]
        if inside.size == core.size:
            return max(float(upper + FENCE * (upper - lower)), LEAST_EXCESS)
        core = inside


def neighbor_distances(graph: Graph, points: NDArray[np.float32], n_neighbors: int) -> Floats:
    """Mean distance of every point to those among its nearest neighbors in the graph, 0 without an edge. O(m d)."""
    i, j, _ = graph.edges()
    lengths = np.empty(i.size)
    for start in range(0, i.size, BLOCK):
        part = slice(start, start + BLOCK)
        lengths[part] = np.sqrt(np.square(points[i[part]].astype(np.float64) - points[j[part]]).sum(axis=1))
    ends, lengths = np.concatenate([i, j]), np.concatenate([lengths, lengths])
    order = np.lexsort((lengths, ends))
    ends, lengths = ends[order], lengths[order]
    degree = np.bincount(ends, minlength=graph.n_vertices)
    nearest = np.arange(ends.size) - np.repeat(np.cumsum(degree) - degree, degree) < n_neighbors
    sums = np.bincount(ends[nearest], lengths[nearest], graph.n_vertices)
    return sums / np.clip(degree, 1, n_neighbors)


def tie_distances(graph: Graph, labels: Labels) -> Floats:
    """For a graph alone: how weakly each vertex is tied to its cluster, 1 / the weight of its edges into it. O(m)."""
    weights = inside_weights(graph, labels)
    positive = weights[weights > 0]
    if positive.size == 0:
        return np.zeros(weights.size)
    return 1 / np.maximum(weights, CLOSEST * np.median(positive))


def inside_weights(graph: Graph, labels: Labels) -> Floats:
    """Weight of the edges of each vertex that stay in its cluster."""
    i, j, w = graph.edges()
    inside = w * (labels[i] == labels[j])
    weights = np.bincount(i, inside, labels.size).astype(np.float64, copy=False)
    weights += np.bincount(j, inside, labels.size)
    return weights


def shares_of_clusters(graph: Graph, labels: Labels) -> Floats:
    """Share of the weight of each vertex's edges that goes to each cluster, (n, k); rows sum to 1.

    Edges to outliers, labeled -1, do not count. A vertex without other edges has its own cluster or, as an outlier, the
    clusters' shares of all vertices.
    """
    members = np.flatnonzero(labels >= 0)
    shape = (labels.size, int(labels.max()) + 1)
    own = sparse.csr_array((np.ones(members.size), (members, labels[members])), shape=shape)
    shares = (graph.without_loops().to_scipy() @ own).toarray()
    alone = shares.sum(axis=1) == 0
    shares[alone] = np.where(labels[alone, None] >= 0, own[alone].toarray(), own.sum(axis=0))
    return shares / shares.sum(axis=1, keepdims=True)


def without_points(tree: Tree, graph: Graph, marked: NDArray[np.bool_]) -> tuple[Tree, Graph]:
    """The tree and the graph of the other points, at heights that suit each other. O(n + m)."""
    kept = np.flatnonzero(~marked)
    small, subgraph = tree.prune(kept), graph.subgraph(kept)[0]
    if not joined_by_distance(tree, graph, foreign=False).any():
        return small, subgraph
    height = np.where(small.joined_by_distance, small.height, volume_heights(small.parent, subgraph))
    return replace(small, height=height), subgraph
