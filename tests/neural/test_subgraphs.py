"""Subgraph sampling: a partition that keeps neighbors together."""

from __future__ import annotations

from collections import deque

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_array_equal

from graph_strategies import graphs
from hypcse.graph import Graph, similarity_graph
from hypcse.kernels.search.communities import grow_sets
from hypcse.neural.subgraphs import sample_subgraphs

cases = st.integers(1, 20).flatmap(graphs)


def plain_sets(graph, order, sizes, n_seeds):
    """The same growth with a queue and Python sets."""
    unused, seeds, sets = set(order), deque(order), []
    W = graph.without_loops().to_scipy()
    for size in sizes:
        queue, members = deque(), []

        def take(vertex, queue=queue, members=members):
            unused.remove(vertex)
            queue.append(vertex)
            members.append(vertex)

        while len(members) < size:
            if not queue:
                for _ in range(min(n_seeds, size - len(members))):
                    take(next(v for v in seeds if v in unused))
            around = W[[queue.popleft()]].indices
            for neighbor in around:
                if neighbor in unused and len(members) < size:
                    take(int(neighbor))
        sets.append(sorted(members))
    return sets


@given(cases, st.integers(1, 8), st.integers(1, 4), st.integers(0, 5))
def test_every_vertex_exactly_once(graph, batch_size, n_seeds, seed):
    parts = list(sample_subgraphs(graph, batch_size, n_seeds, np.random.default_rng(seed)))
    assert_array_equal(np.sort(np.concatenate(parts)), np.arange(graph.n_vertices))
    assert all((np.diff(part) > 0).all() for part in parts)
    sizes = [part.size for part in parts]
    if graph.n_vertices > batch_size:
        assert all(size == batch_size for size in sizes[:-1])
        assert batch_size / 4 <= sizes[-1] < batch_size * 5 / 4
    else:
        assert_array_equal(parts[0], np.arange(graph.n_vertices))


@given(cases, st.integers(1, 8), st.integers(1, 4), st.integers(0, 5))
def test_growth_is_breadth_first_from_random_seeds(graph, batch_size, n_seeds, seed):
    parts = list(sample_subgraphs(graph, batch_size, n_seeds, np.random.default_rng(seed)))
    order = np.random.default_rng(seed).permutation(graph.n_vertices).tolist()
    if graph.n_vertices > batch_size:
        wanted = plain_sets(graph, order, [part.size for part in parts], n_seeds)
        assert [part.tolist() for part in parts] == wanted


def clustered(n_points=1200, n_clusters=24):
    rng = np.random.default_rng(0)
    centers = rng.normal(size=(n_clusters, 4)) * 3
    return similarity_graph(centers[rng.integers(n_clusters, size=n_points)] + rng.normal(size=(n_points, 4)) / 4)


def share_inside(graph, parts):
    home = np.empty(graph.n_vertices, int)
    for number, part in enumerate(parts):
        home[part] = number
    i, j, w = graph.edges()
    return w[home[i] == home[j]].sum() / w.sum()


def test_neighbors_stay_together():
    """Most of the weight is kept, where a random partition into six keeps a sixth."""
    graph = clustered()
    rng = np.random.default_rng(1)
    grown = share_inside(graph, sample_subgraphs(graph, 200, 3, rng))
    random = share_inside(graph, np.split(rng.permutation(1200), 6))
    assert random < 0.2
    assert grown > 0.6


def test_same_generator_same_sets():
    graph = clustered(300, 5)
    first, again, other = (list(sample_subgraphs(graph, 64, 4, np.random.default_rng(s))) for s in (7, 7, 8))
    assert all(np.array_equal(a, b) for a, b in zip(first, again, strict=True))
    assert not all(np.array_equal(a, b) for a, b in zip(first, other, strict=True))
    rng = np.random.default_rng(7)
    epochs = [np.concatenate(list(sample_subgraphs(graph, 64, 4, rng))) for _ in range(2)]
    assert not np.array_equal(*epochs)


def test_a_graph_without_edges_is_split_at_random():
    graph = Graph.from_edges([], [], n=10)
    result = grow_sets(graph.indptr, graph.indices, np.arange(10)[::-1].copy(), np.array([4, 10]), 3)
    assert_array_equal(result, np.arange(10)[::-1])
