"""Comparison of two trees, with SciPy, scikit-learn and plain sets as oracles."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from pytest import approx
from scipy.cluster.hierarchy import cophenet, linkage

import brute
from hypcse import Tree, robinson_foulds
from hypcse.metrics import cophenetic_correlation
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
    assert cophenetic_correlation(tree, distances) == approx(expected)
    other = Tree.from_linkage(linkage(X, "single"))
    expected = np.corrcoef(condensed, cophenet(linkage(X, "single")))[0, 1]
    assert cophenetic_correlation(tree, other) == approx(expected)
    assert cophenetic_correlation(tree, other, n_pairs=200_000) == approx(expected, abs=0.01)
    assert cophenetic_correlation(tree, other, n_pairs=50) == cophenetic_correlation(tree, other, n_pairs=50)


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
    assert np.isnan(cophenetic_correlation(pair, pair))
    named = Tree(three.parent, three.height, ("a", "b", "c"))
    other = Tree(three.parent, three.height, ("a", "c", "b"))
    with pytest.raises(ValueError, match=r"leaf 1 is 'b' and 'c'.* other.reordered\(tree.names\)"):
        robinson_foulds(named, other)
    assert robinson_foulds(named, other.reordered(named.names)) == 2
