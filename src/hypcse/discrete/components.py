"""The parts of a tree inside the components of a graph, and the part above them."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from hypcse.discrete.cuts import binary_form
from hypcse.kernels.trees.induced import induced_forest
from hypcse.tree import Tree
from hypcse.tree.numbering import renumber
from hypcse.tree.outline import outline


def top_of(tree: Tree, components: NDArray[np.int64]) -> Tree | None:
    """The binary tree above components, its leaf k being component k; None where a component is not a node."""
    try:
        return binary_form(outline(tree, components).tree)
    except ValueError:
        return None


def with_top(tree: Tree, components: NDArray[np.int64], top: Tree, *, lift: bool) -> Tree:
    """The tree inside components, each over its own leaves alone, and `top` above, whose leaf k is component k.

    Heights inside stay. Those of the top are multiplied by one number, so that all of them stand above every component;
    unless `lift`, only where one would otherwise stand below a component of its own. O(n).
    """
    order = np.lexsort((tree.first_positions[: tree.n_leaves], components))
    parent, origin, roots = induced_forest(order, components, tree.lca(order[:-1], order[1:]))
    n_parts, n_inside = top.n_leaves, parent.size
    parent[roots] = n_inside + top.parent[:n_parts] - n_parts
    above = top.parent[n_parts:]
    parent = np.concatenate([parent, np.where(above >= 0, n_inside + above - n_parts, -1)])
    inside = tree.height[origin]
    stands = (top.height[top.parent[:n_parts]] >= inside[roots]).all()
    upper = top.height[n_parts:] if stands and not lift else _above(float(inside[roots].max()), top.height[n_parts:])
    height = np.concatenate([inside, upper])
    # Of equal heights the one that lay lower in its own tree comes first, so that children precede their parents.
    rank = np.concatenate([origin, tree.n_nodes + np.arange(above.size)])
    inner = tree.n_leaves + np.lexsort((rank[tree.n_leaves :], height[tree.n_leaves :]))
    return Tree(*renumber(parent, height, np.concatenate([np.arange(tree.n_leaves), inner])), tree.names)


def _above(floor: float, height: NDArray[np.float64]) -> NDArray[np.float64]:
    """Heights in the same ratios, the lowest positive one at one above the floor; those of 0 at the floor."""
    positive = height[height > 0]
    if positive.size == 0:
        return np.full(height.size, floor)
    unit = (floor + 1) / float(positive.min()) if floor > 0 else 1.0
    return np.maximum(height * unit, floor)
