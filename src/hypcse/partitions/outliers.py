"""Points that lie far from their nearest neighbors, measured by what is usual in their cluster and among all points."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray
from scipy import ndimage, sparse

from hypcse.graph import Graph
from hypcse.kernels.arrays import Flags, Reals
from hypcse.partitions.cuts import substantial_size
from hypcse.search.binary import volume_heights
from hypcse.search.leaving import joined_by_distance
from hypcse.tree import Tree
from hypcse.tree.flat import Labels, count_clusters

CORE, FENCE = 1.5, 2.0
"""How many interquartile ranges above the upper quartile the core of the points ends, and where outliers begin."""
LEAST_EXCESS = math.log(2)
"""No point is an outlier unless its neighbors are twice as far away as usual."""
CLOSEST = 1e-3
"""Share of the usual distance below which distances count as equal: copies are at distance 0."""
BLOCK = 100_000
"""Edges measured at a time."""


@dataclass(frozen=True, eq=False)
class Outliers:
    """How far every point lies from its neighbors, and from where on that makes it an outlier.

    distances : (n,) mean distance to the nearest neighbors.
    usual     : (n,) the usual distance where the point lies.
    limit     : outliers are the points with an excess above it.
    """

    distances: Reals
    usual: Reals
    limit: float

    def scores(self) -> Reals:
        """(n,) 1 - usual distance / distance, and 0 for points no farther away than usual."""
        return 1 - np.exp(-np.maximum(excess(self.distances, self.usual), 0.0))

    def marked(self) -> Flags:
        """(n,) which points are outliers."""
        return excess(self.distances, self.usual) > self.limit


def measure(graph: Graph, points: NDArray[np.float32] | None, labels: Labels, n_neighbors: int) -> Outliers:
    """The outliers among points; without points, among the vertices of a graph."""
    if points is None:
        return find_outliers(tie_distances(graph, labels), labels)
    return find_outliers(neighbor_distances(graph, points, n_neighbors), labels)


def find_outliers(distances: Reals, labels: Labels) -> Outliers:
    """Compare distances with the usual ones, and find where outliers begin.

    The usual distance of a point is the geometric mean of two medians: among the points of its cluster, unless that is
    not substantial, and among all points. Excesses are logarithms of distance / usual distance. Outliers begin two
    interquartile ranges above the upper quartile of the core: what remains when all points more than 1.5 ranges above
    are left out until nothing changes. At least as many points as there are clusters are no outliers.
    """
    positive = distances > 0
    if not positive.any():
        return Outliers(distances, np.ones(distances.size), LEAST_EXCESS)
    overall = float(np.median(distances[positive]))
    counts = np.bincount(labels[positive], minlength=int(labels.max()) + 1)
    substantial = np.flatnonzero(counts >= substantial_size(labels.size, int(np.count_nonzero(counts))))
    usual = np.full(counts.size, overall)
    usual[substantial] = np.sqrt(ndimage.median(distances[positive], labels[positive], substantial) * overall)
    excesses = excess(distances, usual[labels])
    limit = max(limit_of(excesses), float(np.sort(excesses)[count_clusters(labels) - 1]))
    return Outliers(distances, usual[labels], limit)


def excess(distances: Reals, usual: Reals) -> Reals:
    """Logarithm of how many times as far as usual."""
    return np.log(np.maximum(distances / usual, CLOSEST))


def limit_of(excesses: Reals) -> float:
    """The excess at which outliers begin."""
    core = np.sort(excesses)
    while True:
        lower, upper = np.percentile(core, [25, 75])
        inside = core[: np.searchsorted(core, upper + CORE * (upper - lower), side="right")]
        if inside.size == core.size:
            return max(float(upper + FENCE * (upper - lower)), LEAST_EXCESS)
        core = inside


def neighbor_distances(graph: Graph, points: NDArray[np.float32], n_neighbors: int) -> Reals:
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


def tie_distances(graph: Graph, labels: Labels) -> Reals:
    """For a graph alone: how weakly each vertex is tied to its cluster, 1 / the weight of its edges into it. O(m)."""
    weights = inside_weights(graph, labels)
    positive = weights[weights > 0]
    if positive.size == 0:
        return np.zeros(weights.size)
    return 1 / np.maximum(weights, CLOSEST * np.median(positive))


def inside_weights(graph: Graph, labels: Labels) -> Reals:
    """Weight of the edges of each vertex that stay in its cluster."""
    i, j, w = graph.edges()
    inside = w * (labels[i] == labels[j])
    weights = np.bincount(i, inside, labels.size).astype(np.float64, copy=False)
    weights += np.bincount(j, inside, labels.size)
    return weights


def shares_of_clusters(graph: Graph, labels: Labels) -> Reals:
    """Share of the weight of each vertex's edges that goes to each cluster, (n, k); see `memberships`."""
    members = np.flatnonzero(labels >= 0)
    shape = (labels.size, int(labels.max()) + 1)
    own = sparse.csr_array((np.ones(members.size), (members, labels[members])), shape=shape)
    shares = (graph.without_loops().to_scipy() @ own).toarray()
    alone = shares.sum(axis=1) == 0
    shares[alone] = np.where(labels[alone, None] >= 0, own[alone].toarray(), own.sum(axis=0))
    return shares / shares.sum(axis=1, keepdims=True)


def without_points(tree: Tree, graph: Graph, marked: Flags) -> tuple[Tree, Graph]:
    """The tree and the graph of the other points, at heights that suit each other. O(n + m)."""
    kept = np.flatnonzero(~marked)
    small, subgraph = tree.prune(kept), graph.subgraph(kept)[0]
    if not joined_by_distance(tree, graph, foreign=False).any():
        return small, subgraph
    height = np.where(small.joined_by_distance, small.height, volume_heights(small.parent, subgraph.degrees))
    return replace(small, height=height), subgraph
