"""Best cuts, compression, levels and the report, with brute force over all cuts of small trees."""

from __future__ import annotations

import copy
import functools
import operator
import pickle
from dataclasses import FrozenInstanceError
from importlib import import_module
from itertools import pairwise, product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pytest import approx

import brute
from brute import modularity
from graph_strategies import graphs_with_trees
from hypcse import (
    Graph,
    Tree,
    best_cut,
    compress,
    entropy_report,
    graph_linkage,
    levels,
    one_dimensional_entropy,
    refine,
    score,
    similarity_graph,
    structural_entropy,
)
from hypcse.entropy import lca_weights
from hypcse.kernels.trees.sweep import kept_parents
from hypcse.partitions.cuts import coarsest_cut
from hypcse.search.compression import coarser_cuts, kept_levels, one_by_one


def two_level_entropy(graph: Graph, labels: np.ndarray) -> float:
    """Entropy of the tree root - clusters - vertices; clusters of one vertex hang as leaves."""
    n, groups = labels.size, list(map(tuple, (np.flatnonzero(labels == c) for c in np.unique(labels))))
    nested = tuple(int(g[0]) if len(g) == 1 else tuple(map(int, g)) for g in groups)
    return structural_entropy(brute.nested_to_tree(nested if len(nested) > 1 else nested[0], n), graph)


def all_cuts(tree: Tree) -> list[np.ndarray]:
    """Every flat cut of a tree as labels."""
    cuts: dict[int, list[list[int]]] = {leaf: [[leaf]] for leaf in range(tree.n_leaves)}
    for node in range(tree.n_leaves, tree.n_nodes):
        parts = [cuts[child] for child in np.flatnonzero(tree.parent == node)]
        cuts[node] = [[node], *(functools.reduce(operator.iadd, combination, []) for combination in product(*parts))]
    found = []
    for nodes in cuts[tree.root]:
        labels = np.empty(tree.n_leaves, int)
        for k, node in enumerate(nodes):
            labels[tree.leaves(node)] = k
        found.append(labels)
    return found


@settings(max_examples=30)
@given(graphs_with_trees(min_leaves=2, max_leaves=8), st.data())
def test_best_cut_is_the_best_of_all_cuts(case, data):
    graph, tree = case
    cuts = all_cuts(tree)
    entropies = np.array([two_level_entropy(graph, labels) for labels in cuts])
    assert two_level_entropy(graph, best_cut(tree, graph)) == approx(entropies.min(), abs=1e-9)
    low, high = sorted(data.draw(st.tuples(st.integers(1, tree.n_leaves), st.integers(1, tree.n_leaves))))
    sizes = [np.bincount(labels) for labels in cuts]
    allowed = np.array([(s.min() >= low) and (s.max() <= high) for s in sizes])
    if allowed.any():
        labels = best_cut(tree, graph, min_size=low, max_size=high)
        assert two_level_entropy(graph, labels) == approx(entropies[allowed].min(), abs=1e-9)
    else:
        with pytest.raises(ValueError, match="Widen min_size and max_size"):
            best_cut(tree, graph, min_size=low, max_size=high)


@settings(max_examples=30)
@given(graphs_with_trees(min_leaves=2, max_leaves=12))
def test_levels_are_a_frozen_sequence(case):
    """Labels by place, as columns, and after a copy; and nothing of it can be changed."""
    graph, tree = case
    found = levels(tree, graph)
    frame = found.to_frame(range(10, 10 + tree.n_leaves))
    assert list(frame.columns) == [f"level_{k}" for k in range(1, len(found) + 1)] and frame.index[0] == 10
    for other in (found, copy.deepcopy(found), pickle.loads(pickle.dumps(found))):
        assert (other.main, other.stability, other.structure) == (found.main, None, None)
        assert all(map(np.array_equal, other, frame.to_numpy().T)) and other.n_clusters == [max(x) + 1 for x in found]
        for name in ("labels", "main", "stability", "structure"):
            with pytest.raises(FrozenInstanceError):
                setattr(other, name, None)
        with pytest.raises(ValueError, match="read-only"):
            other[-1][0] = 5


@given(graphs_with_trees(min_leaves=2, max_leaves=8, binary=True), st.data())
def test_best_cut_into_a_given_number(case, data):
    graph, tree = case
    k = data.draw(st.integers(1, tree.n_leaves))
    labels = best_cut(tree, graph, n_clusters=k)
    assert labels.max() == k - 1
    entropies = [two_level_entropy(graph, other) for other in all_cuts(tree) if other.max() == k - 1]
    assert two_level_entropy(graph, labels) == approx(min(entropies), abs=1e-9)


