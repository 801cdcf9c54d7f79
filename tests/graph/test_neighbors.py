"""Nearest neighbors against the full distance matrix, sorted by (distance, id)."""

from __future__ import annotations

import numba
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from numpy.testing import assert_allclose, assert_array_equal
from scipy import sparse
from scipy.spatial.distance import pdist, squareform
from sorted_neighbors import sorted_others
from threadpoolctl import threadpool_limits

from hypcse import HypcseWarning
from hypcse.graph import nearest_neighbors, scale_features
from hypcse.graph.neighbors import approximate
from hypcse.graph.neighbors import search as neighbors_module
from hypcse.graph.neighbors.exact import Queries, brute_force, kd_tree
from hypcse.kernels.points.kdtree import build_tree

EXACT = ("brute", "kd-tree")
ALL = tuple(neighbors_module.ENGINES)


def grids(max_points=30, max_value=3):
    """Points on a small integer grid: many ties and duplicates, and distances without rounding."""
    shapes = st.tuples(st.integers(1, max_points), st.integers(1, 5))
    return shapes.flatmap(lambda shape: arrays(np.float64, shape, elements=st.integers(0, max_value)))


def clustered(n, d, seed=0):
    rng = np.random.default_rng(seed)
    centers = 3 * rng.normal(size=(20, d))
    return centers[rng.integers(20, size=n)] + rng.normal(size=(n, d))


@given(X=grids(), k=st.integers(1, 35), algorithm=st.sampled_from(EXACT), dtype=st.sampled_from(["f4", "f8"]))
@settings(deadline=None)
def test_exact_search_is_the_sorted_distance_matrix(X, k, algorithm, dtype):
    indices, distances = nearest_neighbors(X.astype(dtype), k, algorithm=algorithm)
    expected = sorted_others(squareform(pdist(X)) if len(X) > 1 else np.zeros((1, 1)), k)
    assert_array_equal(indices, expected[0])
    assert_allclose(distances, expected[1])


@given(X=grids(), k=st.integers(1, 35))
@settings(deadline=None, max_examples=30)
def test_given_distances_and_features_agree(X, k):
    """Square and condensed distances and a full sparse matrix give what the features give."""
    condensed = pdist(X) if len(X) > 1 else np.empty(0)
    square = squareform(condensed) if len(X) > 1 else np.zeros((1, 1))
    rows, columns = np.nonzero(~np.eye(len(X), dtype=bool))
    stored = sparse.coo_array((square[rows, columns], (rows, columns)), shape=square.shape)
    expected = nearest_neighbors(X, k)
    for D in (square, condensed, stored):
        found = nearest_neighbors(D, k, metric="precomputed")
        assert_array_equal(found.indices, expected.indices)
        assert_allclose(found.distances, expected.distances)


@pytest.mark.parametrize("algorithm", ALL)
@pytest.mark.parametrize("d", [1, 7, 40])
def test_every_algorithm_finds_the_neighbors(algorithm, d):
    X = clustered(600, d)
    expected = sorted_others(squareform(pdist(X)), 8)
    indices, distances = nearest_neighbors(X, 8, algorithm=algorithm)
    if algorithm == "lists":
        assert (distances <= expected[1][:, -1:] * (1 + 1e-12)).mean() >= 0.995
    else:
        assert_array_equal(indices, expected[0])
        assert_allclose(distances, expected[1])


@pytest.mark.parametrize("n_bytes", [1, 4_000, 50_000])
def test_blocks_do_not_matter(monkeypatch, n_bytes):
    """However few rows a block holds, features, square and condensed distances give the same."""
    X = np.random.default_rng(0).integers(0, 5, size=(150, 4))
    condensed = pdist(X, "cityblock").astype(np.int64)
    expected = sorted_others(squareform(condensed), 6)
    by_features = nearest_neighbors(X, 6, algorithm="brute")
    monkeypatch.setattr("hypcse.graph.neighbors.exact.BLOCK_BYTES", n_bytes)
    for D in (condensed, squareform(condensed)):
        found = nearest_neighbors(D, 6, metric="precomputed")
        assert_array_equal(found.indices, expected[0])
        assert_array_equal(found.distances, expected[1])
    assert_array_equal(nearest_neighbors(X, 6, algorithm="brute").indices, by_features.indices)


def test_recall_of_lists_on_clustered_data():
    X = scale_features(clustered(20_000, 12), "minmax")
    exact = nearest_neighbors(X, 10, algorithm="brute")
    found = nearest_neighbors(X, 10, algorithm="lists")
    assert (found.distances <= exact.distances[:, -1:]).mean() >= 0.995
    assert (found.indices >= 0).all()


def sampled_tables():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(3000, 7))
    tight, far = np.concatenate([1e-7 * X[:2000] + 5, X[2000:]]), X.copy()
    far[0] = 1e30
    return {"usual": X, "copies": np.repeat(X[:100], 30, axis=0), "tight": tight, "offset": X + 1e12, "far": far}


