"""The top of a tree, down to given clusters."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from hypcse.kernels.trees.sweep import kept_parents, subtree_minima, subtree_sums
from hypcse.tree.tree import Tree


class Outline(NamedTuple):
    """The top of a tree; its leaf k is cluster k.

    tree : the top itself, leaves at height 0.
    node : (n_nodes,) the node of the whole tree that each of its nodes is.
    """

    tree: Tree
    node: NDArray[np.int64]


def outline(tree: Tree, clusters: NDArray[np.int64]) -> Outline:
    """The tree down to clusters (labels from 0, -1 for outliers). O(n).

    A cluster is the largest node that has leaves of no other cluster. Leaves of the cluster elsewhere, its strays, are
    left out.

    >>> whole = Tree.from_newick("(((0,1),(2,3)),4);")
    >>> outline(whole, whole.cut(n_clusters=3)).tree.to_newick()
    '(2:3.0,(0:2.0,1:2.0):1.0);'
    >>> outline(whole, np.array([0, 0, 1, -1, 0])).tree.to_newick()
    '(0:2.0,1:2.0);'
    """
    tops = _largest_nodes(tree, clusters)
    above = np.zeros(tree.n_nodes)
    above[tops] = 1
    branches = np.flatnonzero(subtree_sums(tree.parent, above)[:-1] > 0)
    joins = np.bincount(tree.parent[branches], minlength=tree.n_nodes) > 1
    node = np.concatenate([tops, np.flatnonzero(joins)])
    number = np.full(tree.n_nodes, -1)
    number[node] = np.arange(node.size)
    marks = number >= 0
    marks[-1] = True
    parent = kept_parents(tree.parent, marks)[node]
    height = np.where(np.arange(node.size) < tops.size, 0.0, tree.height[node])
    return Outline(Tree(np.where(parent >= 0, number[parent], -1), height), node)


def _largest_nodes(tree: Tree, clusters: NDArray[np.int64]) -> NDArray[np.int64]:
    """For each cluster, the largest node that has leaves of no other."""
    clustered = clusters >= 0
    above = int(clusters.max()) + 1
    first = subtree_minima(tree.parent, np.where(clustered, clusters, above))
    pure = first == -subtree_minima(tree.parent, np.where(clustered, -clusters, 1))
    tops = pure.copy()
    tops[:-1] &= ~pure[tree.parent[:-1]]
    found = np.flatnonzero(tops)
    found = found[np.lexsort([-tree.sizes[found], first[found]])]
    largest = np.append(True, first[found[1:]] != first[found[:-1]])
    second = np.append(False, largest[:-1]) & ~largest
    if not clustered.any() or (tree.sizes[found[second]] == tree.sizes[found[np.flatnonzero(second) - 1]]).any():
        raise ValueError("these clusters are not nodes of the tree. Pass labels of a cut of the tree.")
    return found[largest]
