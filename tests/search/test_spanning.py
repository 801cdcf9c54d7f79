"""Spanning trees against SciPy's, against Kruskal with the same order among ties, and by laws."""

from __future__ import annotations

import numba
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.cluster.hierarchy import linkage
from scipy.sparse.csgraph import connected_components, minimum_spanning_tree
from scipy.spatial.distance import pdist, squareform

import hypcse
from hypcse import Tree, robinson_foulds
from hypcse.kernels.points.rows import first_copies
from hypcse.neural.decode import decode_single
from hypcse.search import spanning
from hypcse.search.spanning import spanning_tree


@st.composite
def clouds(draw, max_points=300, max_dim=40):
    """Points without structure, in clusters, on a lattice full of ties and copies, or with constant columns."""
    n, d = draw(st.integers(1, max_points)), draw(st.integers(1, max_dim))
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    kind = draw(st.sampled_from(["uniform", "clustered", "lattice", "copies", "constant", "sphere"]))
    X = rng.normal(size=(n, d))
    if kind == "clustered":
        return X + 30 * rng.normal(size=(5, d))[rng.integers(5, size=n)]
    if kind == "lattice":
        return rng.integers(-2, 3, size=(n, d)).astype(float)
    if kind == "copies":
        return X[rng.integers(max(1, n // 3), size=n)]
    if kind == "constant":
        return np.where(np.arange(d) % 2 == 0, 7.0, X)
    return X / np.linalg.norm(X, axis=1, keepdims=True) if kind == "sphere" else X


def kruskal(X):
    """Ends of the tree by (squared distance, smaller id, larger id), all pairs sorted."""
    i, j = np.triu_indices(len(X), 1)
    squared = ((X[i] - X[j]) ** 2).sum(axis=1)
    root, taken = list(range(len(X))), set()
    for e in np.lexsort([j, i, squared]):
        a, b = _top(root, i[e]), _top(root, j[e])
        if a != b:
            root[a] = b
            taken.add((int(i[e]), int(j[e])))
    return taken


def _top(root, v):
    while root[v] != v:
        v = root[v]
    return v


def edge_set(tree):
    return set(zip(tree.first.tolist(), tree.second.tolist(), strict=True))


def is_spanning(tree, n):
    from scipy.sparse import coo_matrix

    adjacency = coo_matrix((np.ones(len(tree.first)), (tree.first, tree.second)), shape=(n, n))
    return len(tree.first) == n - 1 and connected_components(adjacency, directed=False)[0] == 1


@given(clouds())
def test_as_light_as_scipys(X):
    """SciPy takes a distance of 0 for no edge, so that its matrix gets distances plus one."""
    tree = spanning_tree(X)
    assert is_spanning(tree, len(X))
    assert (tree.first < tree.second).all()
    assert np.array_equal(np.lexsort([tree.second, tree.first, tree.length]), np.arange(len(X) - 1))
    theirs = np.sort(minimum_spanning_tree(squareform(pdist(X)) + 1).data) - 1
    assert tree.length == pytest.approx(theirs, rel=1e-9, abs=1e-9)


@given(st.integers(1, 80), st.integers(1, 4), st.integers(1, 3), st.integers(0, 99))
def test_ties_go_to_smaller_ids(n, d, reach, seed):
    """On a lattice distances are exact, most are tied and many points are copies; the tree is still the one."""
    X = np.random.default_rng(seed).integers(-reach, reach + 1, size=(n, d)).astype(float)
    assert edge_set(spanning_tree(X)) == kruskal(X)


@given(clouds(max_points=200, max_dim=6))
def test_any_number_of_threads(X):
    given_threads = numba.get_num_threads()
    try:
        trees = []
        for threads in (1, given_threads):
            numba.set_num_threads(threads)
            trees.append(spanning_tree(X))
    finally:
        numba.set_num_threads(given_threads)
    assert all(np.array_equal(a, b) for a, b in zip(*trees, strict=True))


@pytest.mark.parametrize("dim", [2, 5, 16, 40])
def test_thousands_of_points_in_clusters(dim):
    """Several rounds and steps of search; the same at one thread and at all of them."""
    rng = np.random.default_rng(dim)
    X = rng.normal(size=(3000, dim)) + 20 * rng.normal(size=(12, dim))[rng.integers(12, size=3000)]
    X[::7] = X[rng.integers(3000, size=len(X[::7]))]
    tree = spanning_tree(X)
    assert is_spanning(tree, 3000)
    assert tree.length == pytest.approx(linkage(X, "single")[:, 2], rel=1e-9, abs=1e-12)
    threads = numba.get_num_threads()
    numba.set_num_threads(1)
    try:
        alone = spanning_tree(X)
    finally:
        numba.set_num_threads(threads)
    assert all(np.array_equal(a, b) for a, b in zip(tree, alone, strict=True))


def test_products_and_the_tree_give_the_same(monkeypatch):
    """Where nothing prunes, the first lists come from matrix products; ties (a lattice) and copies included."""
    rng = np.random.default_rng(0)
    for X in (rng.normal(size=(2500, 24)), rng.integers(0, 3, size=(2500, 12)).astype(float)):
        trees = []
        for limit in (0, np.inf):
            monkeypatch.setattr(spanning, "MAX_VISITED", limit)
            trees.append(spanning_tree(X))
        assert all(np.array_equal(a, b) for a, b in zip(*trees, strict=True))
        assert trees[0].length == pytest.approx(linkage(X, "single")[:, 2], rel=1e-9)


@given(clouds(max_points=120, max_dim=5), st.randoms(use_true_random=False))
def test_no_matter_in_which_order_points_come(X, random):
    order = list(range(len(X)))
    random.shuffle(order)
    assert np.array_equal(spanning_tree(X).length, spanning_tree(X[order]).length)


@given(clouds(max_points=150, max_dim=8), st.integers(1, 12))
def test_neighbors_span_and_are_never_shorter(X, k):
    tree = spanning_tree(X, method="neighbors", n_neighbors=k)
    assert is_spanning(tree, len(X))
    exact = spanning_tree(X)
    assert (tree.length >= exact.length * (1 - 1e-12)).all()
    if k >= len(X) - 1:
        assert edge_set(tree) == edge_set(exact)


def test_neighbors_join_separate_clusters_by_their_shortest_links():
    """Where each cluster is connected in the graph, the links between them are those of the exact tree."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(400, 3)) + 100 * np.repeat(np.eye(4)[:, :3], 100, axis=0)
    tree, exact = spanning_tree(X, method="neighbors", n_neighbors=8), spanning_tree(X)
    assert is_spanning(tree, 400)
    assert np.array_equal(tree.length[-3:], exact.length[-3:])


def test_copies_are_joined_to_the_first_of_them():
    X = np.array([[0.0], [5.0], [-0.0], [5.0], [0.0]])
    assert edge_set(spanning_tree(X)) == {(0, 2), (0, 4), (1, 3), (0, 1)}
    assert len(spanning_tree(np.zeros((100_000, 3))).first) == 99_999


@given(clouds(max_points=60, max_dim=3))
def test_first_copies(X):
    X = X + 0.0
    rows = [tuple(row) for row in X.tolist()]
    assert first_copies(X).tolist() == [rows.index(row) for row in rows]


def test_one_point_and_two():
    alone = spanning_tree([[1.0, 2.0]])
    assert [len(part) for part in alone] == [0, 0, 0]
    assert alone.first.dtype == alone.second.dtype == np.int64
    pair = spanning_tree(np.array([[3.0, 4.0], [0.0, 0.0]], np.float32))
    assert (pair.first[0], pair.second[0], pair.length[0]) == (0, 1, 5.0)


@pytest.mark.parametrize(
    ("points", "message"),
    [
        ([[0.0, np.nan], [1.0, 2.0]], r"not finite \(1 in all\); the first is nan at \(0, 1\)"),
        ([[0.0], [np.inf]], r"the first is inf at \(1, 0\)"),
        ([[0.0], [1e200]], "squared distances overflow"),
        ([0.0, 1.0], "two-dimensional"),
    ],
)
def test_points_that_have_no_distances(points, message):
    with pytest.raises(ValueError, match=message):
        spanning_tree(points)


def test_unknown_options():
    with pytest.raises(ValueError, match="method='prim' is not known"):
        spanning_tree([[0.0], [1.0]], method="prim")
    with pytest.raises(ValueError, match="n_neighbors=0 must be at least 1"):
        spanning_tree([[0.0], [1.0]], method="neighbors", n_neighbors=0)


def test_decoding_by_neighbors_finds_the_same_clusters():
    """Three separate groups: cut in three, both ways agree; and the exact way is SciPy's single linkage."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(300, 6)) * 0.1 + 3 * np.repeat(np.eye(3, 6), 100, axis=0)
    leaves = 0.999 * X / np.linalg.norm(X, axis=1, keepdims=True)
    exact, near = decode_single(leaves), decode_single(leaves, spanning="neighbors")
    assert robinson_foulds(exact, Tree.from_linkage(linkage(leaves, "single"))) == 0
    assert np.array_equal(exact.cut(n_clusters=3), near.cut(n_clusters=3))


def test_public_name():
    assert hypcse.search.spanning_tree is spanning_tree
