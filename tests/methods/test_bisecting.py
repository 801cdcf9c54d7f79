"""Bisecting k-means, with scikit-learn and all bipartitions as the oracles."""

from __future__ import annotations

from itertools import combinations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.cluster import KMeans

import hypcse
from hypcse import methods
from hypcse.kernels.points.two_means import two_means


def run(X, **options):
    return methods.run("bisecting-kmeans", X, scale="none", **options)


def inertia(X, left):
    return sum(((X[side] - X[side].mean(axis=0)) ** 2).sum() for side in (left, ~left))


def root_side(tree):
    """Marks of the leaves under one child of the root."""
    left = np.zeros(tree.n_leaves, bool)
    left[tree.leaves(int(np.flatnonzero(tree.parent == tree.root)[0]))] = True
    return left


@pytest.mark.parametrize("d", [1, 3])
def test_root_split_is_nearly_always_the_best_of_all_bipartitions(d):
    """Never better, of course; Lloyd's algorithm can miss the best, but rarely does of few points."""
    n, n_best = 7, 0
    every = [np.isin(np.arange(n), chosen) for size in range(1, n) for chosen in combinations(range(n), size)]
    for seed in range(100):
        X = np.random.default_rng(seed).normal(size=(n, d)).astype(np.float32).astype(float)
        result, least = inertia(X, root_side(run(X, n_init=30))), min(inertia(X, side) for side in every)
        assert result >= least * (1 - 1e-12)
        n_best += result <= least * (1 + 1e-12)
    assert n_best >= 95


@pytest.mark.parametrize(("n", "d"), [(40, 1), (100, 2), (200, 6)])
def test_root_split_is_about_as_good_as_scikit_learns(n, d):
    for seed in range(10):
        X = np.random.default_rng(seed).normal(size=(n, d)).astype(np.float32).astype(float)
        theirs = KMeans(2, n_init=10, random_state=seed).fit(X).inertia_
        assert inertia(X, root_side(run(X, n_init=20))) <= 1.02 * theirs


@given(n=st.integers(3, 60), d=st.integers(1, 4), seed=st.integers(0, 1000))
def test_two_means_is_a_fixed_point_of_lloyd(n, d, seed):
    """Every point lies on the side of the nearer mean, and the sum of squares is that of the sides."""
    X = np.random.default_rng(seed).normal(size=(n, d))
    left = np.zeros(n, bool)
    value = two_means(X, np.arange(n), left, np.random.default_rng(seed), 1000, 0.0)
    assert 0 < left.sum() < n
    means = X[left].mean(axis=0), X[~left].mean(axis=0)
    nearer = ((X - means[0]) ** 2).sum(axis=1) < ((X - means[1]) ** 2).sum(axis=1)
    assert (nearer == left).all()
    assert value == pytest.approx(inertia(X, left))


@given(n=st.integers(2, 40), d=st.integers(1, 3), seed=st.integers(0, 1000))
def test_heights_are_the_spread_of_the_cluster(n, d, seed):
    X = np.random.default_rng(seed).integers(0, 3, size=(n, d)).astype(float)
    tree = run(X, random_state=seed)
    assert tree.is_binary
    for node in range(n, tree.n_nodes):
        own = X[tree.leaves(node)]
        assert tree.height[node] == pytest.approx(np.sqrt(((own - own.mean(axis=0)) ** 2).sum()), abs=1e-9)


def test_copies_and_small_inputs():
    X = np.repeat(np.arange(4.0)[:, None], 9, axis=0)
    tree = run(X)
    assert len(set(tree.cut(height=0.0).tolist())) == 4
    assert hypcse.dendrogram_purity(tree, X.ravel()) == 1
    for n in (1, 2, 3):
        assert run(X[:n]).n_leaves == n
    assert run(np.full((5, 2), 0.1)).height.max() == 0


@pytest.mark.parametrize("power", [-100, 100])
def test_units_do_not_matter(power):
    X = np.random.default_rng(0).normal(size=(50, 2)).astype(np.float32).astype(float)
    tree, scaled = run(X), run(np.ldexp(X, power))
    assert hypcse.robinson_foulds(tree, scaled) == 0
    assert np.array_equal(np.ldexp(tree.height, power), scaled.height)


def test_seed_progress_and_limits():
    X = np.random.default_rng(0).normal(size=(3000, 3))
    expected = []
    tree = methods.run("bisecting-kmeans", X, callback=expected.append)
    assert tree == methods.run("bisecting-kmeans", X)
    shares = [step.share for step in expected]
    assert len(expected) > 1 and expected[0].stage == "splits" and shares == sorted(shares) and shares[-1] == 1
    with pytest.raises(TimeoutError, match=r"max_seconds=1e-09"):
        methods.run("bisecting-kmeans", X, max_seconds=1e-9)


@pytest.mark.parametrize("options", [{"n_init": 0}, {"max_iter": 0}, {"tol": -1.0}, {"max_seconds": 0}])
def test_errors(options):
    with pytest.raises(ValueError, match=next(iter(options))):
        run(np.eye(3), **options)
