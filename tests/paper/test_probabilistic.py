"""FPH and EPH: their objective against trees, all small random hierarchies, and the laws."""

from __future__ import annotations

from itertools import pairwise, product
from math import prod

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from pytest import approx

import brute
import hypcse
from graph_strategies import graphs_with_trees
from hypcse import Graph, methods
from hypcse._progress import Progress
from hypcse.kernels.losses.triples import project_rows
from hypcse.paper.methods.soft_trees import (
    Search,
    certain_parents,
    contract,
    draw_parents,
    likeliest_tree,
    soft_dasgupta,
    soft_tree,
    start_logits,
    start_tree,
)
from hypcse.search.compression import keep_nodes
from strategies import trees


def random_hierarchy(n, m, seed):
    """Probabilities of parents, strictly upper triangular for internal nodes."""
    rng = torch.Generator().manual_seed(seed)
    A = torch.softmax(2 * torch.randn(n, m, generator=rng, dtype=torch.float64), dim=1)
    scores = torch.randn(m, m, generator=rng, dtype=torch.float64).exp().triu(1)
    return A, scores / scores.sum(1, keepdim=True).clamp_min(1e-12)


def random_weights(n, seed):
    rng = np.random.default_rng(seed)
    W = np.triu(rng.random((n, n)) * (rng.random((n, n)) < 0.7), 1) + np.diag(np.full(n - 1, 0.1), 1)
    return torch.from_numpy((W + W.T) / (W + W.T).sum()).to_sparse()


@given(graphs_with_trees(min_leaves=3, loops=False))
def test_on_one_tree_it_is_that_trees(case):
    """Certain parents give Dasgupta's cost over the total weight."""
    graph, tree = case
    if graph.n_edges == 0:
        return
    A, B = (part.double() for part in certain_parents(tree))
    weights = torch.from_numpy(graph.to_scipy().toarray() / graph.weights.sum()).to_sparse()
    cost = brute.dasgupta(tree, graph) / graph.weights.sum()
    assert float(soft_dasgupta(A, B, weights)) == approx(cost)
    search = Search(graph, tree)
    assert search.best == approx(cost)
    assert float(soft_dasgupta(*certain_parents(tree), search.weights)) == approx(cost, rel=1e-5)


@given(st.integers(2, 4), st.integers(1, 4), st.integers(0, 999))
def test_meeting_points_of_two_walks(n, m, seed):
    """The solve gives the law of the first common node of two walks up, summed over all pairs of walks."""
    A, B = random_hierarchy(n, m, seed)
    above, twice = soft_tree(A, B)
    together = (above[0] * above[1]).unsqueeze(0)
    result = torch.linalg.solve_triangular(twice, together, upper=True, unitriangular=True, left=False)[0]

    def walks(leaf):
        for middle in product([False, True], repeat=m - 1):
            path = [k for k, taken in enumerate(middle) if taken] + [m - 1]
            yield set(path), float(A[leaf, path[0]]) * prod(float(B[a, b]) for a, b in pairwise(path))

    expected = np.zeros(m)
    for (first, p), (second, q) in product(walks(0), walks(1)):
        expected[min(first & second)] += p * q
    assert result.numpy() == approx(expected)
    assert expected.sum() == approx(1)


@given(st.integers(3, 6), st.integers(1, 4), st.integers(0, 999))
def test_gradients(n, m, seed):
    A, B = (part.requires_grad_() for part in random_hierarchy(n, m, seed))
    weights = random_weights(n, seed)
    assert torch.autograd.gradcheck(lambda a, b: soft_dasgupta(a, b.triu(1), weights), [A, B])


@given(st.integers(1, 30), st.integers(1, 12), st.integers(0, 999), st.sampled_from([0.01, 1.0, 100.0]))
def test_projection_is_the_nearest_point_of_the_simplex(n, m, seed, scale):
    """By sorting; a point of the simplex stays; zeros before the first column."""
    rng = np.random.default_rng(seed)
    X = scale * rng.normal(size=(n, m))
    first = rng.integers(0, m + 1, size=n)
    result = X.copy()
    project_rows(result, first)
    for row, before, low in zip(result, X, first, strict=True):
        expected = np.zeros(m)
        if low < m:
            ordered = np.sort(before[low:])[::-1]
            shifts = (np.cumsum(ordered) - 1) / np.arange(1, m - low + 1)
            expected[low:] = np.maximum(before[low:] - shifts[ordered > shifts][-1], 0)
        assert row == approx(expected, abs=1e-9 * scale + 1e-12)
    again = result.copy()
    project_rows(again, first)
    assert again == approx(result, abs=1e-9)