@pytest.mark.parametrize("table", sampled_tables())
def test_the_sample_has_its_true_neighbors(table):
    """By the tree in single precision where that is certain, whatever rounding does."""
    X = sampled_tables()[table]
    points, unit = approximate._robustly_centered(X)
    tree = build_tree(points)
    by_tree, by_force = (approximate._Sample(X, tree.ids, 9, one, unit) for one in (tree, None))
    assert_array_equal(by_tree.farthest, by_force.farthest)
    if table == "usual":
        assert by_tree._by_tree(tree, unit)[1].mean() < 0.01


@pytest.mark.parametrize("algorithm", ALL)
def test_threads_do_not_matter(algorithm):
    X = scale_features(clustered(5_000, 9), "minmax")
    several = nearest_neighbors(X, 10, algorithm=algorithm)
    before = numba.get_num_threads()
    try:
        numba.set_num_threads(1)
        with threadpool_limits(1):
            one = nearest_neighbors(X, 10, algorithm=algorithm)
    finally:
        numba.set_num_threads(before)
    assert_array_equal(one.indices, several.indices)
    assert_array_equal(one.distances, several.distances)


@pytest.mark.parametrize("algorithm", ALL)
@pytest.mark.parametrize("n", [1, 2, 3])
def test_few_points(algorithm, n):
    """With k >= n - 1 all others are neighbors."""
    indices, distances = nearest_neighbors(np.arange(n, dtype=float)[:, None], 10, algorithm=algorithm)
    assert indices.shape == distances.shape == (n, n - 1)
    assert all(set(row) == set(range(n)) - {i} for i, row in enumerate(indices))


@pytest.mark.parametrize("algorithm", ALL)
def test_copies_of_one_point(algorithm):
    """No point is its own neighbor, however many copies it has."""
    X = np.ones((3_000, 4))
    indices, distances = nearest_neighbors(X, 5, algorithm=algorithm)
    assert (indices != np.arange(3_000)[:, None]).all()
    assert not distances.any()
    if algorithm != "lists":
        assert_array_equal(indices[:2], [[1, 2, 3, 4, 5], [0, 2, 3, 4, 5]])


def test_cosine_is_scipys():
    X = clustered(300, 5)
    expected = sorted_others(squareform(pdist(X, "cosine")), 7)
    indices, distances = nearest_neighbors(X.astype("f8"), 7, metric="cosine")
    assert_array_equal(indices, expected[0])
    assert_allclose(distances, expected[1], atol=1e-12)
    assert_array_equal(nearest_neighbors(1e160 * X, 7, metric="cosine").indices, indices)


def test_a_row_of_zeros_is_at_cosine_distance_one_and_told():
    X = [[1.0, 0], [1, 1], [0, 0], [0, 0]]
    with pytest.warns(HypcseWarning, match="2 rows .* only zeros.* the first is row 2"):
        found = nearest_neighbors(X, 3, metric="cosine")
    # Rows of zeros are alike.
    assert_allclose(found.distances, [[1 - 0.5**0.5, 1, 1], [1 - 0.5**0.5, 1, 1], [0, 1, 1], [0, 1, 1]], atol=1e-12)


def test_sparse_distances_are_the_known_ones():
    """Stored zeros are distances, what is not stored is unknown, and the input is left as it is."""
    D = sparse.coo_array(([0.0, 0.0, 2.0, 2.0], ([2, 0, 1, 0], [0, 2, 0, 1])), shape=(4, 4)).tocsr()
    before = D.indices.copy()
    indices, distances = nearest_neighbors(D, 2, metric="precomputed")
    assert_array_equal(indices, [[2, 1], [0, -1], [0, -1], [-1, -1]])
    assert_array_equal(distances, [[0, 2], [2, np.inf], [0, np.inf], [np.inf, np.inf]])
    assert_array_equal(D.indices, before)


WRONG_DISTANCES = {
    "square": (np.zeros((2, 3)), "square"),
    "empty": (np.zeros((0, 0)), "square"),
    "deep": (np.zeros((2, 2, 2)), "square"),
    "not finite": (np.array([[0, np.nan], [np.nan, 0]]), r"not finite.*\(0, 1\)"),
    "negative": (np.array([[0, -1.0], [-1, 0]]), r"\(0, 1\) is -1"),
    "diagonal": (np.array([[0, 1.0], [1, 0.5]]), "point 1 to itself"),
    "asymmetric": (np.array([[0, 1.0], [2, 0]]), r"\(0, 1\) has 1.0 and \(1, 0\) has 2.0"),
    "length": (np.ones(4), "4 is not such a number"),
    "negative vector": (np.array([1.0, -1, 1]), r"\(0, 2\) is -1"),
    "complex": (np.zeros((2, 2), complex), "must be real numbers, got complex128"),
    "not finite vector": (np.array([1, 1, 1, 1, 1, np.inf]), r"not finite.*is inf at \(2, 3\)"),
    "text": (np.array([["a", "b"], ["b", "a"]]), "must be numbers"),
    "sparse shape": (sparse.csr_array((2, 3)), "square"),
    "sparse complex": (sparse.csr_array([[0, 1j], [1j, 0]]), "must be real numbers, got complex128"),
    "sparse not finite": (sparse.csr_array([[0, 0, 1], [0, 0, np.nan], [1, np.nan, 0]]), r"is nan at \(1, 2\)"),
    "sparse negative": (sparse.csr_array([[0, -1.0], [-1, 0]]), r"\(0, 1\) is -1"),
    "sparse diagonal": (sparse.csr_array([[0, 1.0], [1, 0.5]]), "point 1 to itself"),
    "sparse values": (sparse.csr_array([[0, 1.0], [2, 0]]), "not symmetric"),
    "sparse pattern": (sparse.csr_array([[0, 1.0], [0, 0]]), "not symmetric"),
}


