"""Refinement in parts: the same answer at any number of threads, that of one part after another, and never worse."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from pytest import approx

from graph_strategies import graphs_with_trees
from hypcse import Graph, Tree, graph_linkage, structural_entropy
from hypcse.kernels.search.descent import descend
from hypcse.kernels.search.pricing import find_cheapest, price_places
from hypcse.kernels.search.working_tree import (
    list_parts,
    put_part,
    take_part,
)
from hypcse.search.run import Budget, Run
from hypcse.search.working import start_search

N, PART_SIZE = 5_000, 200
IN_PARTS = Budget(n_sweeps=8, largest=2048, max_whole=0, min_part=PART_SIZE)
WHOLE = Budget(n_sweeps=8, largest=2048, max_whole=0, min_part=N)


@pytest.fixture(scope="module")
def planted():
    """50 groups of 100 vertices, 8 edges from each to its own group and 2 to any, and their average linkage."""
    rng = np.random.default_rng(0)
    ends = np.repeat(np.arange(N), 10)
    others = np.where(np.arange(10 * N) % 10 < 8, ends // 100 * 100 + rng.integers(100, size=10 * N), 0)
    others = np.where(np.arange(10 * N) % 10 < 8, others, rng.integers(N, size=10 * N))
    apart = ends != others
    graph = Graph.from_edges(ends[apart], others[apart], rng.uniform(0.5, 1.5, int(apart.sum())), N)
    return graph, graph_linkage(graph)


def refined(tree, graph, budget, n_threads=2, callback=None, max_seconds=None):
    run = Run(tree, graph, "entropy", max_seconds, callback)
    run.n_threads = n_threads
    run.search([], budget, 0)
    return run.result(tree)


def clusters(tree):
    """The leaves under every inner node."""
    order, start, size = tree.leaf_order(), tree.first_positions, tree.sizes
    return {frozenset(order[start[v] : start[v] + size[v]].tolist()) for v in range(tree.n_leaves, tree.n_nodes)}


def test_same_tree_at_any_number_of_threads(planted):
    graph, start = planted
    one, *others = (refined(start, graph, IN_PARTS, n_threads) for n_threads in (1, 2, 3))
    for other in others:
        assert np.array_equal(one.tree.parent, other.tree.parent)
        assert (one.after, one.n_moves) == (other.after, other.n_moves)


def test_parts_are_disjoint_subtrees_as_large_as_may_be(planted):
    graph, start = planted
    search = start_search(start, graph, "entropy")
    parts = list_parts(search.tree, N, PART_SIZE)
    sizes, above = start.sizes, start.sizes[start.parent]
    assert sorted(parts[:, 1]) == sorted(sizes[(sizes > 1) & (sizes <= PART_SIZE) & (above > PART_SIZE)])
    found = {frozenset(search.order[first : first + size].tolist()) for first, size, _ in parts}
    assert len(parts) > 10
    assert found <= clusters(start)
    assert sum(map(len, found)) == len(frozenset().union(*found))


def test_a_part_that_is_put_back_changes_nothing(planted):
    graph, start = planted
    search = start_search(start, graph, "entropy")
    link, value = search.tree.link.copy(), search.tree.value.copy()
    for part in list_parts(search.tree, N, PART_SIZE).tolist():
        tree, _ = take_part(search.tree, search.rows, *part)
        assert (tree.link["parent"] < 0).sum() == 1
        put_part(search.tree, search.rows, tree, *part)
    assert np.array_equal(search.tree.link[["parent", "left", "right"]], link[["parent", "left", "right"]])
    assert np.array_equal(search.tree.value, value)


def test_parts_are_searched_as_graphs_of_their_own(planted):
    """The reference: the graph among the leaves of a part, whose outside weights are loops, one after another."""
    graph, start = planted
    search, least_gain, expected = start_search(start, graph, "entropy"), 1e-9, set()
    before, gained = search.value(), 0.0
    for part in list_parts(search.tree, N, PART_SIZE):
        leaves = np.sort(search.order[part[0] : part[0] + part[1]])
        inside, _ = graph.subgraph(leaves)
        loops = graph.degrees[leaves] - inside.edge_degrees
        alone = Graph(inside.indptr, inside.indices, inside.weights, loops)
        own = start_search(start.prune(leaves), alone, "entropy")
        for _ in range(8):
            if descend(own.tree, own.rows, 0, 2**62, 2048, least_gain, True)[1] == 0:
                break
        found = Tree(own.division().parent, np.zeros(2 * leaves.size - 1))
        expected |= {frozenset(leaves[list(members)].tolist()) for members in clusters(found)}
        gained += search.descend_in(part, 8, 2048, least_gain, lambda: False)[0]
    made = Tree(search.division().parent, np.zeros(2 * N - 1))
    assert {members for members in clusters(made) if len(members) <= PART_SIZE} >= expected
    assert before - search.value() == approx(gained, abs=1e-6)
    weights, phi = search.tree.value["weight"], search.tree.value["phi"]
    assert float(np.dot(weights, phi)) == approx(start_search(made, graph, "entropy").value(), abs=1e-6)


def test_only_what_has_an_edge_to_another_part_is_left_to_search(planted):
    graph, start = planted
    search = start_search(start, graph, "entropy")
    parts = list_parts(search.tree, N, PART_SIZE)
    for part in parts.tolist():
        tree, _ = take_part(search.tree, search.rows, *part)
        tree.stale[:] = False
        put_part(search.tree, search.rows, tree, *part)
    owner = np.full(N, -1)
    for k, (first, size, _) in enumerate(parts):
        owner[first : first + size] = k
    ends = np.repeat(np.arange(N), np.diff(search.rows.indptr))
    leaving = np.zeros(N, bool)
    leaving[ends[owner[ends] != owner[search.rows.indices]]] = True
    assert np.array_equal(search.tree.stale[:N], leaving | (owner < 0))
    for _, size, inner in parts:
        for node in range(inner, inner + size - 1):
            children = [search.tree.link[side][node] for side in ("left", "right")]
            assert search.tree.stale[node] == search.tree.stale[children].any()


def test_what_a_part_did_not_get_to_is_left_to_search(planted):
    graph, start = planted
    search = start_search(start, graph, "entropy")
    for part in list_parts(search.tree, N, PART_SIZE):
        assert search.descend_in(part, 8, 2048, 1e-9, lambda: True) == (0.0, 0)
    assert search.tree.stale.all()


def test_never_worse_and_as_good_as_the_whole(planted):
    graph, start = planted
    found, whole = refined(start, graph, IN_PARTS), refined(start, graph, WHOLE)
    assert found.before == approx(structural_entropy(start, graph))
    assert found.after == approx(structural_entropy(found.tree, graph))
    assert found.after < found.before
    assert found.after <= 1.001 * whole.after
    again = refined(found.tree, graph, IN_PARTS)
    assert again.after <= found.after + 1e-12


def test_progress_over_parts_and_a_clean_stop(planted):
    graph, start = planted
    steps = []
    found = refined(start, graph, IN_PARTS, callback=steps.append)
    assert len(steps) > 10
    assert all(sooner.done <= later.done for sooner, later in pairwise(steps))
    assert all(later.value <= sooner.value + 1e-12 for sooner, later in pairwise(steps))
    assert 0 < steps[0].done < 0.9 < steps[-1].done <= 1
    assert steps[-1].value == approx(found.after, abs=1e-9)
    stopped = refined(start, graph, IN_PARTS, callback=lambda step: True)
    assert 0 < stopped.n_moves < found.n_moves
    assert found.after < stopped.after < found.before
    assert stopped.after == approx(structural_entropy(stopped.tree, graph))
    assert refined(start, graph, IN_PARTS, max_seconds=0).n_moves == 0


def test_a_callback_that_fails_ends_the_search(planted):
    graph, start = planted

    def fail(step):
        raise KeyError("mine")

    with pytest.raises(KeyError, match="mine"):
        refined(start, graph, IN_PARTS, callback=fail)


@pytest.mark.parametrize("objective", ["entropy", "dasgupta"])
@given(case=graphs_with_trees(min_leaves=3, max_leaves=12, binary=True), data=st.data())
def test_the_cheapest_place_is_the_cheapest_of_all(objective, case, data):
    """Leaving out branches by their bound loses nothing."""
    graph, tree = case
    top = data.draw(st.integers(0, tree.n_nodes - 2))
    search = start_search(tree, graph, objective)
    sibling = price_places(search.tree, search.rows, top, tree.n_leaves, search.logarithmic)
    value, counts = search.tree.value, search.tree.counts
    if sibling < 0:
        assert find_cheapest(search.tree, search.rows, top, tree.n_leaves, 0.0, search.logarithmic)[0] == -1
        return
    places = [*search.tree.path[1 : counts["n_path"][0]], *search.tree.off_path[: counts["n_off_path"][0]], sibling]
    staying, least = value["cost"][sibling], value["cost"][places].min()
    answer = find_cheapest(search.tree, search.rows, top, tree.n_leaves, 0.0, search.logarithmic)
    assert answer[0] == sibling
    assert value["cost"][answer[1]] - value["cost"][sibling] == approx(least - staying, abs=1e-9)