@given(graphs_with_trees(min_leaves=3, loops=False), st.integers(1, 6))
def test_contraction(case, n_internal):
    """As many internal nodes as asked for; the last step is the cheapest there is."""
    graph, tree = case
    small = contract(tree, graph, n_internal)
    n_before = tree.n_nodes - tree.n_leaves
    assert small.n_nodes - small.n_leaves == min(n_before, n_internal)
    if n_internal == n_before - 1:
        nodes = range(tree.n_leaves, tree.root)
        others = [np.arange(tree.n_nodes) != node for node in nodes]
        costs = [hypcse.dasgupta_cost(keep_nodes(tree, rest), graph) for rest in others]
        assert hypcse.dasgupta_cost(small, graph) == approx(min(costs))


@given(trees(min_leaves=2))
def test_likeliest_tree_of_certain_parents(tree):
    """A tree comes back from its probabilities, and nodes without leaves or with one child vanish."""
    n = tree.n_leaves
    graph = Graph.from_edges(np.zeros(n - 1, int), np.arange(1, n))
    A, B = certain_parents(tree)
    result = likeliest_tree(torch.cat([A.argmax(1), B.argmax(1)]).numpy(), graph)
    assert hypcse.robinson_foulds(result, tree) == 0
    m = len(B)
    # One empty node first, and one node above the root.
    padded = np.concatenate([[m], B.argmax(1).numpy()[:-1] + 1, [m + 1], [0]])
    assert hypcse.robinson_foulds(likeliest_tree(np.concatenate([A.argmax(1).numpy() + 1, padded]), graph), tree) == 0


def test_drawn_parents_follow_the_probabilities():
    probabilities = torch.tensor([[0.0, 0.7, 0.3], [0.0, 0.0, 1.0], [0.0, 0.0, 0.0]])
    logits = torch.log(probabilities).requires_grad_()
    draws = torch.Generator().manual_seed(0)
    drawn = torch.stack([draw_parents(logits, draws) for _ in range(3000)])
    assert set(drawn.detach().unique().tolist()) == {0.0, 1.0}
    assert drawn.mean(0).detach().numpy() == approx(probabilities.numpy(), abs=0.03)
    (drawn[:, 0, 1].sum()).backward()
    assert torch.isfinite(logits.grad).all() and logits.grad[0, 1] > 0 > logits.grad[0, 2]
    start = torch.softmax(start_logits(torch.eye(4)[:2], 0.9), dim=1)
    assert start[0].numpy() == approx([0.9, 0.1 / 3, 0.1 / 3, 0.1 / 3])


def blobs(n=40, seed=0):
    rng = np.random.default_rng(seed)
    y = np.arange(n) % 4
    return np.array([[0, 0], [0, 9], [9, 0], [9, 9.0]])[y] + rng.normal(size=(n, 2)), y


QUICK = {"fph": {"n_epochs": 60, "n_internal": 12}, "eph": {"n_epochs": 40, "n_internal": 12, "n_samples": 2}}


@pytest.mark.parametrize("name", QUICK)
@pytest.mark.parametrize("start", ["weighted", "unit"])
def test_never_worse_than_the_start(name, start):
    X, y = blobs()
    graph = hypcse.similarity_graph(X)
    steps: list[Progress] = []
    options = {**QUICK[name], "start": start}
    tree = methods.run(name, X, graph=graph, callback=steps.append, binary=False, **options)
    assert [s.done for s in steps] == list(range(1, QUICK[name]["n_epochs"] + 1))
    assert all(after.value <= before.value for before, after in pairwise(steps))
    assert Search(graph, tree).best == approx(steps[-1].value)
    assert tree.n_nodes - tree.n_leaves <= 12
    finished = methods.run(name, X, graph=graph, **options)
    assert finished.is_binary
    assert hypcse.dasgupta_cost(finished, graph) <= hypcse.dasgupta_cost(tree, graph) * (1 + 1e-12)
    if start == "weighted":
        assert hypcse.dendrogram_purity(finished, y) == approx(1)


