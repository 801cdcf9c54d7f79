"""The axis along which a dendrogram draws its joins."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from hypcse._heights import DISTANCE_TITLE, Distances, height_title
from hypcse.graph import Graph
from hypcse.kernels.trees.sweep import kept_parents, subtree_minima
from hypcse.tree import Tree


class HeightAxis(NamedTuple):
    """Heights to draw, one per node of the tree, and the title and note of their axis.

    from_zero : whether the axis must begin at 0, because lengths along it are to be compared.
    """

    height: NDArray[np.float64]
    title: str
    note: str
    from_zero: bool


def height_axis(tree: Tree, graph: Graph | None, distances: Distances | None) -> HeightAxis:
    """The axis of distances where there are any, that of the tree's own heights otherwise."""
    if distances is None:
        return HeightAxis(tree.height, height_title(tree, graph), "", from_zero=False)
    return HeightAxis(distances.values, DISTANCE_TITLE, distances.note, from_zero=True)


def on_binary_form(tree: Tree, binary: Tree, values: NDArray[np.float64]) -> NDArray[np.float64]:
    """Values of the nodes of a tree at those of its `binary_form`: the parts of a node that was split have its value.

    Smallest leaf and size tell the nodes of a tree apart, and those of its binary form.
    """
    key, sought = _keys(tree), _keys(binary)
    order = np.argsort(key)
    place = order[np.minimum(np.searchsorted(key, sought, sorter=order), key.size - 1)]
    kept = key[place] == sought
    node = np.where(kept, np.arange(binary.n_nodes), kept_parents(binary.parent, kept))
    return values[place[node]]


def _keys(tree: Tree) -> NDArray[np.int64]:
    return subtree_minima(tree.parent, np.arange(tree.n_leaves)) * (tree.n_leaves + 1) + tree.sizes
