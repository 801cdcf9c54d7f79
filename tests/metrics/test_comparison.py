"""Comparison of two trees, with SciPy, scikit-learn and plain sets as oracles."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from pytest import approx
from scipy.cluster.hierarchy import cophenet, linkage
from sklearn.metrics import fowlkes_mallows_score

import brute
from hypcse import Tree, fowlkes_mallows, robinson_foulds
from hypcse.metrics import cophenetic_correlation, cophenetic_distances
from strategies import trees


@st.composite
def two_trees(draw, min_leaves=2):
    first = draw(trees(min_leaves))
    return first, draw(trees(first.n_leaves, first.n_leaves))


def features(n, seed=0):
    return np.random.default_rng(seed).normal(size=(n, 3))


def test_cophenetic_is_that_of_scipy():
    X = features(40)
    Z = linkage(X, "average")
    tree = Tree.from_linkage(Z)
    distances = np.random.default_rng(1).random(40 * 39 // 2)
    expected, condensed = cophenet(Z, distances)
    assert cophenetic_distances(tree) == approx(condensed)
    assert cophenetic_correlation(tree, distances) == approx(expected)
    other = Tree.from_linkage(linkage(X, "single"))
    expected = np.corrcoef(condensed, cophenet(linkage(X, "single")))[0, 1]
    assert cophenetic_correlation(tree, other) == approx(expected)
    assert cophenetic_correlation(tree, other, n_pairs=200_000) == approx(expected, abs=0.01)
    assert cophenetic_correlation(tree, other, n_pairs=50) == cophenetic_correlation(tree, other, n_pairs=50)


@given(two_trees(), st.data())
def test_fowlkes_mallows_is_that_of_scikit_learn(pair, data):
    first, second = pair
    k = data.draw(st.integers(1, first.n_leaves))
    expected = fowlkes_mallows_score(first.cut(n_clusters=k), second.cut(n_clusters=k))
    assert fowlkes_mallows(first, second, k) == approx(expected)


@given(two_trees())
def test_robinson_foulds_counts_sets(pair):
    first, second = pair
    sets = [{frozenset(s) for s in brute.members(tree)[tree.n_leaves : -1]} for tree in pair]
    assert robinson_foulds(first, second) == len(sets[0] ^ sets[1])
    assert robinson_foulds(second, first) == robinson_foulds(first, second)
    assert robinson_foulds(first, first) == 0
    assert 0 <= robinson_foulds(first, second, normalized=True) <= 1


def test_errors():
    pair, three = Tree.from_linkage([[0, 1, 1, 2]]), Tree.from_linkage([[0, 1, 1, 2], [2, 3, 2, 3]])
    with pytest.raises(ValueError, match="2 and 3 leaves"):
        robinson_foulds(pair, three)
    with pytest.raises(ValueError, match="condensed order"):
        cophenetic_correlation(three, [1.0, 2.0])
    with pytest.raises(ValueError, match="both i and j"):
        cophenetic_distances(three, [0])
    assert np.isnan(cophenetic_correlation(pair, pair))
    named = Tree(three.parent, three.height, ("a", "b", "c"))
    other = Tree(three.parent, three.height, ("a", "c", "b"))
    with pytest.raises(ValueError, match=r"leaf 1 is 'b' and 'c'.* other.reordered\(tree.names\)"):
        robinson_foulds(named, other)
    assert robinson_foulds(named, other.reordered(named.names)) == 2


def test_memory_of_all_pairs_is_checked_first(monkeypatch):
    monkeypatch.setattr("hypcse._memory.SMALL", 0)
    monkeypatch.setattr("hypcse._memory.available_bytes", lambda: 100)
    three = Tree.from_linkage([[0, 1, 1, 2], [2, 3, 2, 3]])
    with pytest.raises(MemoryError, match="all 3 pairs of 3 leaves needs .* Pass i and j"):
        cophenetic_distances(three)
    assert cophenetic_distances(three, [0], [2]).tolist() == [2]
