"""Everything that `fit` takes, and what it says to what it does not."""

from __future__ import annotations

import networkx as nx
import numpy as np
import pandas as pd
import pytest
from scipy import sparse
from scipy.spatial.distance import pdist, squareform

import hypcse
from hypcse import Graph, HypCSE, similarity_graph


def points(n=40):
    rng = np.random.default_rng(0)
    return rng.normal(size=(n, 4)) + 6 * rng.integers(0, 3, size=(n, 1))


def fitted(X, **options):
    graph = options.pop("graph", None)
    return HypCSE(n_epochs=1, **options).fit(X, graph=graph)


def test_the_index_of_a_data_frame_names_the_leaves():
    frame = pd.DataFrame(points(), index=[f"row <{k}>" for k in range(40)], columns=list("abcd"))
    model = fitted(frame)
    assert model.tree_.names == tuple(frame.index)
    assert "'row <7>'" in model.tree_.to_newick()
    assert np.array_equal(model.linkage_matrix_, fitted(frame.to_numpy()).linkage_matrix_)
    assert fitted(pd.DataFrame(points())).tree_.names is None


def test_names_of_rows_that_repeat_get_a_number():
    assert fitted(pd.DataFrame(points(3), index=["a", "b", "a"])).tree_.names == ("a", "b", "a (2)")


def test_sparse_features_are_the_dense_ones():
    X = np.where(points() > 3, points(), 0.0)
    assert np.array_equal(fitted(sparse.csr_array(X)).linkage_matrix_, fitted(X).linkage_matrix_)


def test_a_sparse_square_with_negative_entries_is_features():
    assert fitted(-sparse.eye_array(3)).n_features_in_ == 3
    assert fitted(sparse.csr_array(np.triu(points(4)))).n_features_in_ == 4


def test_many_sparse_columns_are_reduced():
    rng = np.random.default_rng(0)
    y = np.repeat([0, 1], 30)
    X = sparse.random_array((60, 2000), density=0.02, rng=rng, format="csr").tolil()
    for row in range(60):
        X[row, 1000 * y[row] + rng.integers(0, 1000, 60)] = 1.0
    model = fitted(sparse.csr_array(X))
    assert model.n_features_in_ == 2000
    assert hypcse.dendrogram_purity(model.tree_, y) > 0.9


@pytest.mark.parametrize("kind", ["Graph", "affinity", "matrix class", "networkx", "graph=", "affinity as graph="])
def test_graphs_of_every_kind_are_one(kind):
    graph = similarity_graph(points(), 30).without_loops()
    W = graph.to_scipy()
    calls = {
        "Graph": lambda: fitted(graph),
        "affinity": lambda: fitted(W),
        "matrix class": lambda: fitted(sparse.csr_matrix(W)),
        "networkx": lambda: fitted(nx.from_scipy_sparse_array(W)),
        "graph=": lambda: fitted(None, graph=graph),
        "affinity as graph=": lambda: fitted(None, graph=W),
    }
    model = calls[kind]()
    assert model.graph_ == graph
    assert np.array_equal(model.linkage_matrix_, fitted(graph).linkage_matrix_)
    assert model.n_features_in_ == 40


def test_nodes_of_a_networkx_graph_name_the_leaves():
    assert set(fitted(nx.karate_club_graph()).tree_.names) == set(map(str, range(34)))


def test_distances_square_and_condensed():
    X = points()
    condensed = pdist(X)
    square = fitted(squareform(condensed), metric="precomputed", bandwidth="median")
    assert square.tree_.n_leaves == 40
    again = fitted(condensed, metric="precomputed", bandwidth="median")
    assert np.array_equal(square.linkage_matrix_, again.linkage_matrix_)
    wanted = similarity_graph(X, bandwidth="median", scale="none", algorithm="brute")
    assert np.allclose(square.graph_.degrees, wanted.degrees, rtol=1e-4)


def test_features_with_a_graph():
    X = points()
    graph = similarity_graph(X, n_neighbors=4)
    assert fitted(X, graph=graph).graph_ == graph
    assert fitted(X, graph=graph.to_scipy()).graph_ == graph


@pytest.mark.parametrize(
    ("X", "options", "error", "text"),
    [
        (None, {}, ValueError, "nothing to cluster"),
        (Graph.from_edges([0], [1]), {"graph": Graph.from_edges([0], [1])}, ValueError, "Pass one of them"),
        (np.eye(3), {"graph": Graph.from_edges([0], [1])}, ValueError, "2 vertices for 3 rows"),
        (np.eye(3), {"graph": [[0, 1]]}, TypeError, "got list.*Graph.from_edges"),
        (Graph.from_edges([0], [0]), {}, ValueError, "1 vertex; at least 2"),
        (np.array([[0.0, 1.0], [2.0, 0.0]]), {"metric": "precomputed"}, ValueError, None),
        (np.ones(4), {"metric": "precomputed"}, ValueError, None),
        (np.array([["a", "b"], ["c", "d"]]), {}, ValueError, None),
        (np.array([[0.0, np.nan], [1.0, 2.0]]), {}, ValueError, "NaN"),
        (np.eye(3), {"metric": "manhattan"}, ValueError, "metric='manhattan'"),
        (nx.DiGraph([(0, 1)]), {}, ValueError, "directed"),
    ],
)
def test_wrong_inputs_are_named(X, options, error, text):
    with pytest.raises(error, match=text):
        fitted(X, **options)


def test_named_nodes_find_their_rows():
    """A networkx graph beside a named table goes by names, whatever the order of its nodes."""
    X = points()
    names = [f"s{k}" for k in range(40)]
    order = np.random.default_rng(1).permutation(40)
    W = similarity_graph(X).without_loops()
    shuffled = nx.from_scipy_sparse_array(W.to_scipy()[order][:, order])
    named = nx.relabel_nodes(shuffled, {k: names[order[k]] for k in range(40)})
    frame = pd.DataFrame(X, index=names)
    assert fitted(frame, graph=named).graph_ == W
    with pytest.raises(ValueError, match="are not the rows of X"):
        fitted(frame.rename(index={"s3": "other"}), graph=named)


def test_another_fit_forgets_named_columns(tmp_path):
    model = fitted(pd.DataFrame(points(), columns=list("abcd")))
    model.fit(similarity_graph(points(), 30))
    assert not hasattr(model, "feature_names_in_")
    model.save(tmp_path / "model")


def test_a_fit_that_fails_leaves_the_model_as_it_was():
    X = points()
    model = fitted(pd.DataFrame(X, columns=list("abcd")))
    labels = model.labels_
    for wrong, graph in ((X[:, :2], nx.karate_club_graph()), (np.full((5, 2), np.nan), None)):
        with pytest.raises(ValueError, match="vertices|NaN"):
            model.fit(wrong, graph=graph)
    assert model.feature_names_in_.tolist() == list("abcd")
    assert np.array_equal(model.predict(pd.DataFrame(X, columns=list("abcd"))), labels)
