"""Decoding by the embedding and the graph together."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

from hypcse._checks import check_features
from hypcse.discrete import graph_linkage
from hypcse.graph import Graph
from hypcse.tree import Tree


def chord_scaled(graph: Graph, chords: NDArray[np.float64]) -> Graph:
    """The graph, each weight multiplied by exp(-(chord / median chord)^2); one chord per edge of `graph.edges()`."""
    i, j, w = graph.edges()
    middle = float(np.median(chords)) if chords.size else 0.0
    share = np.exp(-np.square(chords / middle)) if middle > 0 else np.ones_like(chords)
    # A weight must stay positive: distant vertices keep their edge, with almost no weight.
    return Graph.from_edges(i, j, w * np.maximum(share, 1e-100), graph.n_vertices)


def decode_graph(leaves: ArrayLike, graph: Graph) -> Tree:
    """Average linkage on the graph, with weights lowered for edges that are long in the embedding.

    Uses only edges of the graph: O(m log n), and gives lower structural entropy than `decode_single`.
    """
    points = np.asarray(check_features(leaves), dtype=np.float64)
    if len(points) != graph.n_vertices:
        raise ValueError(
            f"there are {len(points)} leaves for {graph.n_vertices} vertices; they must be the same points."
        )
    i, j, _ = graph.edges()
    return graph_linkage(chord_scaled(graph, np.linalg.norm(points[i] - points[j], axis=1)))
