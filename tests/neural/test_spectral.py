"""Spectral features against NumPy's eigenvectors."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from graph_strategies import graphs
from hypcse import Graph, similarity_graph
from hypcse.neural.trained import _walk, spectral_features


@given(st.integers(1, 9).flatmap(graphs))
def test_any_graph_has_finite_features(graph):
    found = spectral_features(graph, 3)
    assert found.shape == (graph.n_vertices, 3)
    assert np.isfinite(found).all()
    assert np.array_equal(found, spectral_features(graph, 3))


def test_leading_eigenvectors():
    """Where the spectrum has gaps, they are the exact ones up to their scale."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(90, 2)) / 20 + np.repeat([[0, 0], [1, 0], [3, 2]], 30, axis=0)
    graph = similarity_graph(X, n_neighbors=40, bandwidth=0.7)
    values, vectors = np.linalg.eigh(_walk(graph).toarray())
    for k, column in enumerate(spectral_features(graph, 3).T):
        alike = abs(column @ vectors[:, -1 - k]) / np.linalg.norm(column)
        assert alike > 1 - 1e-6
        assert np.linalg.norm(column) > 0.99 * values[-1 - k]


def test_vertices_without_edges_stay_apart():
    found = spectral_features(Graph.from_edges([0], [1], n=3), 3)
    assert np.allclose(found[0], found[1], atol=1e-6)
    assert not np.allclose(found[0], found[2], atol=1e-2)
