"""Sparse tables and Points, where features go."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy import sparse

import hypcse
from hypcse import Points, similarity_graph
from hypcse.graph import nearest_neighbors

FEW = sparse.random_array((60, 30), density=0.3, format="csr", rng=np.random.default_rng(0))
MANY = sparse.random_array((80, 2000), density=0.02, format="csr", rng=np.random.default_rng(1))


@pytest.mark.parametrize("form", [sparse.csr_array, sparse.csc_matrix, sparse.coo_array])
def test_few_columns_are_made_dense(form):
    """The answer is that of the dense table, whatever the kind of numbers and of the matrix."""
    given = form(FEW)
    assert similarity_graph(given) == similarity_graph(FEW.toarray())
    assert_array_equal(nearest_neighbors(given, 5).indices, nearest_neighbors(FEW.toarray(), 5).indices)
    counts = form((10 * FEW).astype(np.int32))
    assert similarity_graph(counts) == similarity_graph(counts.toarray())


@pytest.mark.parametrize("metric", ["euclidean", "cosine"])
def test_many_columns_are_reduced(metric):
    """To 64 main directions, as `Points` does it, and with the same answer each time."""
    graph = similarity_graph(MANY, scale="none", metric=metric)
    assert graph == similarity_graph(MANY, scale="none", metric=metric)
    assert graph == Points.of(MANY, metric=metric).similarity(scale="none")
    assert nearest_neighbors(MANY, 3, metric=metric).indices.shape == (80, 3)


def test_main_directions_keep_what_is_there():
    """A table of low rank loses nothing: its neighbors are those of the dense table."""
    rng = np.random.default_rng(2)
    low = rng.normal(size=(50, 5)) @ np.where(rng.random((5, 900)) < 0.2, 1.0, 0.0)
    found, expected = nearest_neighbors(sparse.csr_array(low), 4), nearest_neighbors(low, 4)
    assert_array_equal(found.indices, expected.indices)
    assert_allclose(found.distances, expected.distances, rtol=1e-6)


def test_sparse_features_elsewhere():
    graph = similarity_graph(FEW, 2)
    tree = hypcse.graph_linkage(graph)
    assert hypcse.join_components(tree, graph, FEW) == hypcse.join_components(tree, graph, FEW.toarray())
    assert hypcse.beyond_chance(FEW) == hypcse.beyond_chance(FEW.toarray())


def test_what_is_wrong_with_a_sparse_table_is_told():
    wrong = FEW.tolil()
    wrong[3, 7] = np.nan
    with pytest.raises(ValueError, match=r"is nan at \(3, 7\)"):
        similarity_graph(wrong.tocsr())
    with pytest.raises(TypeError, match="must be real numbers, got complex128"):
        nearest_neighbors(FEW.astype(np.complex128), 2)


def test_points_go_where_features_go():
    X = np.random.default_rng(3).normal(size=(40, 3))
    assert similarity_graph(Points.of(X), 5, 2.0, "standard") == similarity_graph(X, 5, 2.0, "standard")
    graph = similarity_graph(X, 4)
    assert similarity_graph(Points.of(X, graph=graph)) is graph
    assert similarity_graph(Points.of(X, metric="cosine")) == similarity_graph(X, metric="cosine")
    with pytest.raises(ValueError, match="metric='cosine' cannot be used with Points"):
        similarity_graph(Points.of(X), metric="cosine")
    # A column of that name is no method.
    assert similarity_graph(pd.DataFrame(X, columns=["similarity", "b", "c"])) == similarity_graph(X)