@given(graphs_with_trees(min_leaves=1, max_leaves=12))
def test_compression_laws(case):
    """Fewer levels never lower entropy; one level is the star, two are the best cut, all levels lose nothing."""
    graph, tree = case
    compressed = [compress(tree, graph, k) for k in range(1, tree.n_leaves + 2)]
    values = [structural_entropy(small, graph) for small in compressed]
    assert all(a >= b - 1e-9 for a, b in pairwise(values))
    assert values[-1] == approx(structural_entropy(tree, graph), abs=1e-9)
    assert compressed[0].n_nodes == tree.n_leaves + (tree.n_leaves > 1)
    if tree.n_leaves > 1:
        assert values[1] == approx(two_level_entropy(graph, best_cut(tree, graph)), abs=1e-9)
    sets = {frozenset(s) for s in brute.members(tree)}
    for k, small in enumerate(compressed, 1):
        assert depth(small) <= k
        assert {frozenset(s) for s in brute.members(small)} <= sets


def depth(tree: Tree) -> int:
    steps = np.zeros(tree.n_nodes, int)
    for node in range(tree.n_nodes - 2, -1, -1):
        steps[node] = steps[tree.parent[node]] + 1
    return int(steps.max())


@settings(max_examples=20)
@given(graphs_with_trees(min_leaves=3, max_leaves=6, binary=True))
def test_three_levels_are_the_best_of_all(case):
    """Brute force over every set of internal nodes that leaves at most three levels."""
    graph, tree = case
    inner = range(tree.n_leaves, tree.root)
    best = np.inf
    for marks in product([False, True], repeat=len(inner)):
        kept = [node for node, mark in zip(inner, marks, strict=True) if mark]
        small = contracted(tree, kept)
        if depth(small) <= 3:
            best = min(best, structural_entropy(small, graph))
    assert structural_entropy(compress(tree, graph, 3), graph) == approx(best, abs=1e-9)


def contracted(tree: Tree, kept: list[int]) -> Tree:
    """The tree with every internal node contracted but the root and those kept."""
    ids = [*range(tree.n_leaves), *kept, tree.root]
    parent = []
    for node in ids[:-1]:
        above = int(tree.parent[node])
        while above not in ids:
            above = int(tree.parent[above])
        parent.append(ids.index(above))
    return Tree([*parent, -1], tree.height[ids])


