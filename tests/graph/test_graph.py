"""Graph against SciPy and networkx."""

from __future__ import annotations

import networkx as nx
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from numpy.testing import assert_allclose, assert_array_equal
from scipy import sparse

from hypcse import _memory
from hypcse._arrays import freeze
from hypcse.graph import Graph
from hypcse.graph.convert import some_edges, with_edges

FIELDS = ("indptr", "indices", "weights", "self_weights")


@st.composite
def matrices(draw):
    """Symmetric matrices of weights with many zeros, diagonal included."""
    n = draw(st.integers(1, 8))
    half = draw(arrays(np.float64, (n, n), elements=st.just(0.0) | st.floats(0.01, 10)))
    return np.triu(half) + np.triu(half, 1).T


@given(matrices())
def test_scipy_round_trip(W):
    graph = Graph.from_scipy(W)
    assert_array_equal(graph.to_scipy().toarray(), W)
    assert graph == Graph.from_scipy(sparse.coo_array(W)) == Graph.from_scipy(graph.to_scipy())
    assert graph.n_vertices == len(W)
    assert graph.n_edges == np.count_nonzero(np.triu(W, 1))
    assert_array_equal(graph.self_weights, np.diagonal(W))


@given(matrices())
def test_degrees_and_volume_include_self_weights(W):
    graph = Graph.from_scipy(W)
    assert_allclose(graph.degrees, W.sum(axis=1))
    assert graph.volume == pytest.approx(W.sum())
    bare = graph.without_loops()
    assert_allclose(bare.degrees, W.sum(axis=1) - np.diagonal(W), atol=1e-12)
    assert_array_equal(bare.degrees, graph.edge_degrees)
    assert_array_equal(bare.weights, graph.weights)


@given(matrices())
def test_edges_round_trip(W):
    graph = Graph.from_scipy(W)
    i, j, w = graph.edges()
    assert (i < j).all()
    assert_array_equal(w, W[i, j])
    assert Graph.from_edges(j, i, w, n=len(W)) == graph.without_loops()


@given(matrices())
def test_networkx_round_trip(W):
    other = nx.from_numpy_array(W)
    graph = Graph.from_networkx(other)
    assert_array_equal(graph.to_scipy().toarray(), nx.to_numpy_array(other))
    labels = graph.components()
    groups = {frozenset(np.flatnonzero(labels == c).tolist()) for c in range(labels.max() + 1)}
    assert groups == {frozenset(group) for group in nx.connected_components(other)}
    assert_array_equal(np.unique(labels, return_index=True)[1], np.sort(np.unique(labels, return_index=True)[1]))


@given(matrices(), st.data())
def test_subgraph_is_the_submatrix(W, data):
    ids = data.draw(st.lists(st.integers(0, len(W) - 1), min_size=1, unique=True))
    part, back = Graph.from_scipy(W).subgraph(ids)
    assert_array_equal(back, ids)
    assert_array_equal(part.to_scipy().toarray(), W[np.ix_(ids, ids)])
    marks = np.isin(np.arange(len(W)), ids)
    assert Graph.from_scipy(W).subgraph(marks)[0] == Graph.from_scipy(W[np.ix_(marks, marks)])


@given(matrices(), st.floats(0.1, 10))
def test_scaled(W, factor):
    graph = Graph.from_scipy(W).scaled(factor)
    assert_array_equal(graph.to_scipy().toarray(), W * factor)
    assert graph.volume == pytest.approx(W.sum() * factor)


@given(matrices(), st.floats(-1e-12, 1e-12))
def test_rounding_is_made_exactly_symmetric(W, error):
    W = W + 1
    W[0, -1] += error
    found = Graph.from_scipy(W).to_scipy().toarray()
    assert_array_equal(found, found.T)
    assert_allclose(found, W, rtol=1e-11)


def test_edges_add_up():
    """Parallel edges and loops; a loop counts once, as on the diagonal of a matrix."""
    graph = Graph.from_edges([0, 1, 2, 2], [1, 0, 2, 2], [1.0, 2.0, 3.0, 4.0], n=4)
    assert_array_equal(graph.self_weights, [0, 0, 7, 0])
    assert_array_equal(graph.degrees, [3, 3, 7, 0])
    assert_array_equal(graph.components(), [0, 0, 1, 2])
    several = nx.MultiGraph([("a", "b"), ("a", "b")])
    assert_array_equal(Graph.from_networkx(several).weights, [2, 2])


