"""HDBSCAN's full tree, with scikit-learn, the hdbscan package (where installed) and SciPy as the oracles."""

from __future__ import annotations

import numba
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.cluster.hierarchy import linkage
from scipy.spatial.distance import pdist, squareform
from sklearn.cluster import HDBSCAN

import hypcse
from hypcse import Tree, methods
from hypcse.kernels.linkage.merges import number_merges
from hypcse.kernels.linkage.single import heaviest_forest
from hypcse.kernels.points.kdtree import pair_distances
from hypcse.search import spanning
from hypcse.search import spanning as reachability
from planted import put_back

CASES = {"n": st.integers(2, 60), "d": st.integers(1, 6), "min_samples": st.integers(1, 9), "seed": st.integers(0, 999)}


def run(X, **options):
    return methods.run("hdbscan", X, scale="none", **options)


def by_all_pairs(X, min_samples):
    """Kruskal's algorithm on all pairs by (mutual reachability, distance, smaller id, larger id)."""
    first, second = np.triu_indices(len(X), 1)
    squared = pair_distances(X, first, second)
    core = np.sort(squareform(squared, checks=False), axis=1)[:, min(min_samples, len(X)) - 1]
    reach = np.maximum(squared, np.maximum(core[first], core[second]))
    order = np.lexsort([second, first, squared, reach])
    edges = heaviest_forest(first[order], second[order], len(X))
    lengths = reach[order][np.flatnonzero(np.isin(first[order] * len(X) + second[order], edges[0] * len(X) + edges[1]))]
    return Tree.from_linkage(number_merges(*edges, np.sqrt(lengths)))


