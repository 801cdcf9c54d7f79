"""Where nodes lie in the disk: inside it, in the order of the leaves, every subtree in a sector of its own."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from hypcse.tree import Tree
from hypcse.viewer.layout import MOST_RADIUS, embedded_layout, tree_layout
from strategies import trees


def chain(n_leaves: int) -> Tree:
    """A tree in which every join takes one more leaf."""
    inner = np.arange(n_leaves, 2 * n_leaves - 1)
    parent = np.concatenate([[n_leaves], inner, inner[1:], [-1]])
    return Tree(parent, np.concatenate([np.zeros(n_leaves), np.arange(1.0, n_leaves)]))


@given(trees(min_leaves=2))
def test_subtrees_have_sectors_of_their_own(tree):
    """The leaves of a node are neighbours on the rim, and the node lies in the middle of their sector."""
    angle, radius = tree_layout(tree)
    n = tree.n_leaves
    step = 2 * np.pi / n
    assert angle[tree.leaf_order()] == pytest.approx(step * (np.arange(n) + 0.5))
    for node in range(tree.n_nodes):
        below = angle[tree.leaves(node)]
        assert below.max() - below.min() == pytest.approx(step * (tree.sizes[node] - 1))
        assert angle[node] == pytest.approx((below.max() + below.min()) / 2)
    assert radius[-1] == 0
    assert (radius[:-1] > radius[tree.parent[:-1]]).all()
    assert radius[:n] == pytest.approx(np.full(n, radius[0]))
    assert (np.tanh(radius / 2) < 1).all()


@given(trees(min_leaves=2), st.integers(0, 1000), st.floats(0.01, 0.999999))
def test_embedded_leaves_stay_where_they_are(tree, seed, reach):
    """Leaves keep their angles and the order of their radii; nodes lie in the hull of their leaves."""
    rng = np.random.default_rng(seed)
    direction = rng.uniform(0, 2 * np.pi, tree.n_leaves)
    norm = rng.uniform(0.01, reach, tree.n_leaves) if reach > 0.01 else np.full(tree.n_leaves, 0.01)
    points = norm[:, None] * np.column_stack([np.cos(direction), np.sin(direction)])
    angle, radius = embedded_layout(tree, points)
    assert np.exp(1j * angle[: tree.n_leaves]) == pytest.approx(np.exp(1j * direction), abs=1e-6)
    true = 2 * np.arctanh(norm)
    shrink = min(1, MOST_RADIUS / max(radius.max(), true.max()))
    assert radius[: tree.n_leaves] == pytest.approx(true * shrink, rel=1e-6)
    for node in range(tree.n_leaves, tree.n_nodes):
        assert radius[node] <= radius[tree.leaves(node)].max() * (1 + 1e-9) + 1e-9


def test_one_leaf_and_a_long_chain():
    assert tree_layout(Tree([-1], [0])).radius.tolist() == [0]
    deep = chain(20_000)
    angle, radius = tree_layout(deep)
    assert np.isfinite(angle).all() and np.isfinite(radius).all()
    assert (radius[:-1] > radius[deep.parent[:-1]]).all()


@pytest.mark.parametrize(
    ("points", "text"),
    [
        (np.zeros((3, 3)), r"shape \(3, 3\)"),
        (np.zeros((2, 2)), r"needs \(3, 2\)"),
        (np.array([[0, 0], [0.6, 0.9], [0, 0.1]]), "point 1 .* norms below 1"),
        (np.array([[0, 0], [np.nan, 0], [0, 0.1]]), "not finite"),
    ],
)
def test_points_outside_the_disk_are_refused(points, text):
    with pytest.raises(ValueError, match=text):
        embedded_layout(Tree.from_newick("((0,1),2);"), points)
