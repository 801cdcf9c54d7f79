"""Splits a tree into the trees inside given parts and the tree above them, and puts them together."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from hypcse.discrete.binary import binary_form
from hypcse.discrete.heights import volume_heights
from hypcse.graph import Graph
from hypcse.kernels.trees.induced import induced_forest
from hypcse.tree import Tree
from hypcse.tree.numbering import renumber
from hypcse.tree.outline import outline


def top_of(tree: Tree, parts: NDArray[np.int64]) -> Tree:
    """The binary tree above parts (labels from 0, each the leaves of a node); its leaf k is part k."""
    return binary_form(outline(tree, parts).tree)


def with_top(tree: Tree, graph: Graph, parts: NDArray[np.int64], top: Tree) -> Tree:
    """The tree inside parts (labels from 0), each over its own leaves only, with `top` above; leaf k of `top` is part
    k.

    Nodes inside keep their heights; volume heights, as a search leaves them, are computed again. The top lies above any
    volume height, so that the two cannot be confused: if it does not, its heights are multiplied by one number. O(n).
    """
    n, n_parts = tree.n_leaves, top.n_leaves
    order = np.lexsort((tree.first_positions[:n], parts))
    inner, origin, roots = induced_forest(order, parts, tree.lca(order[:-1], order[1:]))
    n_inside = inner.size
    inner[roots] = n_inside + top.parent[:n_parts] - n_parts
    above = top.parent[n_parts:]
    parent = np.concatenate([inner, np.where(above >= 0, n_inside + above - n_parts, -1)])
    # The order of the original tree, so that children precede their parents.
    nodes = np.concatenate([np.arange(n), n + np.argsort(origin[n:], kind="stable"), n_inside + np.arange(above.size)])
    parent, _ = renumber(parent, np.zeros(parent.size), nodes)
    volume = volume_heights(parent, graph)
    inside = volume[:n_inside] if _was_searched(tree, graph) else tree.height[origin[nodes[:n_inside]]]
    height = np.concatenate([inside, _above(max(float(volume[-1]), float(inside.max())), top.height[n_parts:])])
    by_height = np.concatenate([np.arange(n), n + np.argsort(height[n:], kind="stable")])
    return Tree(*renumber(parent, height, by_height), tree.names)


def _was_searched(tree: Tree, graph: Graph) -> bool:
    """Whether a tree has volume heights, except for a top above all of them."""
    volume = volume_heights(tree.parent, graph)
    return bool(((tree.height > volume[-1]) | np.isclose(tree.height, volume, rtol=1e-9, atol=1e-9)).all())


def _above(floor: float, height: NDArray[np.float64]) -> NDArray[np.float64]:
    """Heights unchanged if all lie above the floor, else in the same ratios with the lowest at one above it.

    Heights of 0, which no ratio moves, lie half-way between.
    """
    if height.min() > floor:
        return height
    positive = height[height > 0]
    unit = max(1.0, (floor + 1) / float(positive.min())) if positive.size else 1.0
    return np.where(height > 0, height * unit, floor + 0.5)
