"""A tree taken apart into what lies inside given parts and what lies above them, and put together."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from hypcse.discrete.binary import binary_form
from hypcse.kernels.trees.induced import induced_forest
from hypcse.tree import Tree
from hypcse.tree.numbering import renumber
from hypcse.tree.outline import outline


def top_of(tree: Tree, parts: NDArray[np.int64]) -> Tree:
    """The binary tree above parts (labels from 0, each the leaves of a node), its leaf k being part k."""
    return binary_form(outline(tree, parts).tree)


def with_top(tree: Tree, parts: NDArray[np.int64], top: Tree) -> Tree:
    """The tree inside parts (labels from 0), each over its own leaves alone, and `top` above, whose leaf k is part k.

    Heights inside stay. Those of the top stay where all of them lie above every part; otherwise they are multiplied by
    one number, so that they do. O(n).
    """
    order = np.lexsort((tree.first_positions[: tree.n_leaves], parts))
    parent, origin, roots = induced_forest(order, parts, tree.lca(order[:-1], order[1:]))
    n_parts, n_inside = top.n_leaves, parent.size
    parent[roots] = n_inside + top.parent[:n_parts] - n_parts
    above = top.parent[n_parts:]
    parent = np.concatenate([parent, np.where(above >= 0, n_inside + above - n_parts, -1)])
    inside = tree.height[origin]
    upper = _above(float(inside[roots].max()), top.height[n_parts:])
    height = np.concatenate([inside, upper])
    # Of equal heights the one that lay lower in its own tree comes first, so that children precede their parents.
    rank = np.concatenate([origin, tree.n_nodes + np.arange(above.size)])
    inner = tree.n_leaves + np.lexsort((rank[tree.n_leaves :], height[tree.n_leaves :]))
    return Tree(*renumber(parent, height, np.concatenate([np.arange(tree.n_leaves), inner])), tree.names)


def _above(floor: float, height: NDArray[np.float64]) -> NDArray[np.float64]:
    """Heights in the same ratios, the lowest positive one at one above the floor or higher; those of 0 at the floor."""
    positive = height[height > 0]
    if positive.size == 0:
        return np.full(height.size, floor)
    unit = max(1.0, (floor + 1) / float(positive.min())) if floor > 0 else 1.0
    return np.maximum(height * unit, floor)
