"""The similarity graph of points that come and go: lists of neighbors stay those of all points held.

A list is not stored: it is the k nearest of a point's neighbors in the graph. An edge counts once for each of its ends
that lists the other, with half the weight.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from hypcse._arrays import freeze
from hypcse._choices import Metric
from hypcse.graph.graph import Graph
from hypcse.graph.similarity import MIN_WEIGHT, gaussian_weights, links_to
from hypcse.kernels.points.nearest import candidate_distances, list_ends

BLOCK = 100_000
"""Pairs measured at a time."""

Ids = NDArray[np.int64]


class Likeness(NamedTuple):
    """How points are compared and linked: as in `similarity_graph`, with the width as a number."""

    n_neighbors: int
    width: float
    metric: Metric

    def distances(self, points: NDArray[np.float32], first: Ids, second: Ids) -> NDArray[np.float64]:
        """Distances of pairs of points."""
        squared = np.empty(first.size)
        for start in range(0, first.size, BLOCK):
            part = slice(start, start + BLOCK)
            squared[part] = candidate_distances(points, points[first[part]], second[part, None])[:, 0]
        return self._unsquared(squared)

    def ends(self, graph: Graph, points: NDArray[np.float32], vertices: Ids) -> NDArray[np.float64]:
        """The distance of the last point in the lists of some vertices; infinite if there is room in it."""
        return self._unsquared(list_ends(points, graph.indptr, graph.indices, vertices, self.n_neighbors))

    def _unsquared(self, squared: NDArray[np.float64]) -> NDArray[np.float64]:
        return squared / 2 if self.metric == "cosine" else np.sqrt(squared)

    def weights(self, distances: NDArray[np.float64]) -> NDArray[np.float64]:
        """Weights of edges of these lengths."""
        return gaussian_weights(np.square(distances), self.width)

    def lists(self, points: NDArray[np.float32], rows: Ids) -> tuple[Ids, Ids, NDArray[np.float64]]:
        """The neighbors of some rows among all points: rows, neighbors and distances of the pairs."""
        links = links_to(points, points[rows], self.n_neighbors + 1, self.width, self.metric)
        others = links.indices != rows[:, None]
        # A point with many copies may not be in its own list; then the last of the list is too many.
        others[others.all(axis=1), -1] = False
        return np.repeat(rows, others.sum(axis=1)), links.indices[others], links.distances[others]


class Listed(NamedTuple):
    """Neighbors of some vertices in a graph, nearest first: pairs, distances, and places in the order of the vertex."""

    vertex: Ids
    neighbor: Ids
    distance: NDArray[np.float64]
    rank: Ids

    @classmethod
    def by_distance(cls, vertex: Ids, neighbor: Ids, distance: NDArray[np.float64]) -> Listed:
        """Pairs ordered by (vertex, distance, neighbor)."""
        order = np.lexsort((neighbor, distance, vertex))
        vertex = vertex[order]
        begins = np.flatnonzero(np.append(True, vertex[1:] != vertex[:-1])) if vertex.size else np.empty(0, np.int64)
        lengths = np.diff(np.append(begins, vertex.size))
        return cls(vertex, neighbor[order], distance[order], np.arange(vertex.size) - np.repeat(begins, lengths))

    def part(self, chosen: NDArray[np.bool_]) -> Listed:
        """Some of the pairs."""
        return Listed(self.vertex[chosen], self.neighbor[chosen], self.distance[chosen], self.rank[chosen])

    @classmethod
    def around(cls, graph: Graph, points: NDArray[np.float32], likeness: Likeness, vertices: Ids) -> Listed:
        """All neighbors of some vertices."""
        first, second = neighbor_pairs(graph, vertices)
        return cls.by_distance(first, second, likeness.distances(points, first, second))


def neighbor_pairs(graph: Graph, vertices: Ids) -> tuple[Ids, Ids]:
    """Each of some vertices with each of its neighbors."""
    counts = np.diff(graph.indptr)[vertices]
    place = np.arange(counts.sum()) + np.repeat(graph.indptr[vertices] - np.cumsum(counts) + counts, counts)
    return np.repeat(vertices, counts), graph.indices[place].astype(np.int64)


class Growth(NamedTuple):
    """A graph with other points, and the pairs (vertex, neighbor) that were pushed out of lists, (t, 2)."""

    graph: Graph
    pushed: Ids


def with_points(graph: Graph, points: NDArray[np.float32], likeness: Likeness) -> Growth:
    """The graph over all points, of which it has the first so far.

    New points are listed among all. An old point lists a new one, and pushes out its last, only if the new one lists it
    or a neighbor of it: the cost does not depend on the number of old points.
    """
    n, n_all = graph.n_vertices, len(points)
    first, second, distance = likeness.lists(points, np.arange(n, n_all))
    enters, leaves = _changed_lists(graph, points, likeness, first, second)
    padded = Graph(
        freeze(np.append(graph.indptr, np.full(n_all - n, graph.indptr[-1]))),
        graph.indices,
        graph.weights,
        freeze(np.append(graph.self_weights, np.ones(n_all - n))),
    )
    grown = with_votes(
        padded,
        np.concatenate([first, enters.vertex, leaves.vertex]),
        np.concatenate([second, enters.neighbor, leaves.neighbor]),
        likeness.weights(np.concatenate([distance, enters.distance, leaves.distance])),
        np.repeat([1, 1, -1], [first.size, enters.rank.size, leaves.rank.size]),
    )
    return Growth(grown, np.column_stack([leaves.vertex, leaves.neighbor]))


def _changed_lists(
    graph: Graph, points: NDArray[np.float32], likeness: Likeness, first: Ids, second: Ids
) -> tuple[Listed, Listed]:
    """What enters the lists of old points, and what it pushes out, for new points with their lists."""
    n, k = graph.n_vertices, likeness.n_neighbors
    old = second < n
    through, neighbors = neighbor_pairs(graph, np.unique(second[old]))
    reached = sparse.csr_array(
        (np.ones(old.sum(), np.int32), (first[old] - n, second[old])), shape=(len(points) - n, n)
    )
    steps = sparse.csr_array((np.ones(through.size, np.int32), (through, neighbors)), shape=(n, n))
    pairs = sparse.coo_array(reached + reached @ steps)
    guest, host = pairs.row.astype(np.int64) + n, pairs.col.astype(np.int64)
    apart = likeness.distances(points, host, guest)
    hosts, place = np.unique(host, return_inverse=True)
    near = apart < likeness.ends(graph, points, hosts)[place]
    around = Listed.around(graph, points, likeness, np.unique(host[near]))
    both = Listed.by_distance(
        np.concatenate([around.vertex, host[near]]),
        np.concatenate([around.neighbor, guest[near]]),
        np.concatenate([around.distance, apart[near]]),
    )
    # Without the new ones before it, the place of an old one was that much higher.
    is_new = both.neighbor >= n
    n_new: Ids = np.cumsum(is_new) - is_new
    n_before = n_new - n_new[np.arange(both.rank.size) - both.rank]
    leaves = ~is_new & (both.rank >= k) & (both.rank - n_before < k)
    return both.part(is_new & (both.rank < k)), both.part(leaves)


def without_points(
    graph: Graph, points: NDArray[np.float32], stays: NDArray[np.bool_], likeness: Likeness, pushed: Ids | None
) -> Graph:
    """The graph over the points that stay. Points whose list had others get those that were `pushed` out of it, if that
    is all that has happened since, else their nearest points, searched anew.
    """
    rows, left = np.flatnonzero(stays), np.flatnonzero(~stays)
    smaller = graph.subgraph(rows)[0]
    number = np.cumsum(stays) - 1
    if pushed is not None:
        first, second = number[pushed].T
        apart = likeness.distances(points[rows], first, second)
        return with_votes(smaller, first, second, likeness.weights(apart), np.ones(first.size, np.int64))
    losers = np.unique(neighbor_pairs(graph, left)[1])
    around = Listed.around(graph, points, likeness, losers[stays[losers]])
    listed = around.rank < likeness.n_neighbors
    short = np.unique(around.vertex[listed & ~stays[around.neighbor]])
    first, second, apart = likeness.lists(points[rows], number[short])
    known = number[around.vertex[listed]] * rows.size + number[around.neighbor[listed]]
    known = known[stays[around.neighbor[listed]]]
    enters = ~np.isin(first * rows.size + second, known)
    first, second, apart = first[enters], second[enters], apart[enters]
    return with_votes(smaller, first, second, likeness.weights(apart), np.ones(first.size, np.int64))


def with_votes(graph: Graph, first: Ids, second: Ids, weights: NDArray[np.float64], votes: Ids) -> Graph:
    """The graph after ends have listed (1) or dropped (-1) each other: each end that lists the other adds half w."""
    n = graph.n_vertices
    keys = np.minimum(first, second) * n + np.maximum(first, second)
    keys, place, pair = np.unique(keys, return_index=True, return_inverse=True)
    if keys.size == 0:
        return graph
    low, high = keys // n, keys % n
    matrix = graph.without_loops().to_scipy()
    before, full = np.asarray(matrix[low, high]).ravel(), weights[place]
    total = np.clip(np.rint(2 * before / full) + np.bincount(pair, votes), 0, 2)
    after = np.where(total > 0, np.maximum(total * full / 2, MIN_WEIGHT), 0.0)
    change = sparse.csr_array((after - before, (low, high)), shape=(n, n))
    grown = sparse.csr_array(matrix + change + change.T)
    grown.eliminate_zeros()
    grown.sort_indices()
    indptr, indices = grown.indptr.astype(np.int64), grown.indices.astype(np.int32)
    return Graph(freeze(indptr), freeze(indices), freeze(grown.data), graph.self_weights)
