"""How far apart the parts of a table are, and its clusters: in space, and across the border where two of them meet."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from scipy import sparse

from hypcse.entropy.volumes import cuts_from_weights, meeting_weights, node_volumes
from hypcse.graph import Graph
from hypcse.graph.neighbors.search import nearest_neighbors
from hypcse.kernels.arrays import Flags, Floating, Ids, Reals
from hypcse.search.linkage import link_graph
from hypcse.tree.flat import Labels

N_NEIGHBORS, NEAR = 15, 5
"""Number of neighbors in the graph, and which of them sets the unit of distance around a point."""
LEAST_PART = 10
"""Smaller parts do not count: single points lie far out in any long tail."""
LEAST = 1e-12
"""Smallest share of a part's weight that counts as leaving it; less is a rounding error."""
TELLING = 0.8
"""Share of the mixing of a part with the rest that a column removes if it alone can set the part apart."""
WIDTH = 0.1
"""Half the width of the windows in which points are counted, as a share of the way between two means."""
ENDS = np.array([[-0.1, 0.0, 0.1], [0.9, 1.0, 1.1]])
SAMPLE, ENTRIES = 2000, 2**24
"""Of more points than this, only so many count in a silhouette, and of many clusters so few: distances held at once."""
MIDDLE = np.array([0.3, 0.4, 0.5, 0.6, 0.7])


class Separation(NamedTuple):
    """How far apart the parts of a table are.

    values    : (s,) of all parts of at least 10, 20, 40, ... points, the greatest separation.
    part      : (n,) which points are in the part of the greatest.
    dimension : number of dimensions that the points fill.
    """

    values: Reals
    part: Flags
    dimension: float


def separation(points: Reals, n_scales: int | None = None) -> Separation:
    """How little weight leaves the parts of the Paris tree of the neighbor graph, in doublings.

    Noise that fills few dimensions leaks less than noise that fills many: of a part of s points about s^(-1/dimension),
    which is taken off.
    """
    n = len(points)
    graph, dimension = local_similarity(points)
    tree = link_graph(graph, "paris")
    volumes, total = node_volumes(tree, graph.degrees), graph.volume
    sizes = np.minimum(tree.sizes, n - tree.sizes)
    inner = sizes >= min(LEAST_PART, n / 3)
    cuts = cuts_from_weights(tree, graph, meeting_weights(tree, graph))[inner]
    leaving = cuts * total / (volumes[inner] * (total - volumes[inner]))
    values = -np.log2(np.maximum(leaving, LEAST)) - np.log2(sizes[inner] / N_NEIGHBORS) / dimension
    # Every binary tree has a part of at least a third, and at most two thirds, of the leaves.
    least = LEAST_PART * 2.0 ** np.arange(count_scales(n) if n_scales is None else n_scales)
    greatest = [values[sizes[inner] >= min(size, n / 3)].max() for size in least]
    part = np.zeros(n, np.bool_)
    part[tree.leaves(int(np.flatnonzero(inner)[values.argmax()]))] = True
    return Separation(np.array(greatest), part, dimension)


def count_scales(n_points: int) -> int:
    """Number of sizes of parts that are compared."""
    return max(int(np.log2(n_points / 3 / LEAST_PART)) + 1, 1)


def local_similarity(points: Reals) -> tuple[Graph, float]:
    """A neighbor graph that is as dense everywhere, and the dimensions that the points fill, by Levina and Bickel.

    The weights are exp(-d / s), s the geometric mean of both points' distances to their fifth neighbors; mutual ones
    count twice.
    """
    indices, distances = nearest_neighbors(points.astype(np.float32), N_NEIGHBORS, algorithm="brute")
    n, n_neighbors = indices.shape
    distances = np.maximum(distances.astype(np.float64), np.finfo(np.float32).tiny)
    unit = np.sqrt(distances[:, min(NEAR, n_neighbors) - 1])
    weights = np.maximum(np.exp(-distances / (unit[:, None] * unit[indices])), LEAST**2)
    logs = np.log(distances)
    inverse = np.median((logs[:, -1:] - logs[:, :-1]).sum(axis=1) / max(n_neighbors - 2, 1))
    graph = Graph.from_edges(np.repeat(np.arange(n), n_neighbors), indices.ravel(), weights.ravel())
    return graph, 1 / max(float(inverse), 1 / N_NEIGHBORS**2)


