"""Nearest neighbors of tables that single precision, rounding or ties make hard."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal
from scipy import sparse
from scipy.spatial.distance import squareform
from sklearn.metrics.pairwise import cosine_similarity
from sorted_neighbors import sorted_others

from hypcse import HypcseWarning
from hypcse.graph.neighbors import exact
from hypcse.graph.neighbors.search import nearest_neighbors


def clouds(n, d, *, apart=0.0):
    """Normal points, every other one moved away."""
    X = np.random.default_rng(0).normal(size=(n, d))
    X[::2] += apart
    return X


@given(far=st.sampled_from([1e3, 1e9, 1e30, 1e140]), near=st.sampled_from([1.0, 1e-6, 1e-30]))
def test_brute_force_is_exact_at_every_size(far, near):
    """One point far away leaves single precision nothing to tell the others apart by."""
    X = near * np.random.default_rng(0).integers(0, 50, size=(80, 3)).astype(float)
    X[7] = far
    differences = X[:, None] - X[None]
    expected = sorted_others((differences**2).sum(axis=-1), 6)
    assert_array_equal(nearest_neighbors(X, 6, algorithm="brute").indices, expected[0])


@pytest.mark.parametrize("algorithm", ["kd-tree", "lists"])
@pytest.mark.parametrize("far", [1e11, 1e12, 1e20, 1e140])
@pytest.mark.parametrize("n_far", [1, 5])
def test_rows_far_away_leave_the_others_their_neighbors(algorithm, far, n_far):
    """Without a warning, which would be an error here: the search stays as fast as without these rows."""
    X = clouds(3_000, 8)
    X[-n_far:] = far * (1 + np.arange(n_far))[:, None]
    expected = nearest_neighbors(X, 10, algorithm="brute").distances
    found = nearest_neighbors(X, 10, algorithm=algorithm)
    assert (found.distances <= expected[:, -1:]).mean() >= 0.995
    assert (found.indices >= 0).all()


@pytest.mark.parametrize("d", [4, 20])
def test_lists_give_way_where_single_precision_fails(d, monkeypatch):
    """Two clouds so far apart that float32 resolves one of them at best."""
    monkeypatch.setattr("hypcse.graph.neighbors.approximate.MANY_PRODUCTS", 1e6)
    X = clouds(2_000, d, apart=1e10)
    with pytest.warns(HypcseWarning, match="found exactly.* less than 0.998"):
        found = nearest_neighbors(X, 10, algorithm="lists")
    assert_array_equal(found.indices, nearest_neighbors(X, 10, algorithm="brute").indices)


@pytest.mark.parametrize("algorithm", ["brute", "kd-tree"])
@pytest.mark.parametrize("unit", [1e-120, 1e-30])
def test_tiny_tables_have_the_neighbors_of_large_ones(algorithm, unit):
    X = unit * np.array([[0.0], [1], [5], [6], [11], [12]])
    indices, distances = nearest_neighbors(X, 1, algorithm=algorithm)
    assert_array_equal(indices.ravel(), [1, 0, 3, 2, 5, 4])
    assert_allclose(distances, unit, rtol=1e-12)


@given(
    side=st.integers(2, 7),
    d=st.integers(1, 4),
    k=st.integers(1, 40),
    max_reach=st.sampled_from([1, 16, 256]),
    copies=st.integers(1, 3),
)
def test_ties_of_grids_go_to_the_smaller_ids(side, d, k, max_reach, copies):
    """However far the tree is asked before brute force takes over."""
    axes = np.meshgrid(*[np.arange(float(side))] * min(d, 3 if side > 4 else d))
    X = np.repeat(np.stack(axes, axis=-1).reshape(-1, len(axes)), copies, axis=0)
    expected = sorted_others(((X[:, None] - X[None]) ** 2).sum(axis=-1), k)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(exact, "MAX_REACH", max_reach)
        indices, distances = nearest_neighbors(X, k, algorithm="kd-tree")
    assert_array_equal(indices, expected[0])
    assert_allclose(distances**2, expected[1])


def test_grids_do_not_need_brute_force(monkeypatch):
    """Ties at the k-th place are the rule on a grid; reading all pairs would be quadratic."""
    X = np.stack(np.meshgrid(np.arange(60.0), np.arange(60.0)), axis=-1).reshape(-1, 2)
    expected = nearest_neighbors(X, 10, algorithm="brute")
    monkeypatch.setattr(exact, "brute_force", lambda *_: pytest.fail("brute force was used"))
    for n_bytes in (exact.BLOCK_BYTES, 20_000):
        monkeypatch.setattr(exact, "BLOCK_BYTES", n_bytes)
        assert_array_equal(nearest_neighbors(X, 10, algorithm="kd-tree").indices, expected.indices)


@pytest.mark.parametrize("dtype", ["f4", "f8"])
def test_rounding_below_zero_is_zero(dtype):
    """1 - cos of rows in one direction, as scikit-learn gives it, in all forms and left as it was."""
    X = np.random.default_rng(0).normal(size=(40, 5)).astype(dtype)
    X[20:] = X[:20] * np.linspace(0.3, 7, 20, dtype=dtype)[:, None]
    D = 1 - cosine_similarity(X)
    assert D.min() < 0
    before = D.copy()
    off_diagonal = D - np.diag(np.diag(D))
    stored = sparse.coo_array((D.ravel(), np.divmod(np.arange(D.size), 40)), shape=D.shape)
    for form in (D, squareform(off_diagonal, checks=False), stored):
        indices, distances = nearest_neighbors(form, 1, metric="precomputed")
        assert_array_equal(indices.ravel(), np.roll(np.arange(40), 20))
        assert (distances >= 0).all() and (distances < 1e-6).all()
    assert_array_equal(D, before)
