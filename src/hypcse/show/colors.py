"""Colors that color-blind people can tell apart, and how nodes get theirs."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from hypcse._checks import check_count
from hypcse.kernels.trees.sweep import subtree_sums
from hypcse.show.source import LeafClasses
from hypcse.tree import Tree

OKABE_ITO = ("#0072b2", "#e69f00", "#009e73", "#d55e00", "#cc79a7", "#56b4e9", "#b0b874", "#2b2b2b")
"""The colors of Okabe and Ito, fit for lines on white: the yellow is darker, the black a little lighter."""
LIGHT = (*OKABE_ITO, "#2a2a9c", "#7d4a4a", "#6a78e8", "#0c4800")
"""For a light background: four more. To a color-blind eye, any two differ at least as much as the nearest two of the
eight."""
DARK = (*LIGHT[:6], "#f0e442", "#f4f4f4", "#c8d4fc", "#d4b090", "#6a78e8", "#c8e4ac")
"""For a dark background: the same, with lighter variants of those that would be too dark, and the original yellow."""
MARKERS = "osD^vP*X"
"""Marker shapes for more classes than colors: the next one after every eight classes."""
TRUNK = "#9aa3af"
"""Branches above more than one class."""
INK = "#1c2430"
MAX_LEGEND = 24
"""Maximum number of classes in a legend."""
GOLDEN_ANGLE = math.radians(137.50776405)


def palette(n_colors: int) -> NDArray[np.float64]:
    """Make colors of classes: Okabe and Ito's, four more, then a spiral in OKLCH.

    Asking for more colors does not change the first ones. Color-blind people can tell the first twelve apart.

    Parameters
    ----------
    n_colors
        How many colors.

    Returns
    -------
    ndarray of shape (n_colors, 3)
        Red, green and blue, from 0 to 1.

    Examples
    --------
    >>> palette(2).round(2).tolist()
    [[0.0, 0.45, 0.7], [0.9, 0.62, 0.0]]
    """
    check_count("n_colors", n_colors, 0)
    turn = np.arange(max(0, n_colors - len(LIGHT)), dtype=np.float64)
    further = _oklch(0.56 + 0.08 * (turn % 3 - 1), 0.13, math.radians(20) + GOLDEN_ANGLE * turn)
    return np.concatenate([_rgb(*LIGHT), further])[:n_colors]


def node_colors(tree: Tree, classes: LeafClasses | None) -> NDArray[np.float64]:
    """A color for each node, (n_nodes, 3): that of its most frequent class, grayer the more classes mix. O(n k).

    A node without a majority class is as gray as the trunk. Leaves of unknown class do not count.
    """
    (trunk,) = _rgb(TRUNK)
    if classes is None or not classes.names:
        return np.tile(trunk, (tree.n_nodes, 1))
    most, owner = np.zeros(tree.n_nodes), np.zeros(tree.n_nodes, np.int64)
    for code in range(len(classes.names)):
        count = np.zeros(tree.n_nodes)
        count[: tree.n_leaves] = classes.codes == code
        count = subtree_sums(tree.parent, count)
        owner[count > most] = code
        most = np.maximum(most, count)
    known = np.zeros(tree.n_nodes)
    known[: tree.n_leaves] = classes.codes >= 0
    share = np.clip(2 * most / np.maximum(subtree_sums(tree.parent, known), 1) - 1, 0, 1)[:, None]
    return share * palette(len(classes.names))[owner] + (1 - share) * trunk


def _rgb(*colors: str) -> NDArray[np.float64]:
    return np.array([list(bytes.fromhex(color[1:])) for color in colors]) / 255


def _oklch(lightness: NDArray[np.float64], chroma: float, hue: NDArray[np.float64]) -> NDArray[np.float64]:
    """OKLCH colors in sRGB; colors outside sRGB are clipped."""
    a, b = chroma * np.cos(hue), chroma * np.sin(hue)
    to_cones = np.array([[0.3963377774, 0.2158037573], [-0.1055613458, -0.0638541728], [-0.0894841775, -1.291485548]])
    to_light = np.array(
        [
            [4.0767416621, -3.3077115913, 0.2309699292],
            [-1.2684380046, 2.6097574011, -0.3413193965],
            [-0.0041960863, -0.7034186147, 1.707614701],
        ]
    )
    linear = np.clip((lightness[:, None] + np.column_stack([a, b]) @ to_cones.T) ** 3 @ to_light.T, 0, 1)
    return np.where(linear <= 0.0031308, 12.92 * linear, 1.055 * linear ** (1 / 2.4) - 0.055)
