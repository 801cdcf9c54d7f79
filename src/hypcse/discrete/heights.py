"""Heights of trees found on a graph."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from hypcse.graph import Graph
from hypcse.kernels.trees.sweep import lift_heights, subtree_minima, subtree_sums
from hypcse.tree import Tree
from hypcse.tree.numbering import renumber


def searched_tree(parent: NDArray[np.int64], graph: Graph, names: tuple[str, ...] | None = None) -> Tree:
    """The tree of a search at its `volume_heights`, its internal nodes renumbered from low to high."""
    return degrees_tree(parent, graph.degrees, names)


def degrees_tree(parent: NDArray[np.int64], degrees: NDArray[np.float64], names: tuple[str, ...] | None = None) -> Tree:
    """`searched_tree` where only the degrees of the graph are known."""
    n, height = degrees.size, _volume_heights(parent, degrees)
    order = np.concatenate([np.arange(n), n + np.argsort(height[n:], kind="stable")])
    return Tree(*renumber(parent, height, order), names)


def volume_heights(parent: NDArray[np.int64], graph: Graph) -> NDArray[np.float64]:
    """log2 of the volume of each node over that of its smallest leaf: 0 at leaves, never decreasing upwards.

    Vertices of degree 0 count with the smallest positive degree of the graph.
    """
    return _volume_heights(parent, graph.degrees)


def _volume_heights(parent: NDArray[np.int64], degrees: NDArray[np.float64]) -> NDArray[np.float64]:
    n = degrees.size
    positive = degrees[degrees > 0]
    counted = np.maximum(degrees, positive.min() if positive.size else 1.0)
    volumes = subtree_sums(parent, np.concatenate([counted, np.zeros(parent.size - n)]))
    # Sums in another order may put a parent below its child by a rounding error.
    height = lift_heights(parent, np.log2(volumes / subtree_minima(parent, counted)))
    height[:n] = 0.0
    return height
