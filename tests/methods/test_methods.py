"""The registry and the linkages on features, with SciPy as the oracle."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.cluster.hierarchy import linkage

import hypcse
from hypcse import Tree, methods
from hypcse.methods import feature_linkage

FEATURE_METHODS = {
    "single-linkage": "single",
    "ward": "ward",
    "average-linkage": "average",
    "complete-linkage": "complete",
}


@pytest.mark.parametrize("name", FEATURE_METHODS)
@given(n=st.integers(2, 60), d=st.integers(1, 5), seed=st.integers(0, 1000))
def test_equals_scipy_without_ties(name, n, d, seed):
    X = np.random.default_rng(seed).normal(size=(n, d)).astype(np.float32).astype(float)
    tree = methods.run(name, X, scale="none")
    expected = Tree.from_linkage(linkage(X, FEATURE_METHODS[name]))
    assert hypcse.robinson_foulds(tree, expected) == 0
    assert np.sort(tree.height) == pytest.approx(np.sort(expected.height))


@pytest.mark.parametrize("name", FEATURE_METHODS)
def test_ties_and_small_inputs(name):
    """Copies join at height 0; one, two and three points work; heights equal SciPy's even where trees may differ."""
    X = np.repeat(np.arange(4.0)[:, None], 5, axis=0)
    tree = methods.run(name, X, scale="none")
    assert (tree.height[:20] == 0).all() and tree.is_binary
    assert len(set(tree.cut(height=0.0).tolist())) == 4
    expected = np.sort(linkage(X, FEATURE_METHODS[name])[:, 2])
    assert np.sort(tree.height[20:]) == pytest.approx(expected)
    for n in (1, 2, 3):
        assert methods.run(name, X[:n]).n_leaves == n


def test_single_linkage_has_scipys_order_of_ties():
    X = np.random.default_rng(0).integers(0, 3, size=(50, 3)).astype(float)
    assert np.array_equal(feature_linkage.single(X).to_linkage(), linkage(X, "single"))


def test_errors():
    X = np.eye(3)
    with pytest.raises(ValueError, match="Did you mean 'ward'"):
        methods.run("wart", X)
    with pytest.raises(TypeError, match="no option 'depth'"):
        methods.run("ward", X, depth=3)
    with pytest.raises(ValueError, match="pass X"):
        methods.run("ward")
    with pytest.raises(ValueError, match="random_state=-1"):
        methods.run("ward", X, random_state=-1)


def test_memory_is_checked_first(monkeypatch):
    monkeypatch.setattr("hypcse._memory.available_bytes", lambda: 1000)
    with pytest.raises(MemoryError, match="Use ward"):
        methods.run("average-linkage", np.random.default_rng(0).normal(size=(50, 2)))
    assert methods.run("ward", np.eye(50)).n_leaves == 50