def test_a_graph_cannot_change():
    graph = Graph.from_edges([0], [1])
    with pytest.raises(ValueError, match="read-only"):
        graph.weights[0] = 2
    with pytest.raises(TypeError, match="unhashable"):
        hash(graph)
    assert repr(graph) == "Graph(2 vertices, 1 edges, volume 2)"
    assert graph != "graph"


def test_degrees_without_loops_do_not_cancel():
    graph = Graph.from_scipy([[1, 1e-20], [1e-20, 1]])
    assert_array_equal(graph.edge_degrees, [1e-20, 1e-20])
    assert_array_equal(graph.degrees, [1, 1])


def test_changes_of_the_callers_arrays_do_not_reach_the_graph():
    """Writeable arrays are copied, read-only ones of the right kind are taken as they are."""
    arrays = [np.array([0, 1, 2]), np.array([1, 0], np.int32), np.array([3.0, 3.0]), np.zeros(2)]
    graph = Graph(*arrays)
    arrays[2][:] = 7
    arrays[3][:] = 7
    assert_array_equal(graph.weights, [3, 3])
    assert_array_equal(graph.degrees, [3, 3])
    taken = Graph(*map(freeze, arrays))
    assert all(np.shares_memory(getattr(taken, name), array) for name, array in zip(FIELDS, arrays, strict=True))


def test_graphs_made_of_a_graph_share_its_arrays():
    graph = Graph.from_edges([0, 1], [1, 2])
    assert np.shares_memory(graph.indices, graph.scaled(2).indices)
    assert np.shares_memory(graph.weights, graph.without_loops().weights)


NOT_A_NUMBER = np.zeros((4, 4))
NOT_A_NUMBER[0, 1] = NOT_A_NUMBER[1, 0] = NOT_A_NUMBER[2, 1] = NOT_A_NUMBER[1, 2] = 1
NOT_A_NUMBER[2, 3] = NOT_A_NUMBER[3, 2] = np.nan

WRONG_MATRICES = {
    "not finite": (NOT_A_NUMBER, r"^values of the weights are not finite \(2 in all\); the first is nan at \(2, 3\)"),
    "negative": ([[0, -1], [-1, 0]], r"\(0, 1\) is -1"),
    "asymmetric": ([[0, 1.0], [2, 0]], r"\(0, 1\) has 1.0 and \(1, 0\) has 2.0"),
    "not square": (np.ones((2, 3)), r"shape \(2, 3\)"),
    "empty": (sparse.csr_array((0, 0)), "at least one row"),
}


@pytest.mark.parametrize(("W", "message"), WRONG_MATRICES.values(), ids=WRONG_MATRICES.keys())
def test_wrong_matrices_are_named(W, message):
    with pytest.raises(ValueError, match=message):
        Graph.from_scipy(W)


def test_complex_and_text_weights_are_named():
    for W in ([[0, 1j], [1j, 0]], sparse.csr_array([[0, 1j], [1j, 0]]), [["a"]], [[1], [1, 2]]):
        with pytest.raises(TypeError, match="the weights must be"):
            Graph.from_scipy(W)
    for w in ([1j], ["a"]):
        with pytest.raises(TypeError, match="the weights must be"):
            Graph.from_edges([0], [1], w)


def test_wrong_edges_are_named():
    with pytest.raises(TypeError, match="i must be a list of vertex ids"):
        Graph.from_edges(["a"], ["b"])
    with pytest.raises(ValueError, match=r"j names vertex 5, but vertices are 0 \.\. 2"):
        Graph.from_edges([0], [5], n=3)
    with pytest.raises(ValueError, match="i names vertex -1"):
        Graph.from_edges([-1], [0])
    with pytest.raises(ValueError, match="the same length"):
        Graph.from_edges([0, 1], [1])
    with pytest.raises(TypeError, match="integers"):
        Graph.from_edges([0.5], [1.0], n=3)
    with pytest.raises(ValueError, match="n=0"):
        Graph.from_edges([], [], n=0)


