"""Laws of structural entropy and its bounds."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pytest import approx

import brute
from graph_strategies import graphs, graphs_with_trees
from hypcse import Graph, Tree, normalized_entropy, one_dimensional_entropy, structural_entropy
from hypcse.entropy import (
    entropy_by_cuts,
    entropy_from_weights,
    entropy_lower_bound,
    lca_weights,
    node_cuts,
    node_entropies,
    node_volumes,
)

TRIANGLE = Graph.from_edges([0, 1, 2], [1, 2, 0])
STAR_OF_3 = Tree([3, 3, 3, -1], [0, 0, 0, 1.0])


@given(graphs_with_trees(), st.floats(0.1, 10))
def test_entropy_by_cuts_is_entropy_by_ancestors(case, scale):
    """Eq. (1) = Eq. (4), both equal the plain sum, and weights have no unit."""
    graph, tree = case
    by_cuts = entropy_by_cuts(tree, graph, "exact")
    assert by_cuts == approx(brute.entropy(tree, graph), abs=1e-9)
    assert entropy_by_cuts(tree, graph) == approx(structural_entropy(tree, graph), abs=1e-9)
    for loops in ("paper", "exact", "drop"):
        plain = structural_entropy(tree, graph, loops)
        assert entropy_by_cuts(tree, graph, loops) == approx(plain, abs=1e-9)
        if loops != "paper":
            assert structural_entropy(tree, graph.scaled(scale), loops) == approx(plain, abs=1e-9)


@given(graphs_with_trees())
def test_ways_to_count_loops(case):
    """ "paper" lies below "exact" by what no tree changes; without loops all three agree."""
    graph, tree = case
    degrees = graph.degrees
    if graph.volume > 0:
        with_bits = degrees > 0
        gap = np.dot(graph.self_weights[with_bits], np.log2(degrees[with_bits])) / graph.volume
        paper, exact = (structural_entropy(tree, graph, loops) for loops in ("paper", "exact"))
        assert exact - paper == approx(gap, abs=1e-9)
    bare = graph.without_loops()
    values = [structural_entropy(tree, bare, loops) for loops in ("paper", "exact", "drop")]
    assert values == approx([structural_entropy(tree, graph, "drop")] * 3, abs=1e-9)


@given(graphs_with_trees())
def test_node_quantities(case):
    """Volumes, cuts and meeting weights are sums over the sets of leaves."""
    graph, tree = case
    W = graph.to_scipy().toarray()
    sets = brute.members(tree)
    for node, leaves in enumerate(sets):
        inside = np.isin(np.arange(len(W)), list(leaves))
        assert node_volumes(tree, graph.degrees)[node] == approx(W[inside].sum())
        assert node_cuts(tree, graph)[node] == approx(W[inside][:, ~inside].sum(), abs=1e-9)
    assert lca_weights(tree, graph).sum() == approx(graph.edges()[2].sum())
    assert node_entropies(tree, graph).sum() == approx(structural_entropy(tree, graph, "exact"), abs=1e-9)
    assert (node_entropies(tree, graph) >= -1e-12).all()


@given(graphs_with_trees(), st.randoms(use_true_random=False))
def test_relabeling_changes_nothing(case, random):
    graph, tree = case
    order = list(range(tree.n_leaves))
    random.shuffle(order)
    moved = graph.subgraph(order)[0]
    new_id = np.empty(tree.n_leaves, int)
    new_id[order] = np.arange(tree.n_leaves)
    parent = tree.parent.copy()
    parent[new_id] = tree.parent[: tree.n_leaves]
    assert structural_entropy(Tree(parent, tree.height), moved) == approx(structural_entropy(tree, graph), abs=1e-9)


@given(graphs_with_trees())
def test_bound_that_holds(case):
    """SE >= H1 min g/vol, where the printed Eq. (3) fails; and SE never exceeds H1."""
    graph, tree = case
    entropy = entropy_by_cuts(tree, graph, "exact")
    assert entropy >= entropy_lower_bound(tree, graph) - 1e-9
    assert entropy <= one_dimensional_entropy(graph) + 1e-9


def test_printed_inequality_is_false():
    """The unit triangle: normalized entropy 0.877 on a binary tree, conductance 1 for every cut."""
    binary = Tree.from_linkage([[0, 1, 1, 2], [2, 3, 2, 3]])
    assert normalized_entropy(binary, TRIANGLE) == approx(0.877, abs=5e-4)
    assert (node_cuts(STAR_OF_3, TRIANGLE)[:3] == TRIANGLE.degrees).all()
    assert normalized_entropy(STAR_OF_3, TRIANGLE) == approx(1)


@given(graphs(7, loops=False))
def test_one_dimensional_entropy_is_that_of_the_star(graph):
    star = Tree([7] * 7 + [-1], [0.0] * 7 + [1.0])
    assert structural_entropy(star, graph) == approx(one_dimensional_entropy(graph), abs=1e-9)


@settings(max_examples=10)
@given(graphs(5))
def test_some_binary_tree_is_best(graph):
    """Among all 236 trees over five leaves, none beats the best binary one."""
    trees = [brute.nested_to_tree(nested, 5) for nested in brute.all_trees(tuple(range(5)))]
    assert len(trees) == 236
    values = np.array([structural_entropy(tree, graph) for tree in trees])
    binary = np.array([tree.is_binary for tree in trees])
    assert binary.sum() == 105
    assert values[binary].min() == approx(values.min(), abs=1e-9)


@settings(max_examples=3)
@given(graphs(6))
def test_all_binary_trees_over_six_leaves(graph):
    nested = list(brute.all_binary(tuple(range(6))))
    assert len(nested) == 945
    for one in nested[:: 945 // 60]:
        tree = brute.nested_to_tree(one, 6)
        assert structural_entropy(tree, graph, "exact") == approx(brute.entropy(tree, graph), abs=1e-9)


def test_errors_name_the_way_out():
    with pytest.raises(ValueError, match="4 leaves, but the graph has 3 vertices"):
        structural_entropy(Tree([4] * 4 + [-1], [0.0] * 4 + [1]), TRIANGLE)
    with pytest.raises(ValueError, match="self_loops='both' is not known"):
        structural_entropy(STAR_OF_3, TRIANGLE, "both")
    for function in (node_entropies, entropy_by_cuts, normalized_entropy):
        with pytest.raises(ValueError, match="self_loops='both' is not known"):
            function(STAR_OF_3, TRIANGLE, "both")
    with pytest.raises(ValueError, match="self_loops='both' is not known"):
        entropy_from_weights(STAR_OF_3, TRIANGLE, lca_weights(STAR_OF_3, TRIANGLE), "both")
    with pytest.raises(ValueError, match="self_loops='paper' is not known"):
        node_entropies(STAR_OF_3, TRIANGLE, "paper")


def test_heavy_loops_do_not_hide_the_edges():
    """Loops 10^20 times as heavy as the edge, which a difference of degrees would round away."""
    pair = Tree([2, 2, -1], [0.0, 0, 1])
    graph = Graph.from_scipy([[1, 1e-20], [1e-20, 1]])
    assert structural_entropy(pair, graph, "drop") == approx(1)
    assert entropy_by_cuts(pair, graph, "drop") == approx(1)
    assert normalized_entropy(pair, graph, "drop") == approx(1)
    assert node_cuts(pair, graph)[:2] == approx(1e-20)


def test_no_edges_and_one_vertex():
    empty = Graph.from_edges([], [], [], 3)
    assert structural_entropy(STAR_OF_3, empty) == 0
    assert one_dimensional_entropy(empty) == 0
    assert structural_entropy(Tree([-1], [0.0]), Graph.from_edges([0], [0], [2.0])) == approx(-1)
    assert structural_entropy(Tree([-1], [0.0]), Graph.from_edges([0], [0], [2.0]), "exact") == 0
