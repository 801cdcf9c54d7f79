"""Links from new points to the vertices of a graph, never to each other."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from hypcse._choices import Metric
from hypcse.graph.neighbors.search import neighbors_among
from hypcse.graph.similarity import gaussian_weights


class Links(NamedTuple):
    """Edges from m new points to k vertices each, nearest first, all (m, k).

    indices   : the vertices.
    distances : distances to them, on the scale of the graph.
    weights   : w = exp(-d^2 / bandwidth^2), as in `similarity_graph`.
    """

    indices: NDArray[np.int64]
    distances: NDArray[np.float64]
    weights: NDArray[np.float64]

    def copies(self) -> NDArray[np.bool_]:
        """Which new points lie exactly on a vertex; their first link leads to the vertex with the smallest id."""
        return self.distances[:, 0] == 0

    def part(self, rows: slice | NDArray[np.bool_]) -> Links:
        """The links of some of the new points."""
        return Links(self.indices[rows], self.distances[rows], self.weights[rows])


def links_to(
    points: NDArray[np.float32],
    new_points: NDArray[np.float32],
    n_neighbors: int,
    bandwidth: float,
    metric: Metric = "euclidean",
) -> Links:
    """Links of new points (m, d) to their nearest among the points (n, d) of a graph, on one scale.

    With metric="cosine" all rows have length 1, and the distance is 1 - cos = |u - v|^2 / 2. The links of a point do
    not depend on the other new points. O(n d) per point, O(m k) memory and one block.
    """
    indices, distances = neighbors_among(points, new_points, n_neighbors)
    if metric == "cosine":
        distances = np.square(distances) / 2
    return Links(indices, distances, gaussian_weights(np.square(distances), bandwidth))
