"""Where nodes lie in the disk: inside it, in the order of the leaves, every subtree in a sector of its own."""

from __future__ import annotations

from types import SimpleNamespace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from hypcse.show.layout import MOST_RADIUS, ancestor_layout, model_layout, tree_layout
from hypcse.tree import Tree
from strategies import chain, trees


@given(trees(min_leaves=2))
def test_subtrees_have_sectors_of_their_own(tree):
    """The leaves of a node are neighbors on the rim, and the node lies in the middle of their sector."""
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


def distances(z):
    """Hyperbolic distances between points of the disk."""
    first, second = z[:, None], z[None, :]
    return 2 * np.arctanh(np.abs(first - second) / np.abs(1 - first.conj() * second))


def test_leaves_at_the_very_rim_are_shown():
    tree = Tree.from_newick("((0,1),(2,3));")
    rim = 1 - 1e-12
    angle, radius = ancestor_layout(tree, np.array([[rim, 0], [0, rim], [-rim, 0], [0, -rim]]))
    assert np.isfinite(radius).all() and radius.max() == pytest.approx(MOST_RADIUS)
    assert angle[:4] == pytest.approx(np.array([0, 0.5, 1, 1.5]) * np.pi)


def test_one_leaf_and_a_long_chain():
    assert tree_layout(Tree([-1], [0])).radius.tolist() == [0]
    deep = chain(20_000)
    angle, radius = tree_layout(deep)
    assert np.isfinite(angle).all() and np.isfinite(radius).all()
    assert (radius[:-1] > radius[deep.parent[:-1]]).all()


@pytest.mark.parametrize(
    "points",
    [
        np.zeros((3, 3)),
        np.zeros((2, 2)),
        np.array([[0, 0], [0.6, 0.9], [0, 0.1]]),
        np.array([[0, 0], [np.nan, 0], [0, 0.1]]),
    ],
)
def test_an_embedding_that_is_not_in_the_disk_places_nothing(points):
    tree = Tree.from_newick("((0,1),2);")
    angle, radius = model_layout(SimpleNamespace(embedding_=points), tree)
    assert np.array_equal(angle, tree_layout(tree).angle) and np.array_equal(radius, tree_layout(tree).radius)


@given(trees(min_leaves=2), st.integers(0, 1000), st.floats(0.3, 0.99))
def test_ancestors_lie_on_the_geodesic_of_their_outermost_leaves(tree, seed, radius):
    """Leaves keep their distances, nodes never lie deeper than what is under them, and pairs meet halfway: Eq. (6)."""
    angles = np.random.default_rng(seed).uniform(0, 2 * np.pi, tree.n_leaves)
    points = radius * np.exp(1j * angles)
    angle, depth = ancestor_layout(tree, np.column_stack([points.real, points.imag]))
    shown = np.tanh(depth / 2) * np.exp(1j * angle)
    assert distances(shown[: tree.n_leaves]) == pytest.approx(distances(points), abs=1e-6)
    assert depth[-1] == pytest.approx(0, abs=1e-9)
    for node in range(tree.n_leaves, tree.n_nodes):
        below = tree.leaves(node)
        if below.size == 2:
            ends = distances(np.append(shown[below], shown[node]))
            assert ends[0, 2] == pytest.approx(ends[1, 2], abs=1e-6)
            assert ends[0, 2] + ends[1, 2] == pytest.approx(ends[0, 1], abs=1e-6)
