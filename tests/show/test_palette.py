"""Colors of plots: which come first, that none changes, and how nodes get theirs."""

from __future__ import annotations

import numpy as np
import pytest
from matplotlib.colors import to_hex

from hypcse import Tree
from hypcse.show.colors import LIGHT, TRUNK, node_colors, palette
from hypcse.show.source import leaf_classes


def test_the_first_colors_are_those_of_the_page():
    """What holds for the page, that the first twelve stay apart for the color-blind, holds for the plots."""
    assert [to_hex(color) for color in palette(12)] == list(LIGHT)


def test_colors_do_not_change_when_more_are_asked_for():
    many = palette(300)
    assert many.shape == (300, 3) and many.min() >= 0 and many.max() <= 1
    assert palette(0).shape == (0, 3)
    for n in (1, 8, 12, 13, 50):
        assert (palette(n) == many[:n]).all()


def test_nodes_grey_where_classes_mix():
    tree = Tree.from_newick("(((0,1),(2,3)),4);")
    colors = node_colors(tree, leaf_classes(list("aabbb"), 5))
    trunk = np.array([int(TRUNK[k : k + 2], 16) / 255 for k in (1, 3, 5)])
    pure, half, most = tree.lca(2, 3), tree.lca(0, 2), tree.root
    assert colors[pure] == pytest.approx(palette(2)[1])
    assert colors[half] == pytest.approx(trunk)
    assert colors[most] == pytest.approx(0.2 * palette(2)[1] + 0.8 * trunk)
    assert (node_colors(tree, None) == trunk).all()
