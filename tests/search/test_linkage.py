"""Linkage on graphs against a plain heap-free reference, SciPy, scikit-network, and by laws."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from pytest import approx
from scipy.cluster.hierarchy import linkage
from scipy.sparse import csr_matrix
from scipy.sparse.csgraph import minimum_spanning_tree

from graph_strategies import graphs
from hypcse import Graph, Tree, graph_linkage, robinson_foulds, similarity_graph, structural_entropy
from hypcse.kernels.linkage.merges import first_ranks, shorten

METHODS = ("average", "paris", "entropy", "single")


def greedy_tree(graph: Graph, method: str) -> list[frozenset[int]]:
    """Clusters of the plain greedy algorithm on the dense matrix, within components."""
    W = graph.without_loops().to_scipy().toarray()
    degrees, whole = graph.degrees, graph.volume
    parts = [frozenset([k]) for k in range(graph.n_vertices)]
    made = []
    while True:
        best, pair = 0.0, None
        for a in range(len(parts)):
            for b in range(a + 1, len(parts)):
                block = W[np.ix_(list(parts[a]), list(parts[b]))]
                cut, vols = block.sum(), [degrees[list(p)].sum() for p in (parts[a], parts[b])]
                if cut == 0:
                    continue
                value = {
                    "average": cut / (len(parts[a]) * len(parts[b])),
                    "paris": cut / (vols[0] * vols[1]),
                    "entropy": cut * np.log2(whole / sum(vols)) + 1e-12 * cut,
                    "single": block.max(),
                }[method]
                if value > best:
                    best, pair = value, (a, b)
        if pair is None:
            return made
        joined = parts[pair[0]] | parts[pair[1]]
        parts = [p for k, p in enumerate(parts) if k not in pair] + [joined]
        made.append(joined)


@pytest.mark.parametrize("method", METHODS)
@given(graph=graphs(9), data=st.data())
def test_equals_the_greedy_algorithm(method, graph, data):
    """Random weights and loops have no ties, so the clusters within components are the same.

    Without loops Paris linkage ties by itself: w / (w (w + v)) = v / (v (w + v)) at the middle of a path.
    """
    i, j, w = graph.edges()
    rng = np.random.default_rng(data.draw(st.integers(0, 99)))
    ends = [np.concatenate([end, np.arange(9)]) for end in (i, j)]
    weights = np.concatenate([w * rng.uniform(0.5, 1.5, size=w.size), rng.uniform(0.1, 1, size=9)])
    graph = Graph.from_edges(*ends, weights, 9)
    tree = graph_linkage(graph, method)
    clusters = {frozenset(tree.leaves(node).tolist()) for node in range(9, 17)}
    assert set(greedy_tree(graph, method)) <= clusters


def merged_in_any_order(graph: Graph, method: str, rng: np.random.Generator) -> set[frozenset[int]]:
    """Clusters made by merging, one at a time and in any order, two of which each is the nearest of the other.

    In fractions: nearest is cut / mass, of equals the cluster whose highest rank is lowest.
    """
    n, rank = graph.n_vertices, first_ranks(graph.n_vertices).tolist()
    mass = {frozenset([v]): Fraction(shorten(graph.degrees)[v]) if method == "paris" else 1 for v in range(n)}
    cut: dict[frozenset[int], dict[frozenset[int], Fraction]] = {part: {} for part in mass}
    for i, j, w in zip(*graph.edges(), strict=True):
        a, b = frozenset([int(i)]), frozenset([int(j)])
        cut[a][b] = cut[b][a] = Fraction(float(shorten(np.array([w]))[0]))
    made = set()
    while True:
        nearest = {
            a: max(near, key=lambda b, near=near: (near[b] / mass[b], -max(rank[v] for v in b)))
            for a, near in cut.items()
            if near
        }
        mutual = [(a, b) for a, b in nearest.items() if nearest[b] == a]
        if not mutual:
            return made
        a, b = mutual[rng.integers(len(mutual))]
        joined = a | b
        mass[joined] = mass[a] + mass[b]
        both = cut.pop(a), cut.pop(b)
        cut[joined] = {c: both[0].get(c, 0) + both[1].get(c, 0) for c in {*both[0], *both[1]} - {a, b}}
        for c, weight in cut[joined].items():
            cut[c] = {d: w for d, w in cut[c].items() if d not in (a, b)} | {joined: weight}
        made.add(joined)


@pytest.mark.parametrize("method", ["average", "paris"])
@given(seed=st.integers(0, 10_000))
def test_ties_are_broken_whatever_the_order(method, seed):
    """Few values of weights, so that almost all is a tie: the merges do not depend on the order in which they come."""
    rng = np.random.default_rng(seed)
    n = int(rng.integers(4, 16))
    W = np.triu(rng.choice([0.1, 0.2, 0.7], size=(n, n)) * (rng.random((n, n)) < rng.uniform(0.2, 1)), 1)
    graph = Graph.from_scipy(W + W.T)
    tree = graph_linkage(graph, method)
    clusters = {frozenset(tree.leaves(node).tolist()) for node in range(n, tree.n_nodes)}
    assert merged_in_any_order(graph, method, rng) <= clusters


@pytest.mark.parametrize("method", METHODS)
@given(graph=graphs(12))
def test_laws(method, graph):
    """Binary, over all vertices, heights never fall, components are clusters, and the same answer twice."""
    tree = graph_linkage(graph, method)
    assert tree.is_binary
    assert tree.n_leaves == 12
    assert np.array_equal(tree.parent, graph_linkage(graph, method).parent)
    assert np.array_equal(np.sort(tree.height[12:]), tree.height[12:])
    clusters = {frozenset(tree.leaves(node).tolist()) for node in range(tree.n_nodes)}
    labels = graph.components()
    for label in np.unique(labels):
        assert frozenset(np.flatnonzero(labels == label).tolist()) in clusters


def test_components_join_smallest_first():
    """Pairs of weight 1, 2, 4 and 16: the lightest two join, then the next, the heaviest last."""
    graph = Graph.from_edges([0, 2, 4, 6], [1, 3, 5, 7], [16.0, 1.0, 4.0, 2.0])
    tree = graph_linkage(graph)
    assert set(tree.leaves(int(tree.lca(2, 6)))) == {2, 3, 6, 7}
    assert set(tree.leaves(int(tree.lca(2, 4)))) == {2, 3, 4, 5, 6, 7}


def test_average_on_a_complete_graph_is_upgma():
    """On a complete graph with weights c - d, average linkage is SciPy's on the distances d."""
    X = np.random.default_rng(0).normal(size=(40, 3))
    D = np.linalg.norm(X[:, None] - X[None], axis=2)
    W = D.max() + 1 - D
    np.fill_diagonal(W, 0)
    tree = graph_linkage(Graph.from_scipy(W), "average")
    assert robinson_foulds(tree, Tree.from_linkage(linkage(X, "average"))) == 0


