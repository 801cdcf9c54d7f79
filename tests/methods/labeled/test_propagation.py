"""Label propagation: the closed form, scikit-learn's answer, and points that no label reaches."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from pytest import approx
from sklearn.semi_supervised import LabelPropagation

from hypcse import Graph
from hypcse.graph import scale_features
from hypcse.paper.classifiers.features import LabeledInputs, label_propagation, label_propagation_graph, propagate


def connected(n: int, seed: int) -> np.ndarray:
    """Random symmetric weights along a path and some other pairs, with loops, which do not count."""
    rng = np.random.default_rng(seed)
    W = np.triu(rng.random((n, n)) * (rng.random((n, n)) < 0.4))
    W += np.diag(rng.uniform(0.1, 1, size=n - 1), 1)
    return W + W.T


@given(st.integers(3, 12), st.integers(1, 3), st.integers(0, 999))
def test_closed_form(n, n_given, seed):
    """f_U = (I - P_UU)^-1 P_UL f_L with P the weights without loops, each row over its sum."""
    rng = np.random.default_rng(seed)
    W = connected(n, seed)
    rows = rng.permutation(n)[: min(n_given, n - 1)]
    free = np.setdiff1d(np.arange(n), rows)
    known = np.eye(3)[rng.integers(3, size=rows.size)]
    shares = propagate(Graph.from_scipy(W), rows, known)
    np.fill_diagonal(W, 0)
    P = W / W.sum(axis=1, keepdims=True)
    expected = np.linalg.solve(np.eye(free.size) - P[np.ix_(free, free)], P[np.ix_(free, rows)] @ known)
    assert shares[rows] == approx(known)
    assert shares[free] == approx(expected, abs=1e-7)


@given(st.integers(0, 99))
def test_scikit_learn_agrees_on_all_pairs(seed):
    """Its propagation lets a point count itself, which changes the way to the solution only."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(25, 3))
    y = np.where(np.arange(25) < 6, np.arange(25) % 3, -1)
    peer = LabelPropagation(kernel="rbf", gamma=1.0, max_iter=100_000, tol=1e-12).fit(scale_features(X), y)
    gap = np.diff(np.sort(peer.label_distributions_, axis=1)[:, -2:]).ravel()
    same = label_propagation(LabeledInputs(X, y, np.zeros(25, bool))) == peer.transduction_
    assert same[gap > 1e-6].all()


def test_unreached_points_get_the_most_frequent_class():
    """Three groups far apart, one without a label, and a graph of two neighbors that does not join them."""
    X = np.concatenate([center + np.linspace(0, 1, 6) for center in (0.0, 100.0, 200.0)])[:, None]
    y = np.full(18, -1)
    y[0], y[6:8] = 0, 1
    result = label_propagation_graph(LabeledInputs(X, y, np.zeros(18, bool)), n_neighbors=2)
    assert result.tolist() == [0] * 6 + [1] * 12


def test_a_vertex_without_edges_has_no_share():
    graph = Graph.from_edges([0], [1], n=3)
    assert propagate(graph, np.array([0]), np.eye(2)[:1]).tolist() == [[1, 0], [1, 0], [0, 0]]
