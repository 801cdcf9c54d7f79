"""Decoding by the embedding alone: Eq. (12) and Algorithm 1."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

from hypcse._checks import check_features
from hypcse._choices import Spanning
from hypcse.graph import Graph
from hypcse.kernels.linkage.merges import number_merges
from hypcse.neural.geometry import check_radius
from hypcse.search import graph_linkage
from hypcse.search.spanning import spanning_tree
from hypcse.tree import Tree


def decode_single(leaves: ArrayLike, *, spanning: Spanning = "exact") -> Tree:
    """The tree that joins clusters deepest LCA first, for leaves (n, d) in the ball that share one radius.

    Paper: Eq. (12) and Algorithm 1, as in the authors' code: the text's argmin would join the shallowest first.

    With one radius a deeper LCA is a shorter chord, so this is single linkage from the `spanning_tree` of the points.
    The height of a node is the radius of the leaves minus the depth of its LCA.
    """
    points = np.asarray(check_features(leaves), dtype=np.float64)
    if len(points) == 1:
        return Tree(np.array([-1]), np.zeros(1))
    norms = np.linalg.norm(points, axis=1)
    check_radius(norms.min(), norms.max())
    radius = float(np.median(norms))
    first, second, chords = spanning_tree(points, method=spanning)
    return Tree.from_linkage(number_merges(first, second, chord_heights(chords, radius)))


def chord_heights(chords: NDArray[np.float64], radius: float) -> NDArray[np.float64]:
    """Leaf radius minus LCA depth, from the chord between two leaves at that radius; never decreasing."""
    half_sine = np.clip(chords / (2 * radius), 0.0, 1.0)
    reach = 2 * np.arctanh(radius)
    depth = np.arctanh(np.tanh(reach) * np.sqrt(1.0 - half_sine**2))
    return np.maximum.accumulate(np.maximum(reach - depth, 0.0))


def chord_scaled(graph: Graph, chords: NDArray[np.float64]) -> Graph:
    """The graph, each weight multiplied by exp(-(chord / median chord)^2); one chord per edge of `graph.edges()`."""
    i, j, w = graph.edges()
    middle = float(np.median(chords)) if chords.size else 0.0
    share = np.exp(-np.square(chords / middle)) if middle > 0 else np.ones_like(chords)
    # A weight must stay positive: distant vertices keep their edge, with almost no weight.
    return Graph.from_edges(i, j, w * np.maximum(share, 1e-100), graph.n_vertices)


def decode_graph(leaves: NDArray[np.float64], graph: Graph) -> Tree:
    """Average linkage on the graph, with weights lowered for edges that are long in the embedding. O(m log n)."""
    i, j, _ = graph.edges()
    return graph_linkage(chord_scaled(graph, np.linalg.norm(leaves[i] - leaves[j], axis=1)))