@given(st.integers(2**40, 2**63 - 1))
def test_an_id_beyond_memory_is_named_before_anything_is_allocated(largest):
    with pytest.raises(MemoryError, match=f"GiB are free. The largest id is {largest}; number vertices from 0"):
        Graph.from_edges([0], [largest])


def test_ids_have_32_bits(monkeypatch):
    monkeypatch.setattr(_memory, "available_bytes", lambda: None)
    with pytest.raises(
        ValueError, match=r"at most 2,147,483,648 vertices, got 2,147,483,649\. The largest id is 2147483648"
    ):
        Graph.from_edges([0], [2**31])


def test_wrong_networkx_graphs_are_named():
    with pytest.raises(ValueError, match="directed"):
        Graph.from_networkx(nx.DiGraph([(0, 1)]))
    with pytest.raises(ValueError, match="empty"):
        Graph.from_networkx(nx.Graph())
    for other in (np.eye(2), [(0, 1)], Graph.from_edges([0], [1])):
        with pytest.raises(TypeError, match="must be a networkx graph"):
            Graph.from_networkx(other)


@pytest.mark.parametrize("weight", ["heavy", "2.5", None, np.nan, np.inf, -1.0, 1j])
def test_wrong_weights_of_networkx_are_named_with_their_edge(weight):
    """An edge without a weight has 1; one with a weight that is none is told."""
    network = nx.Graph([("Ann", "Bob"), ("Bob", "Cleo")])
    network["Ann"]["Bob"]["weight"] = np.float32(2)
    assert_array_equal(Graph.from_networkx(network).edges()[2], [2, 1])
    network["Bob"]["Cleo"]["weight"] = weight
    with pytest.raises(ValueError, match="the edge between 'Bob' and 'Cleo' has weight=.*is a finite number") as error:
        Graph.from_networkx(network)
    assert repr(weight) in str(error.value)


def test_wrong_vertices_and_factors_are_named():
    graph = Graph.from_edges([0, 1], [1, 2])
    for vertices, message in (
        ([0, 0], "twice"),
        ([], "empty"),
        ([3], "vertex 3"),
        ([True, False], "a mask of 2 values"),
    ):
        with pytest.raises(ValueError, match=message):
            graph.subgraph(np.array(vertices, dtype=None if vertices else np.int64))
    for factor in (0, -1, np.inf, np.nan):
        with pytest.raises(ValueError, match="factor="):
            graph.scaled(factor)
    with pytest.raises(ValueError, match="do not fit"):
        Graph(graph.indptr, graph.indices, graph.weights[:1], graph.self_weights)


def test_weights_that_leave_the_range_are_refused():
    with pytest.raises(ValueError, match="the limit is 1e\\+300"):
        Graph.from_edges([0, 1], [1, 2], [1e307, 1e307])


def test_the_callers_matrix_is_left_alone():
    """Explicit zeros and unsorted rows are cleaned up in a copy."""
    W = sparse.csr_array((np.array([2.0, 0.0, 2.0]), np.array([1, 0, 0]), np.array([0, 2, 3])), shape=(2, 2))
    before = (W.data.copy(), W.indices.copy(), W.indptr.copy())
    Graph.from_scipy(W)
    assert all(np.array_equal(x, y) for x, y in zip(before, (W.data, W.indices, W.indptr), strict=True))


@pytest.mark.parametrize("loops", [False, True])
def test_indices_are_short(loops):
    """scikit-network takes no 64-bit ones."""
    paris = pytest.importorskip("sknetwork.hierarchy").Paris()
    i, j = np.array([0, 1, 2, 3]), np.array([1, 2, 3, 3 if loops else 4])
    matrix = Graph.from_edges(i, j, None, 5).to_scipy()
    assert matrix.indices.dtype == matrix.indptr.dtype == np.int32
    assert paris.fit_transform(sparse.csr_matrix(matrix)).shape == (4, 4)


@given(matrices(), st.integers(0, 100))
def test_some_edges_are_those_of_a_new_graph(W, seed):
    """Chosen edges make the graph that a list of them makes, loops and vertices without edges included."""
    graph = Graph.from_scipy(W)
    i, j, weights = graph.edges()
    chosen = np.random.default_rng(seed).random(i.size) < 0.5
    assert some_edges(graph, chosen) == with_edges(graph, i[chosen], j[chosen], weights[chosen])
