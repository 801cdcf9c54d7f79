"""The best of two trees: each cluster that both have is divided as in the one where that is cheaper."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from hypcse._choices import Objective
from hypcse.entropy import node_volumes
from hypcse.entropy.volumes import meeting_weights
from hypcse.graph import Graph
from hypcse.kernels.trees.sweep import children_first, inherit_values, subtree_minima
from hypcse.search.binary import searched_tree
from hypcse.tree import Tree


def recombine(tree: Tree, other: Tree, graph: Graph, objective: Objective) -> Tree:
    """A binary tree from the pieces of two, with an objective no higher than that of either.

    Shared clusters divide both trees into the same pieces: a piece is what lies below one shared cluster and not below
    a smaller one. The objective is a sum over nodes whose terms depend only on the leaves under a node and under its
    children, so each piece is taken from the tree in which its terms sum to less. O(n log n + m).

    Examples
    --------
    >>> path = Graph.from_edges([0, 1, 2], [1, 2, 3])
    >>> left, right = Tree.from_newick("((0,1),(2,3));"), Tree.from_newick("(((0,1),2),3);")
    >>> recombine(right, left, path, "entropy").cut(n_clusters=2).tolist()
    [0, 0, 1, 1]
    """
    twins = shared_clusters(tree, other)
    own = np.full(tree.n_nodes, -1)
    own[twins[twins >= 0]] = twins[twins >= 0]
    sides = (tree, inherit_values(tree.parent, own)), (other, inherit_values(other.parent, twins))
    cost, other_cost = (np.bincount(piece, _terms(side, graph, objective), tree.n_nodes) for side, piece in sides)
    # Rounding does not choose between equal pieces.
    is_other = other_cost < cost - 1e-12 * np.abs(cost)
    # Nodes of the other tree come after those of the first, except that shared clusters have one number.
    numbers = np.arange(tree.n_nodes), np.where(twins >= 0, twins, tree.n_nodes + np.arange(other.n_nodes))
    parent = np.full(tree.n_nodes + other.n_nodes, -2)
    parent[tree.n_nodes - 1] = -1
    for (side, piece), number, is_from_other in zip(sides, numbers, (False, True), strict=True):
        taken = np.flatnonzero(is_other[piece[side.parent[:-1]]] == is_from_other)
        parent[number[taken]] = number[side.parent[taken]]
    used = parent != -2
    new_id = np.cumsum(used) - 1
    above = parent[used]
    return searched_tree(children_first(np.where(above >= 0, new_id[above], -1), tree.n_leaves), graph)


def shared_clusters(tree: Tree, other: Tree) -> NDArray[np.int64]:
    """For each node of the other tree the node of this tree over the same leaves, or -1. O(n log n)."""
    n = tree.n_leaves
    position = np.empty(n, np.int64)
    position[tree.leaf_order()] = np.arange(n)
    # A cluster of the other tree can be one of this tree only if its leaves stand side by side in it.
    first, last = subtree_minima(other.parent, position), -subtree_minima(other.parent, -position)
    keys = np.where(last - first + 1 == other.sizes, first * (n + 1) + other.sizes, -1)
    twins = np.full(other.n_nodes, -1)
    _, nodes, others = np.intersect1d(tree.first_positions * (n + 1) + tree.sizes, keys, return_indices=True)
    twins[others] = nodes
    return twins


def _terms(tree: Tree, graph: Graph, objective: Objective) -> NDArray[np.float64]:
    """What each node adds to the objective, up to a factor and a constant."""
    weights = meeting_weights(tree, graph)
    if objective == "dasgupta":
        return weights * tree.sizes
    volumes = node_volumes(tree, graph.degrees)
    return weights * np.log2(volumes, where=volumes > 0, out=np.zeros_like(volumes))
