"""A graph that follows known labels of its vertices."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy import sparse

from hypcse._random import generator
from hypcse.graph import Graph, GraphLike, as_graph
from hypcse.labels.codes import label_codes

N_CYCLES = 4
"""Random cycles through the labelled vertices of a class. Two mix well; four have lighter edges, which leave the
structure inside a class as it was."""
SHARE = 0.5
"""Weight of a labelled vertex's links at strength 1, relative to the mean degree of the graph."""


def respect_labels(graph: GraphLike, labels: ArrayLike, strength: float = 1.0, *, random_state: int = 0) -> Graph:
    """Write labels into the weights of a graph, so that every hierarchy found on it follows them.

    Labelled vertices of one class are linked by random cycles: each to eight others, however large the class is.
    Edges between two labels are divided by 1 + strength. All other edges stay as they are. These are weights, not
    rules: where the data strongly disagree, the data win.

    Parameters
    ----------
    graph
        A `Graph`, for example that of `similarity_graph`, a networkx graph or a symmetric matrix.
    labels
        One value per vertex. A missing label is -1 among integers, and None or NaN among floats, strings and objects.
        Classes without any labelled vertex need not be listed.
    strength
        How much labels count. The links of a labelled vertex add strength / 2 of the mean degree to its own. With
        strength 0, or without labels, the graph is returned unchanged.
    random_state
        Seed of the cycles.

    Returns
    -------
    Graph
        A graph over the same vertices, for `graph_linkage`, `refine`, `levels` and so on. To compare a tree with one
        found without labels, score both on the original graph.

    Notes
    -----
    O(m + n log n) time for m edges; at most four links are added per labelled vertex. Their weight was chosen on
    generated data with known levels (`python -m benchmarks labels`): classes come out whole, and clusters inside them
    stay. If a class has several separate parts, the order in which they are joined is arbitrary.

    Examples
    --------
    >>> two = Graph.from_edges([0, 2], [1, 3])
    >>> respect_labels(two, ["a", None, "a", None]).components()
    array([0, 0, 0, 0])
    """
    graph, codes = as_graph(graph), label_codes(labels)[1]
    if codes.size != graph.n_vertices:
        raise ValueError(f"labels has {codes.size} values for {graph.n_vertices} vertices. Pass one per vertex.")
    if not (np.isfinite(strength) and strength >= 0):
        raise ValueError(f"strength={strength} must be a finite number of at least 0. 0 leaves the graph unchanged.")
    if strength == 0 or codes.max() < 0:
        return graph
    mean_degree = float(graph.edge_degrees.mean()) or 1.0
    weight = strength * SHARE * mean_degree / (2 * N_CYCLES)
    return Graph.from_scipy(_weakened(graph, codes, strength) + weight * _link_counts(codes, random_state))


def _weakened(graph: Graph, codes: NDArray[np.int64], strength: float) -> sparse.csr_array:
    """The weights, those between two labels divided by 1 + strength."""
    matrix = graph.to_scipy()
    first = np.repeat(codes, np.diff(matrix.indptr))
    second = codes[matrix.indices]
    matrix.data[(first >= 0) & (second >= 0) & (first != second)] /= 1 + strength
    return matrix


def _link_counts(codes: NDArray[np.int64], random_state: int) -> sparse.csr_array:
    """How many times each two vertices are neighbours on a cycle, symmetric."""
    rng = generator(random_state, "links of labels")
    rows, columns = np.hstack([_cycles(codes, rng) for _ in range(N_CYCLES)])
    links = sparse.csr_array((np.ones(rows.size), (rows, columns)), shape=(codes.size, codes.size))
    return links + links.T


def _cycles(codes: NDArray[np.int64], rng: np.random.Generator) -> NDArray[np.int64]:
    """One random cycle through the vertices of each class: rows of ends, (2, n). A single vertex has none."""
    drawn = rng.permutation(codes.size)
    order = drawn[np.argsort(codes[drawn], kind="stable")]
    order = order[codes[order] >= 0]
    begins = np.flatnonzero(np.diff(codes[order], prepend=-1))
    following = np.roll(order, -1)
    following[np.append(begins[1:], order.size) - 1] = order[begins]
    ends = np.stack([order, following])
    return ends[:, order != following]
