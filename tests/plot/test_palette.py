"""Colours stay apart for people who see no red or no green."""

from __future__ import annotations

import numpy as np
import pytest

from hypcse import Tree
from hypcse.plot.palette import TRUNK, leaf_classes, node_colours, palette

# Machado, Oliveira and Fernandes 2009, full severity, on linear light.
SEEN = {
    "all": np.eye(3),
    "no red": np.array(
        [[0.152286, 1.052583, -0.204868], [0.114503, 0.786281, 0.099216], [-0.003882, -0.048116, 1.051998]]
    ),
    "no green": np.array(
        [[0.367322, 0.860646, -0.227968], [0.280085, 0.672501, 0.047413], [-0.011820, 0.042940, 0.968881]]
    ),
}


def oklab(linear: np.ndarray) -> np.ndarray:
    cones = np.array([[0.41222, 0.53633, 0.05145], [0.21190, 0.68070, 0.10740], [0.08830, 0.28172, 0.62998]])
    lab = np.array([[0.21045, 0.79362, -0.00407], [1.97800, -2.42859, 0.45059], [0.02590, 0.78277, -0.80868]])
    return np.cbrt(np.clip(linear, 0, 1) @ cones.T) @ lab.T


@pytest.mark.parametrize("kind", SEEN)
def test_twelve_colours_stay_apart(kind):
    """At least as far as the nearest two of Okabe and Ito's own: 0.076 in OKLab, where black and white are 1 apart."""
    colours = palette(12)
    linear = np.where(colours <= 0.04045, colours / 12.92, ((colours + 0.055) / 1.055) ** 2.4)
    seen = oklab(linear @ SEEN[kind].T)
    gaps = np.linalg.norm(seen[:, None] - seen[None], axis=-1) + np.eye(12)
    assert gaps.min() > 0.075


def test_colours_do_not_change_when_more_are_asked_for():
    many = palette(300)
    assert many.shape == (300, 3) and many.min() >= 0 and many.max() <= 1
    assert palette(0).shape == (0, 3)
    for n in (1, 8, 12, 13, 50):
        assert (palette(n) == many[:n]).all()


def test_nodes_grey_where_classes_mix():
    tree = Tree.from_newick("(((0,1),(2,3)),4);")
    colours = node_colours(tree, leaf_classes(list("aabbb"), 5))
    trunk = np.array([int(TRUNK[k : k + 2], 16) / 255 for k in (1, 3, 5)])
    pure, half, most = tree.lca(2, 3), tree.lca(0, 2), tree.root
    assert colours[pure] == pytest.approx(palette(2)[1])
    assert colours[half] == pytest.approx(trunk)
    assert colours[most] == pytest.approx(0.2 * palette(2)[1] + 0.8 * trunk)
    assert (node_colours(tree, None) == trunk).all()