def test_descent_finds_what_linkage_missed():
    """From unit weights the start is poor, and both methods lower its cost on most graphs, never raising it."""
    for name in QUICK:
        gains = []
        for seed in range(4):
            X = np.random.default_rng(seed).normal(size=(40, 2))
            steps: list[Progress] = []
            options = {"start": "unit", "n_internal": 8, "n_epochs": 200}
            methods.run(name, X, graph=hypcse.similarity_graph(X), callback=steps.append, **options)
            assert steps[-1].loss < steps[0].loss
            gains.append(steps[0].value - steps[-1].value)
        assert min(gains) >= 0 and sum(g > 0 for g in gains) >= 2


@pytest.mark.parametrize(
    ("name", "options", "n_best"),
    [("fph", {"n_epochs": 300}, 5), ("eph", {"n_epochs": 60, "n_samples": 8, "certainty": 0.5}, 9)],
)
def test_on_few_points_they_find_the_best_of_all_trees(name, options, n_best):
    """Of those with two internal nodes, from a start that is none of the best; the soft descent of FPH misses some."""
    n, result = 6, []
    every = [brute.nested_to_tree(nested, n) for nested in brute.all_trees(tuple(range(n)))]
    small = [tree for tree in every if tree.n_nodes <= n + 2]
    for seed in range(14):
        W = np.triu(np.random.default_rng(seed).random((n, n)) ** 3, 1)
        graph = Graph.from_scipy(W + W.T)
        settings = {"start": "unit", "n_internal": 2, "binary": False, "random_state": seed}
        least = min(brute.dasgupta(tree, graph) for tree in small)
        if hypcse.dasgupta_cost(start_tree(graph, 2, unit_weights=True), graph) <= 1.02 * least:
            continue
        result.append(hypcse.dasgupta_cost(methods.run(name, graph=graph, **settings, **options), graph) / least)
        assert 1 - 1e-9 <= result[-1] <= 1.06
    assert len(result) >= 10
    assert np.sum(np.array(result) < 1 + 1e-9) >= n_best


@pytest.mark.parametrize("name", QUICK)
def test_threads_do_not_matter(name):
    X, _ = blobs()
    tree = methods.run(name, X, **QUICK[name])
    before = torch.get_num_threads()
    torch.set_num_threads(2)
    try:
        assert methods.run(name, X, **QUICK[name]) == tree
    finally:
        torch.set_num_threads(before)


@pytest.mark.parametrize("name", QUICK)
def test_stops_few_points_and_graphs(name):
    steps: list[Progress] = []
    X, _ = blobs()
    methods.run(name, X, callback=lambda s: steps.append(s) or s.done == 2, **QUICK[name])
    assert len(steps) == 2
    steps.clear()
    methods.run(name, X, callback=steps.append, max_seconds=1e-9, **QUICK[name])
    assert len(steps) == 1
    for n in (1, 2, 3, 4):
        assert methods.run(name, X[:n], **QUICK[name]).n_leaves == n
    assert methods.run(name, graph=Graph.from_edges([], [], n=4)).n_leaves == 4
    parts = Graph.from_edges([0, 0, 1, 3, 3, 4], [1, 2, 2, 4, 5, 5], n=7)
    tree = methods.run(name, graph=parts, **QUICK[name])
    assert tree.is_binary and hypcse.dendrogram_purity(tree, [0, 0, 0, 1, 1, 1, 2]) == 1
    assert methods.run(name, X, **{**QUICK[name], "n_internal": 1}, binary=False).n_nodes == 41


@pytest.mark.parametrize("name", QUICK)
def test_errors(name, monkeypatch):
    X, _ = blobs()
    for option, value in (("start", "ward"), ("n_internal", 0), ("learning_rate", 0)):
        with pytest.raises(ValueError, match=f"{option}="):
            methods.run(name, X, **{option: value})
    if name == "eph":
        with pytest.raises(ValueError, match="certainty=1.5"):
            methods.run(name, X, certainty=1.5)
    graph = hypcse.similarity_graph(X)
    monkeypatch.setattr("hypcse._memory.SMALL", 0)
    monkeypatch.setattr("hypcse._memory.available_bytes", lambda: 1000)
    with pytest.raises(MemoryError, match="Lower n_internal"):
        methods.run(name, graph=graph)
