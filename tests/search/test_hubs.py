"""Linkage on graphs with hubs: heaps make the merges of lists, and cost no d^2 at a vertex of degree d."""

from __future__ import annotations

from math import inf, log2
from types import SimpleNamespace
from unittest.mock import patch

import numba
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray
from scipy import sparse

from graph_strategies import hubby_graphs
from hypcse import Graph, graph_linkage
from hypcse._threads import worker_threads
from hypcse.kernels.linkage import chains
from hypcse.kernels.linkage.adjacency import single_clusters
from hypcse.kernels.linkage.chains import Chain, chain_merges, follow_chain
from hypcse.kernels.linkage.merges import first_ranks, order_merges, shorten
from hypcse.kernels.linkage.stretching import entropy_merges

IN_LISTS = 10**9
METHODS = ("average", "paris", "entropy")


def by_chains(graph: Graph, method: str, patience: int) -> list[list[int]]:
    """Merges of average or Paris linkage."""
    mass = np.ones(graph.n_vertices) if method == "average" else graph.degrees
    merges = chain_merges(graph.indptr, graph.indices, graph.weights, mass, patience)
    return [side.tolist() for side in merges]


def by_entropy(graph: Graph, patience: int) -> list[frozenset[int]]:
    """Clusters of the linkage of HCSE, as they are made."""
    merges = entropy_merges(graph.indptr, graph.indices, graph.weights, graph.degrees, patience)
    members = {v: frozenset([v]) for v in range(graph.n_vertices)}
    made = []
    for keeper, gone in zip(*(side.tolist() for side in merges), strict=True):
        members[keeper] |= members.pop(gone)
        made.append(members[keeper])
    return made


def oldest_of_the_best(graph: Graph) -> list[frozenset[int]]:
    """The plain algorithm: all pairs, every time; of equal gains the oldest cluster, then the other oldest."""
    W, volume = graph.without_loops().to_scipy().toarray(), dict(enumerate(graph.degrees.tolist()))
    parts = {k: frozenset([k]) for k in range(graph.n_vertices)}
    whole, made = graph.degrees.sum(), []
    while True:
        best, pair = inf, (-1, -1)
        for a in parts:
            for b in parts:
                cut = W[np.ix_(list(parts[a]), list(parts[b]))].sum() if a < b else 0.0
                if cut > 0:
                    best, pair = min((best, pair), (2 * cut * log2((volume[a] + volume[b]) / whole), (a, b)))
        if best == inf:
            return made
        new = graph.n_vertices + len(made)
        parts[new] = parts.pop(pair[0]) | parts.pop(pair[1])
        volume[new] = volume[pair[0]] + volume[pair[1]]
        made.append(parts[new])


@pytest.mark.parametrize("method", ["average", "paris"])
@given(graph=hubby_graphs(24), patience=st.integers(0, 3))
def test_chains_make_the_same_merges(method, graph, patience):
    """Wherever heaps take over from lists, with all the ties of weights of few values."""
    assert by_chains(graph, method, patience) == by_chains(graph, method, IN_LISTS)


def merges_of(graph: Graph, method: str, min_rounds: int, frozen: NDArray[np.bool_] | None = None) -> list[list[int]]:
    """Merges in one order, from this many vertices on by rounds first."""
    mass = shorten(np.ones(graph.n_vertices) if method == "average" else graph.degrees)
    with patch.object(chains, "MIN_ROUNDS", min_rounds):
        merges = chain_merges(graph.indptr, graph.indices, shorten(graph.weights), mass, frozen=frozen)
    return [side.tolist() for side in order_merges(*merges, graph.n_vertices)]


@pytest.mark.parametrize("method", ["average", "paris"])
@given(graph=hubby_graphs(24))
def test_rounds_make_the_same_merges(method, graph):
    """With all the ties of weights of few values, and where a hub leaves no room for its list."""
    assert merges_of(graph, method, 1) == merges_of(graph, method, 1000)


@given(graph=hubby_graphs(24), n_frozen=st.integers(0, 8))
def test_rounds_wait_for_frozen_vertices(graph, n_frozen):
    """Only what is certain merges; what has no edges of its own stands last."""
    n = graph.n_vertices
    frozen = np.arange(n) >= n - min(n_frozen, n - 1)
    i, j, w = graph.edges()
    inside = ~frozen[i]
    rows = sparse.coo_array((w[inside], (i[inside], j[inside])), shape=(n, n)).tocsr()
    both = sparse.csr_array(rows + sparse.coo_array(rows.T * ~frozen[:, None]).tocsr())
    both.eliminate_zeros()
    part = SimpleNamespace(n_vertices=n, indptr=both.indptr.astype(np.int64), indices=both.indices, weights=both.data)
    assert merges_of(part, "average", 1, frozen) == merges_of(part, "average", 1000, frozen)


