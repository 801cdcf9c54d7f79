"""A few labels, spread over a tree."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from hypcse import Tree, spread_labels
from strategies import chain, trees

NUMBERS = st.integers(0, 3)


@st.composite
def labeled_trees(draw, labels=NUMBERS):
    """A tree and labels of some of its leaves, of one at least."""
    tree = draw(trees(max_leaves=14))
    values = st.lists(st.none() | labels, min_size=tree.n_leaves, max_size=tree.n_leaves)
    return tree, draw(values.filter(lambda y: any(value is not None for value in y)))


def by_walking_up(tree, y):
    """Reference: from every leaf upwards until a subtree holds a label."""
    found = []
    for leaf in range(tree.n_leaves):
        node, known = leaf, [] if y[leaf] is None else [y[leaf]]
        while not known:
            node = tree.parent[node]
            known = [y[k] for k in tree.leaves(node) if y[k] is not None]
        found.append(min(known, key=lambda label: (-known.count(label), label)))
    return found


@given(labeled_trees())
def test_smallest_subtree_with_a_label(case):
    tree, y = case
    expected = by_walking_up(tree, y)
    integers = np.array([-1 if label is None else label for label in y])
    floats = np.array([np.nan if label is None else label for label in y])
    for form in (y, integers, floats):
        assert spread_labels(tree, form).tolist() == expected
    assert spread_labels(tree, integers).dtype == integers.dtype


@given(labeled_trees(st.text(max_size=2)))
def test_text(case):
    tree, y = case
    found = spread_labels(tree, y)
    assert found.tolist() == by_walking_up(tree, y)
    assert all(old is None or old == new for old, new in zip(y, found, strict=True))


@given(labeled_trees())
def test_spreading_twice_changes_nothing(case):
    tree, y = case
    once = spread_labels(tree, y)
    assert np.array_equal(spread_labels(tree, once), once)


def test_ties_go_to_the_first_label():
    star = Tree([3, 3, 3, -1], [0, 0, 0, 1])
    assert spread_labels(star, ["b", "a", None]).tolist() == ["b", "a", "a"]
    assert spread_labels(star, [2, 10, -1]).tolist() == [2, 10, 2]


def test_a_chain_of_a_million_leaves():
    y = np.full(1_000_000, -1)
    y[[0, 999_999]] = 3, 5
    found = spread_labels(chain(1_000_000), y)
    assert (found[:-1] == 3).all() and found[-1] == 5


def test_one_leaf():
    assert spread_labels(Tree([-1], [0]), [True]).tolist() == [True]


def test_wrong_labels():
    tree = Tree.from_newick("((0,1),2);")
    with pytest.raises(ValueError, match="labels has 2 values, but the tree has 3 leaves"):
        spread_labels(tree, [0, 1])
    for y in ([-1, -1, -1], [None, None, None], [np.nan] * 3):
        with pytest.raises(ValueError, match="all 3 labels are missing.*tree.cut"):
            spread_labels(tree, y)
