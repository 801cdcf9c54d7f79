"""Refinement: monotone, exact accounts, same leaves, and the optimum on small graphs."""

from __future__ import annotations

from itertools import pairwise

import numba
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pytest import approx

import brute
from graph_strategies import graphs_with_trees
from hypcse import Graph, Tree, dasgupta_cost, graph_linkage, methods, refine, similarity_graph, structural_entropy
from hypcse.entropy import lca_weights, node_volumes
from hypcse.kernels.search.descent import move
from hypcse.kernels.search.pricing import price_places
from hypcse.search import binarize, run
from hypcse.search.run import is_shallow, refined
from hypcse.search.working import recombine, start_search

OBJECTIVES = {"entropy": structural_entropy, "dasgupta": dasgupta_cost}


def random_points(n, seed=0):
    rng = np.random.default_rng(seed)
    return rng.normal(size=(n, 3)) + 4 * rng.integers(0, 4, size=(n, 1))


@pytest.mark.parametrize("objective", OBJECTIVES)
@given(case=graphs_with_trees(min_leaves=1, max_leaves=14), effort=st.just("fast"))
def test_never_worse_and_honest(objective, case, effort):
    """From any tree, multiway ones too: binary, over the same leaves, not worse, and the account is right."""
    graph, tree = case
    found = refined(tree, graph, objective, effort)
    value = OBJECTIVES[objective]
    assert found.tree.is_binary or tree.n_leaves == 1
    assert found.tree.n_leaves == tree.n_leaves
    assert found.before == approx(value(tree, graph), abs=1e-9)
    assert found.after == approx(value(found.tree, graph), abs=1e-9)
    assert found.after <= found.before + 1e-9
    assert found.gain == approx(value(tree, graph) - value(found.tree, graph), abs=1e-9)


@pytest.mark.parametrize("objective", OBJECTIVES)
@given(case=graphs_with_trees(min_leaves=3, max_leaves=12, binary=True), data=st.data())
def test_priced_moves_cost_what_they_say(objective, case, data):
    """Every place of a subtree, tried in turn: the change of the objective is the difference of the prices."""
    graph, tree = case
    top = data.draw(st.integers(0, tree.n_nodes - 2))
    n_places = None
    k = 1
    while n_places is None or k < n_places:
        search = start_search(tree, graph, objective)
        sibling = price_places(search.tree, search.rows, top, tree.n_leaves, search.logarithmic)
        if sibling < 0:
            return
        n_path, n_found = search.tree.counts["n_path"][0], search.tree.counts["n_off_path"][0]
        n_places = n_path + n_found
        place = search.tree.path[k] if k < n_path else search.tree.off_path[k - n_path] if k < n_places else sibling
        k += 1
        if place == sibling:
            continue
        before = search.value()
        promised = search.tree.value["cost"][place] - search.tree.value["cost"][sibling]
        move(search.tree, top, place, search.logarithmic)
        assert search.value() - before == approx(promised, abs=1e-9)
        moved = Tree(search.division().parent, np.zeros(tree.n_nodes))
        measure = graph.degrees if objective == "entropy" else np.ones(tree.n_leaves)
        volumes = node_volumes(moved, measure)
        phi = np.log2(volumes, where=volumes > 0, out=np.zeros_like(volumes)) if objective == "entropy" else volumes
        assert search.value() == approx(float(np.dot(lca_weights(moved, graph), phi)), abs=1e-9)
        assert (search.tree.link["parent"] < 0).sum() == 1


@settings(max_examples=5)
@given(st.integers(0, 10_000))
def test_thorough_finds_the_optimum_over_six_leaves(seed):
    """Brute force over all 945 binary trees bounds it, and it is met."""
    rng = np.random.default_rng(seed)
    pairs = np.array([(i, j) for i in range(6) for j in range(i)])
    chosen = pairs[rng.random(len(pairs)) < 0.7]
    if len(chosen) == 0:
        return
    graph = Graph.from_edges(*chosen.T, rng.uniform(0.1, 1, len(chosen)), 6)
    trees = [brute.nested_to_tree(nested, 6) for nested in brute.all_binary(tuple(range(6)))]
    best = min(structural_entropy(tree, graph) for tree in trees)
    found = structural_entropy(refine(trees[0], graph, effort="thorough"), graph)
    assert found == approx(best, abs=1e-9)


