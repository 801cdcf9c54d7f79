"""Partitions that last, and the level to look at first."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from pytest import approx
from sklearn.datasets import make_blobs, make_moons
from sklearn.metrics import adjusted_rand_score

import hypcse
from brute import modularity
from graph_strategies import graphs_with_trees, planted_partition
from hypcse import Graph, Tree, graph_linkage, join_components, levels, main_level, refine, similarity_graph
from hypcse.kernels.trees.cuts import from_above, split_thresholds
from hypcse.kernels.trees.sweep import leaf_labels
from hypcse.partitions.stretches import ALIKE, by_conductance, near_sums
from hypcse.search.leaving import leaving_parts
from strategies import trees


def found_in(X, scale="minmax", **options):
    """The default way: graph, linkage, refinement, join."""
    graph = similarity_graph(X, scale=scale, **options)
    tree = refine(graph_linkage(graph), graph)
    return join_components(tree, graph, X, scale=scale, bridges=True), graph


def main_labels(tree, graph):
    return levels(tree, graph)[main_level(tree, graph)]


def best_index(planted, found):
    return max(adjusted_rand_score(planted, labels) for labels in found)


def cuts_of(tree: Tree, node: int) -> list[list[int]]:
    """All cuts of the tree under a node, as lists of nodes."""
    found = [[node]]
    children = np.flatnonzero(tree.parent == node).tolist()
    if children:
        below = [[]]
        for child in children:
            below = [one + other for one in below for other in cuts_of(tree, child)]
        found += below
    return found


@given(trees(min_leaves=1, max_leaves=7), st.data())
def test_thresholds_by_brute_force(tree, data):
    """Without small parts, the finest cut within a limit splits exactly the nodes whose threshold is within it."""
    values = np.array(
        data.draw(st.lists(st.sampled_from([0.1, 0.2, 0.3, 0.5]), min_size=tree.n_nodes, max_size=tree.n_nodes))
    )
    none, every = np.zeros(tree.n_nodes, np.bool_), np.ones(tree.n_nodes, np.bool_)
    threshold = from_above(tree.parent, split_thresholds(tree.parent, values, every, none), none, 0.0)
    for limit in (0.1, 0.2, 0.3, 0.5):
        within = [cut for cut in cuts_of(tree, tree.root) if len(cut) > 1 and values[cut].max() <= limit]
        finest = max(within, key=len, default=[tree.root])
        split = threshold <= limit
        split[: tree.n_leaves] = False
        parts = ~split
        parts[:-1] &= split[tree.parent[:-1]]
        if not split[-1]:
            assert not within
        else:
            assert np.flatnonzero(parts).tolist() == sorted(finest)


@given(graphs_with_trees(min_leaves=2, max_leaves=12))
def test_stairs_rise_and_hold_their_modularity(case):
    graph, tree = case
    leaving = leaving_parts(tree, graph)
    stair = by_conductance(tree, graph, leaving)
    assert (np.diff(stair.limits) > 0).all() and (np.diff(stair.entropy) >= 0).all()
    for k, limit in enumerate(stair.limits):
        split = leaving.finer <= limit
        split[: tree.n_leaves] = False
        labels = leaf_labels(tree.parent, split, tree.n_leaves)
        if (np.bincount(labels) > 1).all() and graph.volume > 0:
            assert stair.quality[k] == approx(modularity(labels, graph), abs=1e-9)


@given(st.lists(st.tuples(st.floats(0, 3), st.floats(0, 5)), min_size=1, max_size=12))
def test_near_sums_are_sums_over_all(pairs):
    places, lengths = np.array(sorted(place for place, _ in pairs)), np.array([length for _, length in pairs])
    weights = np.maximum(0, 1 - np.abs(places[:, None] - places) / ALIKE)
    assert near_sums(places, lengths) == approx(weights @ lengths, abs=1e-9)


@pytest.mark.parametrize("d", [3, 16])
@pytest.mark.parametrize("spread", [0.25, 0.6])
def test_every_planted_scale_is_a_level(d, spread):
    """3 groups of 3 of 3 Gaussians: at a small spread all 27 are components, at a larger one hardly any is."""
    rng = np.random.default_rng(d)
    corners = np.eye(3, d)
    centers = (60 * corners[:, None, None] + 16 * corners[:, None] + 5 * corners).reshape(27, d)
    y = rng.integers(27, size=1500)
    tree, graph = found_in(centers[y] + rng.normal(size=(1500, d)) * spread, "none", bandwidth="median")
    found = levels(tree, graph)
    assert len(found) <= 12
    for planted in (y // 9, y // 3, y):
        assert best_index(planted, found) > 0.95
    for coarse, fine in pairwise(found):
        assert len(set(zip(fine.tolist(), coarse.tolist(), strict=True))) == fine.max() + 1 > coarse.max() + 1


def test_levels_need_nothing_but_the_tree_and_the_graph():
    """Heights carry the distances: through a file, with names, and after another search."""
    X, _ = make_blobs(300, centers=9, cluster_std=0.1, random_state=0)
    tree, graph = found_in(X)
    expected = [labels.tolist() for labels in levels(tree, graph)]
    named = Tree(tree.parent, tree.height, tuple(f"p{k}" for k in range(300)))
    again = Tree.from_newick(named.to_newick(), names=named.names)
    for other in (Tree.from_json(tree.to_json()), again, refine(tree, graph)):
        assert [labels.tolist() for labels in levels(other, graph)] == expected
        assert main_level(other, graph) == main_level(tree, graph)


def test_the_main_level_of_plain_shapes():
    X, y = make_moons(1000, noise=0.05, random_state=0)
    assert adjusted_rand_score(y, main_labels(*found_in(X))) == 1
    X, y = make_blobs(1500, centers=3, random_state=8)
    assert adjusted_rand_score(y, main_labels(*found_in(X))) == 1
    X, y = make_blobs(2000, centers=20, n_features=10, random_state=1)
    assert adjusted_rand_score(y, main_labels(*found_in(X))) == 1


@pytest.mark.parametrize("case", [(20, 50, 0.3, 0.02), (10, 100, 0.15, 0.03)])
def test_the_main_level_of_a_planted_partition_is_the_planted_one(case):
    """Unions of groups that are alike are no level of their own: what leaves them is what chance would have leave."""
    graph, y = planted_partition(*case)
    labels = main_labels(refine(graph_linkage(graph, "paris"), graph), graph)
    assert adjusted_rand_score(y, labels) > 0.9
    assert labels.max() + 1 == case[0]


def test_strays_make_no_level():
    """A handful of points far from everything is a component, but not what to look at first."""
    X, y = make_blobs(2000, centers=3, random_state=8)
    X[:12] = 500 + np.random.default_rng(0).normal(size=(12, 2))
    tree, graph = found_in(X, "none", bandwidth="median")
    labels = main_labels(tree, graph)
    assert adjusted_rand_score(y[12:], labels[12:]) > 0.95


def test_order_by_volume_gives_no_levels_above_components():
    rng = np.random.default_rng(0)
    y = np.repeat(np.arange(12), 20)
    X = rng.normal(size=(12, 4))[y] * 100 + rng.normal(size=(240, 4))
    graph = similarity_graph(X, bandwidth="median")
    tree = refine(graph_linkage(graph), graph)
    assert levels(tree, graph)[0].max() + 1 == 12
    assert levels(join_components(tree, graph, X), graph)[0].max() + 1 < 12


def test_the_main_level_is_one_of_the_levels():
    for graph in (Graph.from_edges([], [], [], 3), Graph.from_edges([0], [1]), Graph.from_edges([0], [0])):
        tree = graph_linkage(graph)
        assert main_level(tree, graph) in range(len(levels(tree, graph)))
    with pytest.raises(ValueError, match="leaves"):
        hypcse.main_level(Tree.from_linkage([[0, 1, 1, 2]]), Graph.from_edges([0, 1], [1, 2]))


@given(graphs_with_trees(min_leaves=1, max_leaves=12))
def test_the_main_level_of_any_tree(case):
    graph, tree = case
    assert 0 <= main_level(tree, graph) < len(levels(tree, graph)) <= 12
