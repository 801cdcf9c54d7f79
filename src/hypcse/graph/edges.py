"""A graph with other edges."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from hypcse.graph.graph import Graph


def with_edges(graph: Graph, i: NDArray[Any], j: NDArray[Any], weights: NDArray[np.float64]) -> Graph:
    """The same vertices and diagonal, with these edges.

    >>> with_edges(Graph.from_edges([0, 1], [1, 2]), np.array([0]), np.array([2]), np.array([5.0])).degrees
    array([5., 0., 5.])
    """
    loops = np.arange(graph.n_vertices)
    return Graph.from_edges(
        np.append(i, loops), np.append(j, loops), np.append(weights, graph.self_weights), graph.n_vertices
    )