def test_thorough_is_at_least_as_good_as_fast():
    graph = similarity_graph(random_points(60))
    start = graph_linkage(graph)
    fast, thorough = (structural_entropy(refine(start, graph, effort=e), graph) for e in ("fast", "thorough"))
    assert thorough <= fast < structural_entropy(start, graph)


def test_same_seed_same_tree_at_any_number_of_threads():
    graph = similarity_graph(random_points(50))
    start = graph_linkage(graph)
    answers = []
    for n_threads in (1, 2, 2):
        numba.set_num_threads(n_threads)
        answers.append(refine(start, graph, effort="thorough", random_state=3))
    numba.set_num_threads(numba.config.NUMBA_NUM_THREADS)
    assert all(np.array_equal(answers[0].parent, other.parent) for other in answers[1:])


def test_starts_are_used():
    """A hopeless given tree with a good start beside it ends at least as low as that start."""
    graph = similarity_graph(random_points(80))
    good = refine(graph_linkage(graph), graph)
    bad = methods.run("single-linkage", np.random.default_rng(1).normal(size=(80, 2)))
    assert structural_entropy(refine(bad, graph, starts=[good]), graph) <= structural_entropy(good, graph) + 1e-12
    with pytest.raises(TypeError, match="list of trees"):
        refine(bad, graph, starts=good)


@pytest.mark.parametrize("objective", OBJECTIVES)
@given(case=graphs_with_trees(min_leaves=3, max_leaves=14, binary=True), seed=st.integers(0, 100))
def test_recombination_takes_the_best_of_every_shared_cluster(objective, case, seed):
    """Not above the best choice in each cluster that both trees have, by brute force over the nodes of its piece."""
    graph, one = case
    search = start_search(one, graph, objective)
    search.cool(np.array([seed], np.uint64), np.full(3, 10.0))
    divisions = start_search(one, graph, objective).division(), search.division()
    merged = recombine(*divisions)
    tree, *trees = (Tree(division.parent, np.zeros(one.n_nodes)) for division in (merged, *divisions))
    members = [{frozenset(leaves): node for node, leaves in enumerate(brute.members(side))} for side in trees]
    shared = members[0].keys() & members[1].keys()
    assert shared <= {frozenset(leaves) for leaves in brute.members(tree)} <= members[0].keys() | members[1].keys()
    costs = []
    for names, division in zip(members, divisions, strict=True):
        cost = dict.fromkeys(shared, 0.0)
        for leaves, node in names.items():
            cost[min((c for c in shared if leaves <= c), key=len)] += division.terms[node]
        costs.append(cost)
    least = sum(min(costs[0][cluster], costs[1][cluster]) for cluster in shared)
    assert merged.terms.sum() == approx(least, abs=1e-6)
    assert merged.terms.sum() == approx(start_search(tree, graph, objective).value(), abs=1e-6)


def test_callback_sees_progress_and_stops_cleanly():
    graph = similarity_graph(random_points(100))
    start = graph_linkage(graph, "single")
    steps = []
    found = refined(start, graph, effort="thorough", callback=steps.append)
    assert {step.stage for step in steps} == {"descent", "annealing", "last descent"}
    best = [step.value for step in steps]
    assert all(later <= sooner + 1e-12 for sooner, later in pairwise(best))
    assert best[-1] == approx(found.after, abs=1e-9)
    assert all(0 < step.done <= step.total == 1 and step.measure == "entropy" for step in steps)
    stopped = refined(start, graph, effort="thorough", callback=lambda step: step.stage == "annealing")
    assert stopped.after <= structural_entropy(start, graph)
    assert stopped.n_moves < found.n_moves
    first = refined(start, graph, callback=lambda step: np.True_)
    assert first.after == approx(structural_entropy(first.tree, graph))
    assert first.after <= first.before


