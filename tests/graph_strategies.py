"""Random graphs, alone and with a tree over their vertices."""

from __future__ import annotations

import numpy as np
from hypothesis import strategies as st

from hypcse import Graph
from strategies import trees


@st.composite
def graphs(draw, n_vertices, loops=True):
    """A weighted graph: often disconnected, sometimes without edges, with vertices of degree zero, with loops."""
    pairs = [(i, j) for i in range(n_vertices) for j in range(i + (not loops), n_vertices)]
    chosen = draw(st.lists(st.sampled_from(pairs), unique=True, max_size=3 * n_vertices)) if pairs else []
    weights = draw(st.lists(st.floats(0.01, 10), min_size=len(chosen), max_size=len(chosen)))
    return Graph.from_edges([i for i, _ in chosen], [j for _, j in chosen], weights, n_vertices)


@st.composite
def graphs_with_trees(draw, min_leaves=1, max_leaves=10, binary=False, loops=True):
    """A graph and a tree over its vertices."""
    tree = draw(trees(min_leaves, max_leaves, binary))
    return draw(graphs(tree.n_leaves, loops)), tree


@st.composite
def hubby_graphs(draw, max_vertices):
    """A few hubs next to most vertices, edges between some of these, weights of few values whose sums are exact."""
    n, n_hubs = draw(st.integers(2, max_vertices)), draw(st.integers(1, 3))
    rng = np.random.default_rng(draw(st.integers(0, 2**32)))
    i, j = np.triu_indices(n, 1)
    kept = np.where(i < n_hubs, rng.random(i.size) < 0.8, rng.random(i.size) < draw(st.floats(0, 0.3)))
    order, weights = rng.permutation(n), rng.integers(1, draw(st.integers(2, 4)), size=i.size) / 2
    return Graph.from_edges(order[i[kept]], order[j[kept]], weights[kept], n)


def planted_partition(n_groups, size, p_in, p_out, seed=0):
    """A random graph with more edges inside groups than between them, and the group of each vertex."""
    rng = np.random.default_rng(seed)
    y = np.repeat(np.arange(n_groups), size)
    P = np.where(y[:, None] == y, p_in, p_out)
    i, j = np.nonzero(np.triu(rng.random(P.shape) < P, 1))
    return Graph.from_edges(i, j, None, y.size), y


def dense(edges):
    """The matrix of weights of `EdgeTensors`, (n, n), with their gradient."""
    matrix = edges.weight.new_zeros(edges.n_vertices, edges.n_vertices)
    return matrix.index_put((edges.index[0], edges.index[1]), edges.weight)