def test_single_is_the_spanning_tree():
    X = np.random.default_rng(0).normal(size=(60, 2))
    graph = similarity_graph(X, n_neighbors=59, scale="none", bandwidth=5.0)
    tree = graph_linkage(graph, "single")
    assert robinson_foulds(tree, Tree.from_linkage(linkage(X, "single"))) == 0
    distances = graph.without_loops().to_scipy()
    distances.data = -np.log(distances.data)
    assert minimum_spanning_tree(distances).nnz == 59


@given(st.integers(2, 40), st.integers(0, 999), st.sampled_from([0.2, 1.0]))
def test_paris_is_scikit_networks(n, seed, density):
    """On connected graphs without ties; how components are joined there is another matter."""
    sknetwork = pytest.importorskip("sknetwork.hierarchy")
    rng = np.random.default_rng(seed)
    W = np.triu(rng.random((n, n)) * (rng.random((n, n)) < density), 1) + np.diag(rng.random(n - 1), 1)
    graph = Graph.from_scipy(W + W.T)
    theirs = sknetwork.Paris().fit_transform(csr_matrix(W + W.T))
    # Their heights are not ours, only the merges are.
    expected = Tree.from_linkage(np.column_stack([theirs[:, :2], np.arange(1.0, n), theirs[:, 3]]))
    assert robinson_foulds(graph_linkage(graph, "paris"), expected) == 0


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("n", [1, 2, 3])
def test_tiny_and_empty_graphs(method, n):
    assert graph_linkage(Graph.from_edges([], [], [], n), method).n_leaves == n
    if n > 1:
        assert graph_linkage(Graph.from_edges([0], [1], [2.0], n), method).n_leaves == n


@given(st.integers(0, 10_000))
def test_ties_never_run_a_chain_out_of_its_array(seed):
    """Weights of two values, whose sums differ in the last bit: every method ends with a valid tree."""
    rng = np.random.default_rng(seed)
    n = int(rng.integers(4, 40))
    groups = rng.integers(0, 4, size=n)
    W = np.where(groups[:, None] == groups, 1.1, 0.1) * (rng.random((n, n)) < 0.8)
    W = np.triu(W, 1)
    for method in METHODS:
        assert graph_linkage(Graph.from_scipy(W + W.T), method).is_binary


def test_categorical_tables():
    X = np.random.default_rng(5).integers(0, 3, size=(300, 4)).astype(float)
    assert graph_linkage(similarity_graph(X, n_neighbors=30)).is_binary


def test_a_star_and_a_path():
    """A hub of degree n, the worst case, and a long path: both finish, without recursion."""
    n = 5_000
    rng = np.random.default_rng(0)
    hub = Graph.from_edges(np.zeros(n - 1, int), np.arange(1, n), rng.uniform(1, 2, n - 1), n)
    path = Graph.from_edges(np.arange(n - 1), np.arange(1, n), rng.uniform(1, 2, n - 1), n)
    for method in METHODS:
        assert graph_linkage(hub, method).is_binary
        assert graph_linkage(path, method).is_binary


def test_unknown_method():
    with pytest.raises(TypeError, match="must be a hypcse.Graph, a networkx graph or a symmetric matrix, got Tree"):
        graph_linkage(graph_linkage(np.eye(3)))
    with pytest.raises(ValueError, match="method='ward' is not known"):
        graph_linkage(Graph.from_edges([0], [1]), "ward")


@given(st.integers(0, 10_000))
def test_without_ties_the_order_of_rows_changes_no_linkage(seed):
    """Neither the similarity graph nor what merges; `refine` and "multilevel" do depend on it."""
    rng = np.random.default_rng(seed)
    X, order = rng.normal(size=(30, 3)), rng.permutation(30)
    graph, moved = similarity_graph(X), similarity_graph(X[order])
    known = graph.subgraph(order)[0]
    assert np.array_equal(moved.indices, known.indices) and np.allclose(moved.weights, known.weights, rtol=1e-12)
    for method in ("average", "paris", "entropy", "single"):
        one, other = (structural_entropy(graph_linkage(each, method), each) for each in (graph, moved))
        assert one == approx(other, rel=1e-12)
