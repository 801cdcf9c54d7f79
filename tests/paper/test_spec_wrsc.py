"""SpecWRSC, with all cuts, dense eigenvectors and scikit-learn's spectral embedding as the oracles."""

from __future__ import annotations

from itertools import combinations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.sparse import csr_array
from sklearn.manifold import spectral_embedding

import hypcse
from graph_strategies import graphs
from hypcse import Graph, methods
from hypcse.paper.methods import spectral
from hypcse.paper.methods.spectral import MAX_ENUMERATED, cuts_between, recursive_cuts, sparsest_cut
from planted import has_cluster, nested_blocks, put_back


def run(graph, **options):
    return methods.run("spec-wrsc", graph=graph, **options)


def random_weights(k, seed):
    rng = np.random.default_rng(seed)
    weights = np.triu(rng.exponential(size=(k, k)) * (rng.random((k, k)) < 0.7), 1)
    return weights + weights.T, rng.integers(1, 20, k).astype(float)


def sparsity(weights, sizes, side):
    return weights[np.ix_(side, ~side)].sum() / (sizes[side].sum() * sizes[~side].sum())


@given(k=st.integers(2, 8), seed=st.integers(0, 1000))
def test_sparsest_cut_is_the_least_of_all(k, seed):
    weights, sizes = random_weights(k, seed)
    result = sparsest_cut(weights, sizes)
    every = (np.isin(np.arange(k), chosen) for size in range(1, k) for chosen in combinations(range(k), size))
    assert result[0] and not result.all()
    least = min(sparsity(weights, sizes, side) for side in every)
    assert sparsity(weights, sizes, result) == pytest.approx(least, abs=1e-12)


def test_sweep_finds_a_planted_cut_of_many_clusters():
    k = 2 * MAX_ENUMERATED
    side = np.arange(k) % 2 == 0
    weights = np.where(side[:, None] == side, 1.0, 0.01)
    np.fill_diagonal(weights, 0)
    assert (sparsest_cut(weights, np.ones(k)) == side).all()


def test_released_cuts_peel_clusters_off():
    weights, sizes = random_weights(5, 0)
    assert recursive_cuts(weights, sizes, peel=True) == [(3, 4), (2, 3), (1, 2), (0, 1)]


@given(st.data(), st.integers(1, 12))
def test_cuts_between_clusters(data, n):
    graph = data.draw(graphs(n))
    labels = np.unique(data.draw(st.lists(st.integers(0, 3), min_size=n, max_size=n)), return_inverse=True)[1]
    W = graph.without_loops().to_scipy().toarray()
    between = cuts_between(graph, labels)
    for a, b in combinations(range(labels.max() + 1), 2):
        assert between[a, b] == between[b, a] == pytest.approx(W[np.ix_(labels == a, labels == b)].sum())


@pytest.mark.parametrize("k", [1, 2, 5])
def test_lanczos_finds_the_dense_eigenvectors(k, monkeypatch):
    """Also where the largest eigenvalue is double, as on a graph in two components."""
    graph, _, _ = nested_blocks(0, size=30)
    matrix = spectral.normalized_adjacency(graph)
    dense, vectors = spectral.leading_eigenpairs(matrix, k, 0)
    twice = csr_array(np.kron(np.eye(2), matrix.toarray()))
    monkeypatch.setattr(spectral, "MAX_DENSE", 1)
    values, result = spectral.leading_eigenpairs(matrix, k, 0)
    assert values == pytest.approx(dense) and result == pytest.approx(vectors, abs=1e-6)
    assert spectral.leading_eigenpairs(twice, 2 * k, 0)[0] == pytest.approx(np.repeat(dense, 2))


def test_embedding_is_scikit_learns():
    graph, _, _ = nested_blocks(1, size=20)
    _, vectors = spectral.leading_eigenpairs(spectral.normalized_adjacency(graph), 4, 0)
    theirs = spectral_embedding(
        graph.to_scipy().toarray(),
        n_components=4,
        drop_first=False,
        norm_laplacian=True,
        eigen_solver="arpack",
        random_state=0,
    )
    ours = vectors / np.sqrt(graph.degrees)[:, None]
    assert np.abs((ours * theirs).sum(axis=0)) == pytest.approx(
        np.linalg.norm(ours, axis=0) * np.linalg.norm(theirs, axis=0)
    )


def test_inside_a_cluster_the_order_of_a_path_is_halved():
    path = np.random.default_rng(0).permutation(16)
    tree = run(Graph.from_edges(path[:-1], path[1:]), n_clusters=1)
    for width in (2, 4, 8):
        for begin in range(0, 16, width):
            assert has_cluster(tree, np.isin(np.arange(16), path[begin : begin + width]))


@given(st.integers(0, 30))
def test_planted_hierarchy_is_recovered_in_any_order(seed):
    """A graph given in another order has the same tree. By itself it finds a number of clusters that fits, 2 or 4."""
    graph, block, pair = nested_blocks(seed, size=30, inside=0.9)
    rng = np.random.default_rng(seed)
    i, j, _ = graph.edges()
    graph = Graph.from_edges(i, j, rng.uniform(0.5, 1.5, i.size), graph.n_vertices)
    tree = run(graph, n_clusters=4)
    assert hypcse.dendrogram_purity(run(graph), pair) == 1
    assert all(has_cluster(tree, level == k) for level in (block, pair) for k in set(level.tolist()))
    order = rng.permutation(graph.n_vertices)
    shuffled = run(graph.subgraph(order)[0], n_clusters=4, random_state=seed)
    assert hypcse.robinson_foulds(tree, put_back(shuffled, order)) == 0


@given(st.data(), st.integers(1, 12), st.booleans())
def test_any_graph_gives_a_binary_tree(data, n, released):
    graph = data.draw(graphs(n))
    k = data.draw(st.none() | st.integers(1, n))
    tree = run(graph, n_clusters=k, released=released)
    assert tree.n_leaves == n and tree.is_binary


def test_progress_limits_and_errors():
    graph, _, _ = nested_blocks(0)
    facts = []
    assert run(graph, n_clusters=4, callback=facts.append) == run(graph, n_clusters=4)
    assert [step.share for step in facts] == [0.0, 0.25, 0.5, 0.75, 1.0]
    with pytest.raises(TimeoutError, match="spec-wrsc .* max_seconds"):
        run(graph, max_seconds=1e-9)
    with pytest.raises(ValueError, match="n_clusters=500 must be between 1 and 160"):
        run(graph, n_clusters=500)
