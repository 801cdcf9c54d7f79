"""The top of a tree, down to given clusters."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from hypcse.kernels.trees.sweep import pruned_parents, subtree_minima
from hypcse.tree.numbering import keep_leaves
from hypcse.tree.tree import Tree


class Outline(NamedTuple):
    """The top of a tree; its leaf k is cluster k.

    tree : the top itself, leaves at height 0.
    node : (n_nodes,) the node of the whole tree that each of its nodes is.
    """

    tree: Tree
    node: NDArray[np.int64]


def outline(tree: Tree, clusters: NDArray[np.int64]) -> Outline:
    """The tree down to clusters (labels from 0, outliers -1). O(n).

    Each cluster must be the leaves of one node, or of one and of smaller ones elsewhere, its strays; it stands where
    the largest is.

    >>> whole = Tree.from_newick("(((0,1),(2,3)),4);")
    >>> outline(whole, whole.cut(n_clusters=3)).tree.to_newick()
    '(2:3.0,(0:2.0,1:2.0):1.0);'
    """
    first = subtree_minima(tree.parent, clusters)
    inside = first == -subtree_minima(tree.parent, -clusters)
    tops = inside.copy()
    tops[:-1] &= ~inside[tree.parent[:-1]]
    found = np.flatnonzero(tops)
    found = found[np.lexsort((-tree.sizes[found], first[found]))]
    label, size = first[found], tree.sizes[found]
    begins = (label >= 0) & (label != np.roll(label, 1))
    begins[0] = label[0] >= 0
    alike = begins[:-1] & (label[1:] == label[:-1]) & (size[1:] == size[:-1])
    if alike.any() or not np.array_equal(label[begins], np.arange(int(clusters.max()) + 1)):
        raise ValueError("these clusters are not nodes of the tree. Pass labels of a cut of the tree.")
    node = np.concatenate([found[begins], found[~begins], np.flatnonzero(~inside)])
    number = np.full(tree.n_nodes, -1)
    number[node] = np.arange(node.size)
    above = tree.parent[node]
    height = np.where(inside[node], 0.0, tree.height[node])
    parent = np.where(above >= 0, number[above], -1)
    shown = np.arange(found.size) < np.count_nonzero(begins)
    if not shown.all():
        node = node[pruned_parents(parent, shown) != -2]
        parent, height = keep_leaves(parent, height, shown)
    return Outline(Tree(parent, height), node)