def nested_points(seed=0):
    rng = np.random.default_rng(seed)
    centers = rng.normal(size=(4, 5)) * 20
    y = np.repeat(np.arange(12), 12)
    return (centers[y // 3] + rng.normal(size=(12, 5))[y] * 5 + rng.normal(size=(144, 5)) * 0.4), y


def test_levels_are_nested_and_find_planted_groups():
    X, y = nested_points()
    graph = similarity_graph(X)
    found = levels(refine(graph_linkage(graph), graph), graph)
    for coarse, fine in pairwise(found):
        assert len(set(zip(fine.tolist(), coarse.tolist(), strict=True))) == fine.max() + 1
    assert all(labels.min() == 0 for labels in found)
    assert any(len(set(zip(labels.tolist(), y.tolist(), strict=True))) == 12 == labels.max() + 1 for labels in found)


@given(graphs_with_trees(min_leaves=3, max_leaves=12), st.integers(1, 4))
def test_levels_are_counted_as_compress_counts_them(case, n_levels):
    """The levels are the nodes of the compressed tree, level by level, down to the leaves."""
    graph, tree = case
    small, found = compress(tree, graph, n_levels), levels(tree, graph, n_levels=n_levels)
    assert len(found) == n_levels or small.n_nodes == tree.n_leaves + 1
    assert found[-1].tolist() == list(range(tree.n_leaves))
    clusters = {frozenset(np.flatnonzero(labels == c).tolist()) for labels in found for c in range(labels.max() + 1)}
    assert clusters == {frozenset(s) for s in brute.members(small)[: small.n_nodes - 1]}


def assert_nested_cuts(tree: Tree, found: list[np.ndarray]) -> None:
    """Every level refines the one before, and every cluster is a node of the tree."""
    for coarse, fine in pairwise(found):
        assert len(set(zip(fine.tolist(), coarse.tolist(), strict=True))) == fine.max() + 1
    sets = {frozenset(s) for s in brute.members(tree)}
    for labels in found:
        firsts = [int(np.flatnonzero(labels == c)[0]) for c in range(labels.max() + 1)]
        assert firsts == sorted(firsts)
        for c in range(labels.max() + 1):
            assert frozenset(np.flatnonzero(labels == c).tolist()) in sets


@given(graphs_with_trees(min_leaves=1, max_leaves=12), st.sampled_from([None, 1, 2, 3]))
def test_levels_are_nested_cuts(case, n_levels):
    graph, tree = case
    assert_nested_cuts(tree, levels(tree, graph, n_levels=n_levels))


@given(graphs_with_trees(min_leaves=3, max_leaves=12), st.integers(2, 5))
def test_levels_one_by_one_are_nested_cuts_too(case, n_levels):
    """What very deep or large trees get: valid levels, and no better than the exact ones."""
    check_one_by_one(*case, n_levels)


def test_levels_one_by_one_of_many_leaves():
    X = np.random.default_rng(0).normal(size=(600, 3))
    graph = similarity_graph(X)
    tree = refine(graph_linkage(graph), graph)
    for n_levels in range(2, 9):
        check_one_by_one(graph, tree, n_levels)


def check_one_by_one(graph, tree, n_levels):
    level, exact = one_by_one(tree, graph, n_levels), kept_levels(tree, graph, n_levels)
    small = contracted(tree, np.flatnonzero(level).tolist())
    assert depth(small) <= n_levels
    best = structural_entropy(contracted(tree, np.flatnonzero(exact).tolist()), graph)
    assert structural_entropy(small, graph) >= best - 1e-9
    if n_levels == 2:
        assert structural_entropy(small, graph) == approx(best, abs=1e-9)
    star = structural_entropy(contracted(tree, []), graph)
    saved = sum(gain for _, gain in coarser_cuts(tree, graph, n_levels - 1))
    assert star - structural_entropy(small, graph) == approx(saved, abs=1e-9)
    kept = level > 0
    kept[-1] = True
    above = kept_parents(tree.parent, kept)
    for node in np.flatnonzero(level):
        assert level[node] == level[above[node]] + 1


def test_levels_of_a_long_chain(monkeypatch):
    """A caterpillar too deep for the exact way, whose levels are nested all the same."""
    monkeypatch.setattr(import_module("hypcse.search.compression"), "MAX_WORK", 1000)
    n = 300
    graph = Graph.from_edges(np.arange(n - 1), np.arange(1, n))
    parent = np.concatenate([[n], np.arange(n, 2 * n - 1), np.arange(n + 1, 2 * n - 1), [-1]])
    chain = Tree(parent, np.concatenate([np.zeros(n), np.arange(1.0, n)]))
    assert_nested_cuts(chain, levels(chain, graph))


def test_isolated_vertices_stay_alone():
    graph = Graph.from_edges([0, 1, 0, 3, 4, 3], [1, 2, 2, 4, 5, 5], None, 8)
    tree = graph_linkage(graph)
    expected = [0, 0, 0, 1, 1, 1, 2, 3]
    assert best_cut(tree, graph).tolist() == expected
    assert levels(tree, graph)[0].tolist() == expected
    pair = Graph.from_edges([0], [1])
    assert levels(graph_linkage(pair), pair)[0].tolist() == best_cut(graph_linkage(pair), pair).tolist() == [0, 0]


@pytest.mark.parametrize("sizes", [(3,), (11,), (12,), (20,), (100,), (1, 2), (5, 5), (20, 20), (10, 30), (20, 20, 20)])
def test_copies_of_one_point_are_one_cluster(sizes):
    """The first level has a cluster a distinct point, whatever the nearest of equally near points happen to be."""
    y = np.repeat(np.arange(len(sizes)), sizes)
    graph = similarity_graph(np.eye(3)[y])
    tree = refine(graph_linkage(graph), graph)
    assert levels(tree, graph)[0].tolist() == y.tolist()


def test_equal_weights_are_one_cluster_but_not_what_no_edge_joins():
    i, j = np.triu_indices(12, 1)
    graph = Graph.from_edges(i, j, np.full(i.size, 0.1), 14)
    tree = graph_linkage(graph)
    assert [labels.tolist() for labels in levels(tree, graph)] == [[0] * 12 + [1, 2]]
    assert levels(tree, graph, n_levels=1)[0][:12].max() > 0


@given(graphs_with_trees(min_leaves=1, max_leaves=12))
def test_the_first_level_holds_more_than_chance_or_all_that_is_joined(case):
    graph, tree = case
    first = levels(tree, graph)[0]
    assert modularity(first, graph) > 0 or first.tolist() == coarsest_cut(tree, graph).tolist()


@given(graphs_with_trees(min_leaves=1, max_leaves=12))
def test_report_adds_up(case):
    graph, tree = case
    report = entropy_report(tree, graph)
    assert report.entropy == score(tree, graph=graph)["structural_entropy"]
    exact = entropy_report(tree, graph, "exact")
    assert exact.entropy == exact.node_entropy.sum() and np.array_equal(exact.node_entropy, report.node_entropy)
    assert exact.entropy == approx(structural_entropy(tree, graph, "exact"), abs=1e-9)
    bare = entropy_report(tree, graph, "drop")
    assert bare.entropy == approx(score(tree, graph=graph, self_loops="drop")["structural_entropy"], abs=1e-9)
    assert bare.node_entropy.sum() == approx(bare.entropy)
    assert exact.lower_bound - 1e-9 <= exact.entropy <= exact.one_dimensional + 1e-9
    assert report.one_dimensional == one_dimensional_entropy(graph)
    star = structural_entropy(compress(tree, graph, 1), graph, "exact")
    assert report.saving.sum() == approx(star - exact.entropy, abs=1e-9)
    meets = lca_weights(tree, graph) > 0
    meets[-1] = True
    assert not report.saving[~meets].any()
    for node in np.flatnonzero(kept_parents(tree.parent, meets) == tree.root):
        if node >= tree.n_leaves and meets[node]:
            alone = structural_entropy(contracted(tree, [int(node)]), graph, "exact")
            assert report.saving[node] == approx(star - alone, abs=1e-9)
    assert np.all(np.diff(report.saving[report.largest(5)]) <= 0)


def test_the_report_says_how_it_counts_loops():
    """Where the paper's number is not the sum over nodes."""
    plain = Graph.from_edges([0, 1, 2], [1, 2, 3])
    looped = Graph.from_edges([0, 1, 2, 0], [1, 2, 3, 0], [1.0, 1.0, 1.0, 2.0])
    tree = graph_linkage(plain)
    exact = entropy_report(tree, looped, "exact")
    assert f"as in the terms of nodes, {exact.entropy:.4f} of" in str(entropy_report(tree, looped))
    for report in (exact, entropy_report(tree, looped, "drop"), entropy_report(tree, plain)):
        assert "exactly" not in str(report)


def test_errors():
    graph = Graph.from_edges([0, 1, 2], [1, 2, 3])
    tree = graph_linkage(graph)
    with pytest.raises(ValueError, match="n_clusters=5 must be between 1 and 4"):
        best_cut(tree, graph, n_clusters=5)
    with pytest.raises(ValueError, match="n_levels=0"):
        compress(tree, graph, 0)
    with pytest.raises(ValueError, match="n_levels=-1"):
        levels(tree, graph, n_levels=-1)
    with pytest.raises(ValueError, match="min_size=3 is above max_size=2"):
        best_cut(tree, graph, min_size=3, max_size=2)
    with pytest.raises(ValueError, match="the graph has 4 vertices"):
        best_cut(Tree.from_linkage([[0, 1, 1, 2]]), graph)


@settings(max_examples=30)
@given(graphs_with_trees(min_leaves=2, max_leaves=10), st.data())
def test_nested_cuts_are_nested(case, data):
    graph, tree = case
    numbers = sorted(data.draw(st.sets(st.integers(1, tree.n_leaves), min_size=1, max_size=4)))
    cuts = dict(zip(numbers, levels(tree, graph, n_clusters=numbers), strict=True))
    for k, labels in cuts.items():
        assert np.unique(labels).tolist() == list(range(k))
    for coarse, fine in pairwise(sorted(cuts)):
        pairs = np.unique(np.column_stack([cuts[fine], cuts[coarse]]), axis=0)
        assert len(pairs) == fine
    finest = max(numbers)
    best = best_cut(tree, graph, n_clusters=finest)
    assert two_level_entropy(graph, cuts[finest]) == approx(two_level_entropy(graph, best), abs=1e-9)
