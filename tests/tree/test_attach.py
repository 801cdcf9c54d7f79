"""New leaves in a tree: the old part stays as it was."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from hypcse import Tree
from strategies import trees


@st.composite
def trees_with_places(draw, names=False):
    tree = draw(trees(names=names))
    return tree, draw(st.lists(st.integers(0, tree.n_nodes - 1), max_size=8))


def test_two_leaves_beside_one():
    tree = Tree([3, 3, 4, 4, -1], [0, 0, 0, 1, 2]).attach([3, 0, 3])
    assert tree.parent.tolist() == [6, 7, 9, 8, 6, 8, 7, 8, 9, -1]
    assert tree.height.tolist() == [0, 0, 0, 0, 0, 0, 0.5, 1, 1.5, 2]


@given(trees_with_places())
def test_pruning_the_new_leaves_gives_the_old_tree_back(case):
    """Node by node, not only as sets."""
    tree, places = case
    grown = tree.attach(places)
    assert grown.n_leaves == tree.n_leaves + len(places)
    again = grown.prune(np.arange(tree.n_leaves))
    assert np.array_equal(again.parent, tree.parent)
    assert np.array_equal(again.height, tree.height)
    i, j = np.indices((tree.n_leaves, tree.n_leaves))
    assert np.array_equal(grown.height[grown.lca(i, j)], tree.height[tree.lca(i, j)])


@given(trees_with_places())
def test_a_new_leaf_is_the_sibling_of_its_place(case):
    tree, places = case
    grown = tree.attach(places)
    for k, place in enumerate(places):
        above = int(grown.parent[tree.n_leaves + k])
        beside = [tree.n_leaves + other for other, chosen in enumerate(places) if chosen == place]
        children = np.flatnonzero(grown.parent == above)
        assert len(children) == 1 + len(beside) and set(beside) <= set(children.tolist())
        subtree = next(int(child) for child in children if child not in beside)
        kept = grown.leaves(subtree)
        assert kept[kept < tree.n_leaves].tolist() == tree.leaves(place).tolist()
        up = tree.parent[place]
        limits = tree.height[place], tree.height[up if up >= 0 else place]
        assert grown.height[above] == pytest.approx(sum(limits) / 2)


@given(trees_with_places(names=True))
def test_names_are_carried(case):
    tree, places = case
    new = [f"new {k}" for k in range(len(places))]
    grown = tree.attach(places, new)
    assert grown.names == (*tree.names, *new)
    assert grown.prune(np.arange(tree.n_leaves)).names == tree.names


def test_a_tree_of_one_leaf_and_a_long_chain():
    assert Tree([-1], [0]).attach([0, 0]).parent.tolist() == [3, 3, 3, -1]
    n = 200_000
    parent = np.concatenate([[n], np.arange(n, 2 * n - 1), np.arange(n + 1, 2 * n - 1), [-1]])
    chain = Tree(parent, np.concatenate([np.zeros(n), np.arange(1.0, n)]))
    grown = chain.attach(np.arange(chain.n_nodes))
    assert np.array_equal(grown.prune(np.arange(n)).parent, chain.parent)


def test_what_does_not_fit_is_named():
    tree = Tree([2, 2, -1], [0, 0, 1])
    named = Tree([2, 2, -1], [0, 0, 1], ("a", "b"))
    with pytest.raises(ValueError, match="places names 3, but nodes are 0 .. 2"):
        tree.attach([3])
    with pytest.raises(TypeError, match="places must hold node ids"):
        tree.attach([0.5])
    with pytest.raises(ValueError, match="one node per new leaf"):
        tree.attach([[0]])
    with pytest.raises(ValueError, match="the old ones have none"):
        tree.attach([0], ["c"])
    with pytest.raises(ValueError, match="0 names for 1 leaves"):
        named.attach([0])
    with pytest.raises(ValueError, match="2 names for 1 leaves"):
        named.attach([0], ["c", "d"])