@pytest.mark.parametrize(("D", "message"), WRONG_DISTANCES.values(), ids=WRONG_DISTANCES.keys())
def test_wrong_distances_are_named(D, message):
    with pytest.raises((ValueError, TypeError), match=message):
        nearest_neighbors(D, 1, metric="precomputed")


def test_wrong_arguments_are_named():
    X = np.eye(3)
    with pytest.raises(ValueError, match="n_neighbors=0 must be at least 1"):
        nearest_neighbors(X, 0)
    with pytest.raises(ValueError, match="'euclidean', 'cosine', 'precomputed'"):
        nearest_neighbors(X, 1, metric="manhattan")
    with pytest.raises(ValueError, match="'auto', 'kd-tree', 'brute', 'lists'"):
        nearest_neighbors(X, 1, algorithm="ball-tree")
    with pytest.raises(ValueError, match="1e\\+200 at"):
        nearest_neighbors(1e200 * X, 1)


def test_many_points_are_searched_in_lists(monkeypatch):
    monkeypatch.setattr(neighbors_module, "MAX_EXACT", 50)
    X = clustered(2_000, 20)
    found, expected = nearest_neighbors(X, 3), nearest_neighbors(X, 3, algorithm="lists")
    assert_array_equal(found.indices, expected.indices)


def test_points_without_structure_are_searched_in_longer_lists_or_exactly(monkeypatch):
    """Where neighbors of neighbors are not near, lists get longer, or matrix products are faster; which may be said."""
    X = np.random.default_rng(0).normal(size=(3_000, 60))
    exact = nearest_neighbors(X, 10, algorithm="brute").indices
    assert np.mean(nearest_neighbors(X, 10, algorithm="lists").indices == exact) > 0.98
    monkeypatch.setattr("hypcse.graph.neighbors.approximate.MOST", 0)
    assert_array_equal(nearest_neighbors(X, 10, algorithm="lists").indices, exact)
    monkeypatch.setattr("hypcse.graph.neighbors.approximate.MANY_PRODUCTS", 1e6)
    with pytest.warns(HypcseWarning, match="3000 points in 60 dimensions are found exactly"):
        nearest_neighbors(X, 10, algorithm="lists")


@pytest.mark.parametrize("seed", range(12))
def test_a_tree_over_copies_gives_the_bits_of_brute_force(seed):
    """Few and many copies, in any order, both zeros, both precisions, and new points."""
    rng = np.random.default_rng(seed)
    n, d, k = int(rng.integers(5, 400)), int(rng.integers(1, 4)), int(rng.integers(1, 12))
    some = np.round(rng.normal(size=(max(1, n // int(rng.integers(1, 40))), d)), int(rng.integers(0, 3)))
    X = np.ascontiguousarray(some[rng.integers(len(some), size=n)], "f4" if seed % 2 else "f8")
    k = min(k, n - 2)
    new = np.ascontiguousarray(np.concatenate([X[:5], X[:5] + X.dtype.type(0.25), 1e30 * X[:2]]))
    own = np.arange(0, n, 3)
    for queries in (None, Queries.new(new), Queries.rows(X, own)):
        for found, expected in zip(kd_tree(X, k, queries), brute_force(X, k, queries), strict=True):
            assert_array_equal(found, expected)


def test_many_copies_are_searched_once(monkeypatch):
    """200,000 ages: rows of brute force would be 200,000 times 200,000 distances."""
    searched = []

    def counted(X, k, queries=None):
        searched.append(len(X) * (len(X) if queries is None else queries.own.size))
        return brute_force(X, k, queries)

    monkeypatch.setattr("hypcse.graph.neighbors.exact.brute_force", counted)
    X = np.random.default_rng(0).integers(50, size=(200_000, 1)).astype(float)
    indices, distances = nearest_neighbors(X, 10)
    assert sum(searched) <= 50 * 50 and not distances.any()
    for value in range(50):
        rows = np.flatnonzero(X[:, 0] == value)
        assert_array_equal(indices[rows[-1]], rows[:10])
