"""New points: their scale, their nearest training points and the weights of these."""

from __future__ import annotations

from typing import get_args

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.preprocessing import MinMaxScaler, StandardScaler

from hypcse._choices import Scale
from hypcse.graph import neighbors_among, scale_features, similarity_graph
from hypcse.graph.scaling import fit_scaling
from hypcse.graph.similarity import GraphOptions, links_to, scaled_similarity

SCALERS = {"minmax": MinMaxScaler, "standard": StandardScaler}


@pytest.mark.parametrize("scale", ["minmax", "standard", "none"])
@pytest.mark.parametrize("seed", range(5))
def test_scaling_is_scikit_learns_in_single_precision(scale, seed):
    """On the table to the bit, and row by row on other points, which are scaled by the table's range."""
    rng = np.random.default_rng(seed)
    X = (10.0 ** rng.integers(-3, 20, size=6) * rng.normal(size=(50, 6))).astype(np.float32)
    X[:, 2] = 7.0
    new = rng.normal(size=(9, 6)).astype(np.float32)
    scaling, scaled = fit_scaling(X, scale)
    fitted = SCALERS[scale]().fit(X) if scale in SCALERS else None
    assert_array_equal(scaled, X if fitted is None else fitted.transform(X))
    assert_array_equal(scaling.apply(X), scale_features(X, scale))
    assert_array_equal(scaling.apply(new), new if fitted is None else fitted.transform(new))
    assert_array_equal(scaling.apply(new[3:4]), scaling.apply(new)[3:4])


def test_a_new_value_beyond_single_precision_is_named():
    scaling, _ = fit_scaling([[0.0, 0.0], [1e-5, 1.0]])
    with pytest.raises(ValueError, match=r"1e\+35 at \(1, 0\), too far from the values fitted"):
        scaling.apply([[0.0, 0.0], [1e35, 0.0]])


@pytest.mark.parametrize("scale", get_args(Scale))
def test_other_columns_than_those_fitted_are_refused(scale):
    scaling, _ = fit_scaling(np.eye(3), scale)
    for n_columns in (1, 2, 4):
        with pytest.raises(ValueError, match=f"X has {n_columns} columns, but the scale was learned from 3"):
            scaling.apply(np.ones((2, n_columns)))


@given(
    n=st.integers(1, 60),
    m=st.integers(1, 40),
    d=st.integers(1, 20),
    k=st.integers(1, 12),
    far=st.sampled_from([0.0, 1e3, 1e12, 1e30]),
    seed=st.integers(0, 9),
)
def test_neighbors_among_are_all_points_by_distance_and_id(n, m, d, k, far, seed):
    """With ties, copies and points far away; alone as in company."""
    rng = np.random.default_rng(seed)
    X = rng.integers(0, 4, size=(n, d)).astype(np.float32)
    new = rng.integers(0, 4, size=(m, d)).astype(np.float32)
    new[0] += far
    squared = ((new[:, None].astype(float) - X[None]) ** 2).sum(axis=-1)
    expected = np.argsort(squared, axis=1, kind="stable")[:, :k]
    found = neighbors_among(X, new, k)
    assert_array_equal(found.indices, expected)
    assert_allclose(found.distances**2, np.take_along_axis(squared, expected, axis=1), rtol=1e-12)
    assert_array_equal(neighbors_among(X, new[-1:], k).indices, expected[-1:])


@pytest.mark.parametrize("bandwidth", [0.5, "median"])
def test_links_weigh_as_the_graph_does(bandwidth):
    """A point of the graph, asked as a new one, is its own first neighbor and has its neighbors' weights."""
    X = np.random.default_rng(0).normal(size=(80, 3)).astype(np.float32)
    graph, width = scaled_similarity(X, GraphOptions(79, bandwidth))
    assert graph == similarity_graph(X, 79, bandwidth, "none")
    links = links_to(X, X[:5], 80, width)
    assert links.copies().all()
    for point in range(5):
        ids, weights = links.indices[point], links.weights[point]
        assert ids[0] == point and weights[0] == 1
        assert_allclose(graph.to_scipy().toarray()[point, ids[1:]], weights[1:])