def clouds(seed, n, d):
    """Points without structure, in clusters, on a lattice full of ties, copies, and cores of very different size."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, d))
    yield X
    yield X + 30 * rng.normal(size=(5, d))[rng.integers(5, size=n)]
    yield rng.integers(-2, 3, size=(n, d)).astype(float)
    yield X[rng.integers(max(1, n // 3), size=n)]
    yield X * np.exp(3 * rng.normal(size=(n, 1)))


@given(n=st.integers(2, 300), d=st.integers(1, 20), min_samples=st.integers(1, 30), seed=st.integers(0, 999))
def test_rounds_give_what_all_pairs_give(n, d, min_samples, seed):
    """To the last bit: edges have one order."""
    for X in clouds(seed, n, d):
        X = X.astype(np.float32)
        assert run(X, min_samples=min_samples) == by_all_pairs(X.astype(np.float64) + 0.0, min_samples)


@pytest.mark.parametrize("min_samples", [1, 5, 12, 80])
def test_thousands_of_points_by_any_way(min_samples, monkeypatch):
    """By the tree or by matrix products, at one thread or at all of them."""
    for X in clouds(min_samples, 2500, 12):
        threads, trees = numba.get_num_threads(), []
        for visited, count in ((np.inf, 1), (np.inf, threads), (0, threads)):
            monkeypatch.setattr(spanning, "MAX_VISITED", visited)
            monkeypatch.setattr(reachability, "_PART", 1000)
            numba.set_num_threads(count)
            trees.append(run(X, min_samples=min_samples))
        assert trees[0] == trees[1] == trees[2]


def test_five_thousand_points_equal_scikit_learns():
    """Heights one by one, and the flat clusters at many of them."""
    rng = np.random.default_rng(0)
    X = (rng.normal(size=(5000, 16)) + 4 * rng.normal(size=(20, 16))[rng.integers(20, size=5000)]).astype(np.float32)
    rows = np.array(HDBSCAN(min_samples=5, copy=True).fit(X.astype(float))._single_linkage_tree_.tolist())
    tree, expected = run(X, min_samples=5), Tree.from_linkage(rows[:, :4])
    assert np.sort(tree.height) == pytest.approx(np.sort(expected.height), rel=1e-9)
    for height in np.quantile(expected.height[5000:], np.linspace(0, 1, 60)) * (1 + 1e-9):
        assert np.array_equal(tree.cut(height=height), expected.cut(height=height))


def all_reachabilities(X, min_samples):
    """All mutual reachabilities, condensed."""
    D = squareform(pdist(X))
    core = np.sort(D, axis=1)[:, min(min_samples, len(X)) - 1]
    R = np.maximum(D, np.maximum(core[:, None], core))
    np.fill_diagonal(R, 0)
    return squareform(R)


def same_clusters(tree: Tree, other: Tree) -> bool:
    """Whether both have the same flat clusters at every height, which no order of ties can change."""
    levels = np.unique(np.round(other.height, 9)) + 1e-8
    return all(np.array_equal(tree.cut(height=level), other.cut(height=level)) for level in levels)


@given(**CASES)
def test_equals_single_linkage_of_mutual_reachability(n, d, min_samples, seed):
    X = np.random.default_rng(seed).normal(size=(n, d)).astype(np.float32).astype(float)
    tree = run(X, min_samples=min_samples)
    expected = Tree.from_linkage(linkage(all_reachabilities(X, min_samples), "single"))
    assert np.sort(tree.height) == pytest.approx(np.sort(expected.height))
    assert same_clusters(tree, expected)


@given(n=st.integers(10, 80), d=st.integers(1, 4), min_samples=st.integers(2, 9), seed=st.integers(0, 999))
def test_equals_scikit_learn(n, d, min_samples, seed):
    X = np.random.default_rng(seed).normal(size=(n, d)).astype(np.float32).astype(float)
    model = HDBSCAN(min_samples=min_samples, min_cluster_size=5, copy=True).fit(X)
    rows = np.array(model._single_linkage_tree_.tolist())
    assert same_clusters(run(X, min_samples=min_samples), Tree.from_linkage(rows[:, :4]))


@pytest.mark.parametrize("algorithm", ["generic", "boruvka_kdtree"])
@pytest.mark.parametrize("min_samples", [2, 5, 10])
def test_equals_the_hdbscan_package(min_samples, algorithm):
    """There the point itself does not count."""
    package = pytest.importorskip("hdbscan", reason="the hdbscan package is not installed")
    X = np.random.default_rng(0).normal(size=(300, 4)).astype(np.float32).astype(float)
    options = {"min_cluster_size": 5, "algorithm": algorithm, "approx_min_span_tree": False}
    model = package.HDBSCAN(min_samples=min_samples - 1, **options).fit(X)
    expected = Tree.from_linkage(model.single_linkage_tree_.to_numpy())
    assert same_clusters(run(X, min_samples=min_samples), expected)


@given(n=st.integers(2, 60), d=st.integers(1, 4), seed=st.integers(0, 999))
def test_one_sample_is_single_linkage(n, d, seed):
    X = np.random.default_rng(seed).normal(size=(n, d))
    assert hypcse.robinson_foulds(run(X, min_samples=1), methods.run("single-linkage", X, scale="none")) == 0


@given(n=st.integers(2, 60), min_samples=st.integers(1, 9), seed=st.integers(0, 999))
def test_the_order_of_the_rows_does_not_matter(n, min_samples, seed):
    """Mutual reachabilities are often equal, but the distances that then decide are not."""
    rng = np.random.default_rng(seed)
    X, order = rng.normal(size=(n, 3)), rng.permutation(n)
    assert run(X, min_samples=min_samples) == put_back(run(X[order], min_samples=min_samples), order)


def test_copies_small_inputs_and_far_units():
    X = np.repeat(np.arange(4.0)[:, None], 9, axis=0)
    assert len(set(run(X).cut(height=0.0).tolist())) == 4
    for n in (1, 2, 3):
        assert run(X[:n]).n_leaves == n
    for power in (-120, 120):
        X = np.ldexp(np.array([[0.0], [1.0], [3.0], [9.0]]), power)
        assert run(X, min_samples=2).height[4:].tolist() == np.ldexp([1.0, 2.0, 6.0], power).tolist()


def test_progress_and_limits():
    X = np.random.default_rng(0).normal(size=(6000, 2))
    told = []
    methods.run("hdbscan", X, callback=told.append)
    shares = [step.share for step in told if step.stage == "spanning tree"]
    assert len(shares) > 1 and shares == sorted(shares) and shares[-1] == told[-1].share == 1
    with pytest.raises(TimeoutError, match=r"hdbscan .* max_seconds=1e-09"):
        methods.run("hdbscan", X, max_seconds=1e-9)
    with pytest.raises(ValueError, match="min_samples=0"):
        run(X, min_samples=0)