def telling_columns(points: Reals, part: Flags) -> Ids:
    """The columns each of which alone, in bins, tells a part from the rest by Goodman and Kruskal's tau, best first."""
    n, share = len(part), part.mean()
    width = max(int(min(part.sum(), n - part.sum()) / 4), 5)
    ordered = np.sort(points, axis=0)[::width]
    removed = np.empty(points.shape[1])
    for k, column in enumerate(points.T):
        bins = np.searchsorted(np.unique(ordered[:, k]), column, side="right")
        size, inside = np.bincount(bins), np.bincount(bins, part)
        mixing = np.sum(inside * (1 - np.divide(inside, size, where=size > 0, out=np.zeros(size.size))))
        removed[k] = 1 - mixing / (n * share * (1 - share))
    best = np.argsort(-removed, kind="stable")
    return best[removed[best] >= TELLING]


class Groups:
    """Points by cluster: their means, and the mean squared distance of the members from them.

    labels : from 0; -1 for points that are in no cluster.
    """

    def __init__(self, X: Floating, labels: Labels) -> None:
        self.X, self.labels, self.count = X, labels, np.bincount(labels[labels >= 0])
        members = np.flatnonzero(labels >= 0)
        ones = np.ones(members.size, X.dtype)
        belongs = sparse.csr_array((ones, (labels[members], members)), shape=(self.count.size, labels.size))
        self.mean = np.asarray(belongs @ X, np.float64) / self.count[:, None]
        squares = np.einsum("ij,ij->i", X, X, dtype=np.float64)
        self.spread = np.maximum(belongs @ squares / self.count - np.square(self.mean).sum(axis=1), 0.0)

    def silhouette(self) -> float:
        """Mean silhouette of the points, with mean squared distances to the clusters: from -1 to 1. O(n d + k d).

        The mean squared distance from x to a cluster is |x - mean|^2 + its spread; x itself does not count in its own.
        """
        inside = np.flatnonzero(self.labels >= 0)
        inside = inside[:: max(1, inside.size // min(SAMPLE, max(ENTRIES // self.count.size, 1)))]
        X, own = np.asarray(self.X[inside], np.float64), self.labels[inside]
        offset = np.square(self.mean).sum(axis=1) + self.spread
        squares = np.square(X).sum(axis=1)[:, None] - 2 * X @ self.mean.T + offset
        rows, size = np.arange(own.size), self.count[own]
        near = np.maximum(squares[rows, own], 0.0) * size / np.maximum(size - 1, 1)
        squares[rows, own] = np.inf
        far = np.maximum(squares.min(axis=1), 0.0)
        larger = np.maximum(near, far)
        return float(np.mean(np.divide(far - near, larger, where=larger > 0, out=np.zeros_like(far))))

    def gap(self, graph: Graph) -> float:
        """How empty all borders are: 1 - points at the border over points at the means, from 0 to 1. O(m + n d).

        For each cluster, the border with the one that most of its outside weight goes to; 1 if no edge leaves it. The
        points of both are counted along the line between the two means, give or take half their square roots. The
        fullest border counts: that of a cluster cut in two, however far the others lie.
        """
        first, second, weights = graph.edges()
        a, b = self.labels[first], self.labels[second]
        crossing = (a != b) & (a >= 0) & (b >= 0)
        k = self.count.size
        pairs = np.append(a[crossing] * k + b[crossing], b[crossing] * k + a[crossing])
        pairs, back = np.unique(pairs, return_inverse=True)
        meeting = np.bincount(back, np.tile(weights[crossing], 2), pairs.size)
        # The last of each cluster's pairs is the heaviest, and of equals the one with the smaller cluster.
        order = np.lexsort((-pairs, meeting, pairs // k))
        beside = np.full(k, -1)
        beside[pairs[order] // k] = pairs[order] % k
        members = np.split(np.argsort(self.labels, kind="stable"), np.cumsum(np.bincount(self.labels + 1))[:-1])
        members = members[-k:]
        gaps = np.ones(k)
        for cluster in np.flatnonzero(beside >= 0):
            other = beside[cluster]
            if other < cluster and beside[other] == cluster:
                gaps[cluster] = gaps[other]
            else:
                gaps[cluster] = self._gap(int(cluster), int(other), np.concatenate([members[cluster], members[other]]))
        return float(gaps.min())

    def _gap(self, one: int, other: int, points: Ids) -> float:
        way = self.mean[other] - self.mean[one]
        length = float(way @ way)
        if length <= 0:
            return 0.0
        along = np.sort((self.X[points] @ way - self.mean[one] @ way) / length)
        ends = min(_count(along, places).max() for places in ENDS)
        middle = _count(along, MIDDLE).min()
        return max(0.0, float(1 - (middle + np.sqrt(middle) / 2 + 1) / (ends - np.sqrt(ends) / 2 + 1)))


def _count(along: Reals, places: Reals) -> Ids:
    """How many of the ascending numbers lie within `WIDTH` of each place."""
    return np.searchsorted(along, places + WIDTH) - np.searchsorted(along, places - WIDTH)
