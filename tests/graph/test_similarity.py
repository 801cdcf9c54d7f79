"""The similarity graph against scikit-learn and dense matrices."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from numpy.testing import assert_allclose, assert_array_equal
from scipy import sparse
from scipy.spatial.distance import pdist, squareform
from sklearn.neighbors import NearestNeighbors
from sklearn.preprocessing import MinMaxScaler
from threadpoolctl import threadpool_limits

from hypcse import EntropyClustering, HypcseWarning, datasets
from hypcse.graph import nearest_neighbors, scale_features, similarity_graph
from hypcse.graph.similarity import GraphOptions
from hypcse.methods import MethodClustering


def published_matrix(X, k=10, bandwidth=1.0):
    """The convention behind the published figures, written out."""
    scaled = MinMaxScaler().fit_transform(np.asarray(X, dtype=np.float32))
    lists = NearestNeighbors(n_neighbors=min(k + 1, len(X))).fit(scaled).kneighbors(scaled)[1]
    differences = scaled[lists].astype(np.float64) - scaled[:, None].astype(np.float64)
    weights = np.exp(-(differences**2).sum(axis=2) / bandwidth**2)
    indptr = np.arange(len(X) + 1) * lists.shape[1]
    W = sparse.csr_array((weights.ravel(), lists.ravel(), indptr), shape=(len(X), len(X)))
    return (W + W.T) / 2


def check_form(graph):
    """What the constructor of Graph trusts: sorted rows, no loops, and symmetry to the last bit."""
    W = graph.to_scipy()
    rows = np.repeat(np.arange(graph.n_vertices), np.diff(graph.indptr))
    assert (rows != graph.indices).all()
    assert (np.diff(rows * graph.n_vertices + graph.indices) > 0).all()
    assert (W != W.T).nnz == 0
    assert (graph.weights >= 1e-100).all()


tables = st.tuples(st.integers(1, 25), st.integers(1, 4)).flatmap(
    lambda shape: arrays(np.float64, shape, elements=st.integers(0, 4) | st.floats(0, 4, width=16))
)


@given(X=tables, k=st.integers(1, 30), bandwidth=st.floats(0.3, 5))
@settings(deadline=None, max_examples=60)
def test_default_is_the_published_convention(X, k, bandwidth):
    graph = similarity_graph(X, k, bandwidth)
    check_form(graph)
    assert_allclose(graph.to_scipy().toarray(), published_matrix(X, k, bandwidth).toarray(), rtol=1e-12)


@pytest.mark.parametrize("name", sorted(datasets.available()))
def test_the_paper_s_graphs_are_the_published_ones(paper_data, name):
    """Single precision holds all their columns: none is moved, and no edge differs."""
    X = paper_data(name)[0]
    W, published = similarity_graph(X).to_scipy(), published_matrix(X)
    assert ((W != 0) != (published != 0)).nnz == 0
    assert abs(W - published).max() < 1e-15


@given(X=tables, k=st.integers(1, 30), algorithm=st.sampled_from(["brute", "kd-tree"]))
@settings(deadline=None, max_examples=60)
def test_one_sided_neighbors_carry_half_weight(X, k, algorithm):
    graph = similarity_graph(X, k, algorithm=algorithm)
    check_form(graph)
    assert (graph.self_weights == 1).all()
    indices, distances = nearest_neighbors(scale_features(X, "minmax"), k, algorithm=algorithm)
    W = np.eye(len(X))
    np.put_along_axis(W, indices, np.exp(-(distances**2)), axis=1)
    assert_allclose(graph.to_scipy().toarray(), (W + W.T) / 2, rtol=1e-12)


def test_large_tables_take_the_rule_of_ids(monkeypatch):
    X = np.random.default_rng(0).integers(0, 4, size=(200, 3)).astype(float)
    monkeypatch.setattr("hypcse.graph.neighbors.search.MAX_PUBLISHED", 200)
    assert similarity_graph(X) == similarity_graph(X, algorithm="kd-tree")


def test_scales():
    X = np.random.default_rng(0).normal(size=(40, 3)) * [1, 10, 100]
    X[:, 1] = 5
    assert scale_features(X, "minmax").dtype == np.float32
    assert not scale_features(X, "minmax")[:, 1].any()
    assert_allclose(scale_features(X, "standard").std(axis=0), [1, 0, 1], rtol=1e-5)
    assert_array_equal(scale_features(X, "none"), X.astype(np.float32))
    with pytest.raises(ValueError, match="'minmax', 'standard', 'rank', 'none'"):
        scale_features(X, "max")
    with pytest.raises(ValueError, match=r"1e\+39 at \(1, 0\), beyond float32's limit"):
        scale_features([[1.0], [1e39]], "none")


def test_constant_table():
    graph = similarity_graph(np.full((5, 3), 7.0), bandwidth="median")
    assert_array_equal(graph.weights, np.ones(20))


@pytest.mark.parametrize("n", [1, 2, 3, 11])
def test_few_points_give_the_complete_graph(n):
    graph = similarity_graph(np.arange(n, dtype=float)[:, None], 10)
    assert graph.n_edges == n * (n - 1) // 2
    assert_array_equal(graph.self_weights, np.ones(n))


def test_median_bandwidth():
    X = np.random.default_rng(0).random((50, 4), dtype=np.float32)
    X[1] = X[0]
    distances = nearest_neighbors(X, 10).distances
    median = float(np.median(distances[distances > 0]))
    found = similarity_graph(X, scale="none", bandwidth="median")
    assert_allclose(found.weights, similarity_graph(X, scale="none", bandwidth=median).weights)


@pytest.mark.parametrize(
    ("metric", "scale"),
    [
        ("euclidean", "standard"),
        ("euclidean", "rank"),
        ("euclidean", "none"),
        ("cosine", "none"),
        ("precomputed", "none"),
    ],
)
@given(X=tables, k=st.integers(1, 30), power=st.integers(-20, 20))
@settings(max_examples=10, deadline=None)
def test_the_bandwidth_auto_has_no_unit_and_cuts_nobody_off(metric, scale, X, k, power):
    """Another unit changes no bit, and the weights of neighbors lie between 1/e and 1, one way or both."""
    # Rows of zeros, which have no cosine, give warnings.
    X = squareform(pdist(X)) if metric == "precomputed" else X + (metric == "cosine")
    options = {"bandwidth": "auto", "scale": scale, "metric": metric, "algorithm": "brute"}
    graph = similarity_graph(X, k, **options)
    assert graph == similarity_graph(X * 2.0**power, k, **options)
    assert graph.weights.min(initial=1) >= np.exp(-1) / 2 * (1 - 1e-12)
    assert graph.weights.max(initial=0) <= 1


@given(X=tables, k=st.integers(1, 30))
@settings(max_examples=20, deadline=None)
def test_the_bandwidth_auto_is_one_on_minmax(X, k):
    assert similarity_graph(X, k, "auto") == similarity_graph(X, k)


def test_a_wide_table_warns_and_keeps_its_weights():
    X = np.random.default_rng(0).random((60, 10_000))
    with pytest.warns(HypcseWarning, match=r"bandwidth=1.0 makes \d+ edges lighter than 1e-100"):
        graph = similarity_graph(X)
    check_form(graph)
    assert graph == similarity_graph(X, bandwidth="median")
    assert graph.weights.min() > 0.01


def test_weights_have_a_floor():
    """A point so far away that even the median bandwidth underflows keeps its edges."""
    graph = similarity_graph([[0.0], [1.0], [2.0], [1e6]], 2, bandwidth="median", scale="none")
    check_form(graph)
    assert graph.weights.min() == 1e-100
    assert graph.components().max() == 0


def test_precomputed_distances_are_not_scaled():
    X = np.random.default_rng(0).random((40, 3), dtype=np.float32)
    distances = pdist(X.astype(np.float64))
    expected = similarity_graph(X, scale="none", algorithm="brute")
    for D in (distances, squareform(distances)):
        graph = similarity_graph(D, metric="precomputed")
        assert_array_equal(graph.indices, expected.indices)
        assert_allclose(graph.weights, expected.weights)


def test_cosine():
    X = np.random.default_rng(0).normal(size=(40, 3)).astype(np.float32)
    graph = similarity_graph(X, 39, scale="none", metric="cosine")
    cosine = squareform(pdist(X.astype(np.float64), "cosine"))
    assert_allclose(graph.to_scipy().toarray(), np.exp(-(cosine**2)))


def test_threads_do_not_matter():
    X = np.random.default_rng(0).integers(0, 8, size=(3_000, 20)).astype(float)
    several = similarity_graph(X)
    with threadpool_limits(1):
        assert similarity_graph(X) == several


WRONG_OPTIONS = [("bandwidth", value) for value in (0, -1.0, np.nan, np.inf, 1e-200, "mean", True, None)]
WRONG_OPTIONS += [("n_neighbors", 0), ("n_neighbors", 1.5), ("scale", "max"), ("metric", "manhattan")]


@pytest.mark.parametrize(("option", "value"), WRONG_OPTIONS)
def test_wrong_options_are_named_alike_everywhere(option, value):
    with pytest.raises((ValueError, TypeError), match=f"^{option}=") as error:
        GraphOptions(**{option: value})
    for make in (
        lambda: similarity_graph(np.eye(3), **{option: value}),
        lambda: EntropyClustering(**{option: value}).fit(np.eye(3)),
        lambda: MethodClustering("ward", **{option: value}).fit(np.eye(3)),
    ):
        with pytest.raises(type(error.value)) as other:
            make()
        assert str(other.value) == str(error.value)


@given(k=st.integers(1, 9), bandwidth=st.sampled_from(["auto", "median", 0.5]), scale=st.sampled_from(["rank", "none"]))
@settings(deadline=None, max_examples=10)
def test_the_options_of_an_estimator_are_those_of_its_graph(k, bandwidth, scale):
    X = np.random.default_rng(k).normal(size=(30, 2))
    model = EntropyClustering(n_neighbors=k, bandwidth=bandwidth, scale=scale, metric="cosine")
    assert GraphOptions.of(model) == GraphOptions(k, bandwidth, scale, "cosine")
    assert model.fit(X).graph_ == similarity_graph(X, k, bandwidth, scale, metric="cosine")


def test_features_must_be_finite():
    with pytest.raises(ValueError, match="not finite"):
        similarity_graph([[np.nan, 1.0]])


def test_published_tables(paper_data):
    """Facts about the published graphs: copies missing from their own lists, and components."""
    assert (similarity_graph(paper_data("spambase")[0]).self_weights == 0).sum() == 92
    assert similarity_graph(paper_data("iris")[0]).components().max() + 1 == 2
    assert similarity_graph(paper_data("pen-digits")[0]).components().max() + 1 == 2


@pytest.mark.parametrize("name", ["zoo", "spambase", "optical-digits"])
def test_exact_algorithms_agree_on_published_tables(paper_data, name):
    X = paper_data(name)[0]
    assert similarity_graph(X, algorithm="brute") == similarity_graph(X, algorithm="kd-tree")
