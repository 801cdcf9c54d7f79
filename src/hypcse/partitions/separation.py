"""How far apart clusters are: in space, and across the border where two of them meet."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from hypcse.graph import Graph

WIDTH = 0.1
"""Half the width of the windows in which points are counted, as a share of the way between two means."""
ENDS = np.array([[-0.1, 0.0, 0.1], [0.9, 1.0, 1.1]])
SAMPLE, ENTRIES = 2000, 2**24
"""Of more points than this, only so many count in a silhouette, evenly spaced, and of many clusters fewer: at most so
many distances are held at once. Clusters are those of all points."""
MIDDLE = np.array([0.3, 0.4, 0.5, 0.6, 0.7])

Labels = NDArray[np.int64]


class Groups:
    """Points by cluster: their means, and the mean squared distance of the members from them.

    labels : from 0; -1 for points that are in no cluster.
    """

    def __init__(self, X: NDArray[np.floating], labels: Labels) -> None:
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

        >>> X = np.array([[0.0], [1.0], [9.0], [10.0]])
        >>> round(Groups(X, np.array([0, 0, 1, 1])).silhouette(), 3)
        0.988
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
        """How empty all borders are: 1 - points at the border over points at the means, from 0 to 1.

        For each cluster, the border with the one that most of its outside weight goes to; 1 if no edge leaves it. The
        points of both are counted along the line between the two means. In the middle of a cloud that was cut in two
        there are as many as at the means, or more. Counts may be off by half their square roots, so a few points do
        not make a gap. The fullest border counts: that of a cluster cut in two, however far the others lie. O(m + n d).
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

    def _gap(self, one: int, other: int, points: NDArray[np.int64]) -> float:
        way = self.mean[other] - self.mean[one]
        length = float(way @ way)
        if length <= 0:
            return 0.0
        along = np.sort((self.X[points] @ way - self.mean[one] @ way) / length)
        ends = min(_count(along, places).max() for places in ENDS)
        middle = _count(along, MIDDLE).min()
        return max(0.0, float(1 - (middle + np.sqrt(middle) / 2 + 1) / (ends - np.sqrt(ends) / 2 + 1)))


def _count(along: NDArray[np.float64], places: NDArray[np.float64]) -> NDArray[np.int64]:
    """How many of the ascending numbers lie within `WIDTH` of each place."""
    return np.searchsorted(along, places + WIDTH) - np.searchsorted(along, places - WIDTH)