def test_clock_ends_the_search():
    graph = similarity_graph(random_points(200))
    start = graph_linkage(graph)
    assert refined(start, graph, effort="thorough", max_seconds=0).n_moves == 0
    stopped = refined(start, graph, effort="thorough", max_seconds=0.3)
    assert stopped.n_moves < refined(start, graph, effort="thorough").n_moves


def test_names_are_kept_and_heights_never_fall():
    graph = similarity_graph(random_points(30))
    start = graph_linkage(graph)
    named = Tree(start.parent, start.height, tuple(f"p{k}" for k in range(30)))
    assert refine(named, graph).names == named.names
    assert np.array_equal(np.sort(refine(named, graph).height[30:]), refine(named, graph).height[30:])


@given(graphs_with_trees(min_leaves=2, max_leaves=12))
def test_binarize_keeps_clusters_and_never_raises(case):
    graph, tree = case
    binary = binarize(tree, graph)
    assert binary.is_binary
    kept = {frozenset(s) for s in brute.members(binary)}
    assert {frozenset(s) for s in brute.members(tree)} <= kept
    assert structural_entropy(binary, graph) <= structural_entropy(tree, graph) + 1e-9
    assert dasgupta_cost(binary, graph) <= dasgupta_cost(tree, graph) + 1e-9


def test_binarize_of_the_star_is_average_linkage():
    graph = similarity_graph(random_points(40))
    star = Tree([40] * 40 + [-1], [0.0] * 40 + [1.0])
    assert binarize(star, graph) == graph_linkage(graph, "average")


def test_errors():
    graph = Graph.from_edges([0, 1], [1, 2])
    tree = graph_linkage(graph)
    with pytest.raises(ValueError, match="effort='slow' is not known"):
        refine(tree, graph, effort="slow")
    with pytest.raises(ValueError, match="objective='modularity' is not known"):
        refine(tree, graph, "modularity")
    with pytest.raises(ValueError, match="max_seconds=-1"):
        refine(tree, graph, max_seconds=-1)
    with pytest.raises(TypeError, match="Tree.from_linkage"):
        refine(tree.to_linkage(), graph)
    with pytest.raises(ValueError, match="3 leaves, but the graph has 4"):
        refine(tree, Graph.from_edges([0, 1, 2], [1, 2, 3]))


def test_what_stays_too_deep_is_searched_as_it_is(monkeypatch):
    """Whatever is done to a tree of a star, it takes the leaves up one by one: flattening it does not help."""
    n = 400
    star = Graph.from_edges(np.zeros(n - 1, int), np.arange(1, n), np.random.default_rng(0).uniform(1, 2, n - 1), n)
    tree = graph_linkage(star, "average")
    searched = refine(tree, star)
    monkeypatch.setattr(run, "MAX_WALK", 100 * n)
    assert refine(tree, star) == searched != tree


def test_deep_trees_are_flattened_first():
    """A chain of 100,000 leaves over a ring: far too deep to walk, yet it is refined, and far below where it began."""
    n = 100_000
    rng = np.random.default_rng(0)
    steps = np.concatenate([np.full(n, 1), np.full(n, 2), np.full(n, 3)])
    ends = np.tile(np.arange(n), 3)
    graph = Graph.from_edges(ends, (ends + steps) % n, rng.uniform(0.5, 1.5, 3 * n), n)
    parent = np.concatenate([[n], np.arange(n, 2 * n - 1), np.arange(n + 1, 2 * n - 1), [-1]])
    chain = Tree(parent, np.concatenate([np.zeros(n), np.arange(1.0, n)]))
    assert not is_shallow(chain, graph)
    found = refined(chain, graph)
    assert found.after < 0.5 * found.before
