"""Levels as somebody wants them, and what is said where they cannot be had."""

from __future__ import annotations

from itertools import chain, pairwise, product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from pytest import approx

from brute import modularity
from graph_strategies import graphs_with_trees
from hypcse import Graph, Tree, best_cut, graph_linkage, join_components, levels, refine, similarity_graph


def nested_groups():
    """4 groups of 3 of 3, and the labels of the finest."""
    rng = np.random.default_rng(0)
    corners = np.eye(4, 6)
    centers = (40 * corners[:, None, None] + 10 * corners[:3][:, None] + 3 * corners[:3]).reshape(36, 6)
    y = np.repeat(np.arange(36), 15)
    X = centers[y] + 0.3 * rng.normal(size=(y.size, 6))
    graph = similarity_graph(X, bandwidth="median", scale="none")
    return join_components(refine(graph_linkage(graph), graph), graph, X, scale="none"), graph, y


def all_cuts(tree: Tree, node: int) -> list[list[int]]:
    children = np.flatnonzero(tree.parent == node).tolist()
    below = product(*(all_cuts(tree, child) for child in children)) if children else ()
    return [[node], *(list(chain.from_iterable(cut)) for cut in below)]


def labels_of(tree: Tree, cut: list[int]) -> np.ndarray:
    labels = np.empty(tree.n_leaves, np.int64)
    for number, node in enumerate(cut):
        labels[tree.leaves(node)] = number
    return labels


def test_numbers_of_clusters_are_met_and_nested():
    tree, graph, y = nested_groups()
    found = levels(tree, graph, n_clusters=[36, 4, 12])
    assert [labels.max() + 1 for labels in found] == [4, 12, 36]
    for coarse, fine in pairwise(found):
        assert len(set(zip(fine.tolist(), coarse.tolist(), strict=True))) == fine.max() + 1
    for labels, planted in zip(found, (y // 9, y // 3, y), strict=True):
        assert len(set(zip(labels.tolist(), planted.tolist(), strict=True))) == planted.max() + 1
    assert levels(tree, graph, n_clusters=7)[0].tolist() == best_cut(tree, graph, n_clusters=7).tolist()


@given(graphs_with_trees(min_leaves=2, max_leaves=9, binary=True), st.integers(1, 4), st.integers(1, 3), st.data())
def test_limits_are_kept_or_the_nearest_number_is_named(case, min_size, min_children, data):
    graph, tree = case
    numbers = sorted(data.draw(st.sets(st.integers(1, tree.n_leaves), min_size=1, max_size=3)))
    limits = {"min_size": min(min_size, tree.n_leaves), "min_children": min_children}
    try:
        found = levels(tree, graph, n_clusters=numbers, **limits)
    except ValueError as error:
        if "the nearest possible number is" not in str(error):
            raise
        return
    assert [labels.max() + 1 for labels in found] == numbers
    for labels in found:
        assert np.bincount(labels).min() >= min(min_size, tree.n_leaves)
    for coarse, fine in pairwise(found):
        pairs = {(int(a), int(b)) for a, b in zip(coarse, fine, strict=True)}
        assert len(pairs) == fine.max() + 1
        assert np.bincount([a for a, _ in pairs]).min() >= min_children


def test_what_can_be_had_is_named():
    tree = Tree.from_newick("((0,1),((2,3),(4,(5,6))));")
    graph = Graph.from_edges([0, 2, 4, 5, 1, 3], [1, 3, 5, 6, 2, 4])
    with pytest.raises(ValueError, match=r"no cut of this tree has 5 clusters and min_size=2; .* is 2 or 3"):
        levels(tree, graph, n_clusters=5, min_size=2)
    with pytest.raises(ValueError, match="n_clusters=8 must be between 1 and 7"):
        levels(tree, graph, n_clusters=[2, 8])
    with pytest.raises(ValueError, match="n_clusters is empty"):
        levels(tree, graph, n_clusters=[])
    with pytest.raises(ValueError, match="resolution=-1 must be a number of at least 0"):
        levels(tree, graph, resolution=-1)
    with pytest.raises(ValueError, match="resolution returns one flat cut"):
        levels(tree, graph, resolution=1, n_clusters=3)
    with pytest.raises(ValueError, match="takes no other options"):
        levels(tree, graph, n_levels=2, min_size=3)


@given(graphs_with_trees(min_leaves=1, max_leaves=7), st.sampled_from([0.0, 0.5, 1.0, 2.0]))
def test_the_cut_of_most_modularity_by_brute_force(case, resolution):
    graph, tree = case
    total = max(graph.volume, 1e-300)
    W = graph.to_scipy().toarray()

    def value(labels):
        same = labels[:, None] == labels
        return ((W - resolution * np.outer(graph.degrees, graph.degrees) / total) / total)[same].sum()

    (found,) = levels(tree, graph, resolution=resolution)
    assert value(found) == approx(max(value(labels_of(tree, cut)) for cut in all_cuts(tree, tree.root)), abs=1e-9)
    if resolution == 1:
        assert value(found) == approx(modularity(found, graph), abs=1e-9)


@given(graphs_with_trees(min_leaves=1, max_leaves=12), st.integers(1, 4), st.integers(1, 3))
def test_automatic_levels_keep_the_limits(case, min_size, min_children):
    graph, tree = case
    found = levels(tree, graph, min_size=min(min_size, tree.n_leaves), min_children=min_children)
    for labels in found:
        assert np.bincount(labels).min() >= min(min_size, tree.n_leaves)
    for coarse, fine in pairwise(found):
        pairs = {(int(a), int(b)) for a, b in zip(coarse, fine, strict=True)}
        assert len(pairs) == fine.max() + 1 > coarse.max() + 1
        assert np.bincount([a for a, _ in pairs]).min() >= min_children