@pytest.mark.parametrize("method", ["average", "paris"])
def test_rounds_at_any_number_of_threads(method):
    """A graph whose lists fill the pool more than once; without edges between clusters at the end."""
    rng = np.random.default_rng(0)
    n = 6000
    i, j = rng.integers(n, size=(2, 12 * n))
    near = (i // 2000 == j // 2000) & (i != j)
    graph = Graph.from_edges(i[near], j[near], rng.random(near.sum()) + 0.1, n)
    expected = merges_of(graph, method, 10**9)
    for threads in {1, numba.get_num_threads()}:
        with worker_threads(threads, n):
            assert merges_of(graph, method, 1) == expected


@given(graph=hubby_graphs(24))
def test_lists_stay_inside_their_pool(graph):
    """However large the share of a hub: what is folded fits behind what is there."""
    ones, ranks = np.ones(graph.n_vertices), first_ranks(graph.n_vertices)
    clusters = single_clusters(graph.indptr, graph.indices, graph.weights, ones, ranks)
    state = np.zeros(graph.n_vertices, np.int8)
    assert follow_chain(
        Chain(clusters, np.empty(graph.n_vertices, np.int64), state, np.zeros(3, np.int64)), None, 2**62
    )
    assert clusters.pool.top[0] <= clusters.pool.vertex.size == 2 * graph.indices.size


@given(graph=hubby_graphs(14))
def test_entropy_joins_the_oldest_of_the_best(graph):
    assert by_entropy(graph, 0) == oldest_of_the_best(graph)


@given(graph=hubby_graphs(24), seed=st.integers(0, 999), patience=st.integers(0, 3))
def test_without_ties_all_agree(graph, seed, patience):
    i, j, w = graph.edges()
    graph = Graph.from_edges(i, j, w * np.random.default_rng(seed).uniform(0.9, 1.1, w.size), graph.n_vertices)
    assert by_entropy(graph, patience) == by_entropy(graph, IN_LISTS)
    assert by_chains(graph, "average", patience) == by_chains(graph, "average", IN_LISTS)


def caterpillar(order: NDArray[np.int64]) -> NDArray[np.int64]:
    """Parents of the tree that takes leaves up one by one."""
    n = order.size
    parent = np.append(np.zeros(n, np.int64), np.arange(n + 1, 2 * n))
    parent[-1] = -1
    parent[order] = np.maximum(np.arange(n) - 1, 0) + n
    return parent


@pytest.mark.parametrize("method", METHODS)
def test_a_large_star(method):
    """d^2 would be 10 billion; equal weights are all ties, which ranks break, or with "entropy" ids."""
    n = 100_000
    leaves = np.arange(1, n)
    star = Graph.from_edges(np.zeros_like(leaves), leaves, None, n)
    order = leaves if method == "entropy" else leaves[np.argsort(first_ranks(n)[1:])]
    assert np.array_equal(graph_linkage(star, method).parent, caterpillar(np.append(0, order)))


def test_a_star_takes_up_its_heaviest_leaf():
    n = 3_000
    leaves, weights = np.arange(1, n), np.random.default_rng(0).permutation(np.arange(1.0, n))
    star = Graph.from_edges(np.zeros_like(leaves), leaves, weights, n)
    order = np.append(0, leaves[np.argsort(-weights)])
    assert np.array_equal(graph_linkage(star, "average").parent, caterpillar(order))


def double_star(n: int, weights: NDArray[np.float64]) -> Graph:
    """Two hubs with the same leaves: what one of them takes up, the other hears of."""
    return Graph.from_edges(np.repeat([0, 1], n - 2), np.tile(np.arange(2, n), 2), weights, n)


def test_a_double_star():
    """Heaps, lists, and heaps from the middle on."""
    n, rng = 1_000, np.random.default_rng(0)
    whole = double_star(n, rng.integers(1, 9, size=2 * (n - 2)).astype(np.float64))
    for method in ("average", "paris"):
        assert by_chains(whole, method, 0) == by_chains(whole, method, 64) == by_chains(whole, method, IN_LISTS)
    drawn = double_star(n, rng.uniform(1, 2, size=2 * (n - 2)))
    assert by_entropy(drawn, 0) == by_entropy(drawn, 64) == by_entropy(drawn, IN_LISTS)


@pytest.mark.parametrize("method", METHODS)
def test_a_large_double_star(method):
    n = 50_000
    tree = graph_linkage(double_star(n, np.ones(2 * (n - 2))), method)
    assert tree.is_binary and tree.n_leaves == n


@pytest.mark.parametrize("method", METHODS)
def test_the_same_answer_twice(method):
    """On a graph of hubs and what hangs on them, beyond what lists may cost."""
    rng = np.random.default_rng(1)
    n = 20_000
    ends = (rng.random(3 * n) ** 6 * n).astype(np.int64), rng.integers(n, size=3 * n)
    kept = ends[0] != ends[1]
    graph = Graph.from_edges(ends[0][kept], ends[1][kept], None, n)
    assert np.array_equal(graph_linkage(graph, method).parent, graph_linkage(graph, method).parent)
