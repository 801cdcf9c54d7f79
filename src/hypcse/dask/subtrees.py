"""Disjoint subtrees of a tree, each small enough for a worker, and the tree put together again.

Entropy adds up over edges, each at the lowest common ancestor of its ends: 2 w log2(volume of that node), up to what no
tree changes. So a subtree can be searched with the edges inside it alone, if its leaves count with their whole degrees;
and so can the tree above, whose leaves are the subtrees with their volumes.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from hypcse.graph import Graph
from hypcse.kernels.trees.sweep import subtree_sums
from hypcse.search.working import in_place
from hypcse.tree import Tree
from hypcse.tree.numbering import renumber

Ids = NDArray[np.int64]


@dataclass(frozen=True)
class Subtrees:
    """A binary tree whose leaves stand in the order of their positions, and disjoint subtrees with all its leaves.

    tree  : leaf k is the leaf at position k, which is vertex `order[k]`; internal nodes are numbered by `in_place`.
    roots : (k,) the subtrees, from left to right.
    group : (k,) the group of subtrees that one worker searches; -1 if there is nothing to search.
    above : the nodes above all subtrees.
    """

    tree: Tree
    order: Ids
    roots: Ids
    group: Ids
    above: Ids

    @cached_property
    def first(self) -> Ids:
        """The first leaf of each subtree."""
        return self.tree.first_positions[self.roots]

    @cached_property
    def size(self) -> Ids:
        """Number of leaves of each subtree."""
        return self.tree.sizes[self.roots]

    @property
    def n_groups(self) -> int:
        """Number of groups."""
        return int(self.group.max(initial=-1)) + 1

    @cached_property
    def positions(self) -> Ids:
        """The position of each vertex."""
        return np.argsort(self.order)

    @cached_property
    def labels(self) -> Ids:
        """The subtree of each vertex."""
        return np.repeat(np.arange(self.roots.size), self.size)[self.positions]

    def top(self) -> Tree:
        """The tree whose leaves are the subtrees."""
        nodes = np.concatenate([self.roots, self.above])
        number = np.empty(self.tree.n_nodes, np.int64)
        number[nodes] = np.arange(nodes.size)
        parent = np.append(number[self.tree.parent[nodes[:-1]]], -1)
        return Tree(parent, np.concatenate([np.zeros(self.roots.size), self.tree.height[self.above]]))

    def joined(self, top: Tree, refined: Iterable[tuple[int, Ids]]) -> Ids:
        """Parents, over the vertices in their own order, of a tree over the subtrees, some of them new."""
        n, parent = self.order.size, self.tree.parent.copy()
        for number, local in refined:
            nodes = subtree_nodes(int(self.first[number]), int(self.size[number]), int(self.roots[number]))
            parent[nodes[:-1]] = nodes[local[:-1]]
        nodes = np.concatenate([self.roots, self.above])
        parent[nodes] = np.append(nodes[top.parent[:-1]], -1)
        inside = np.setdiff1d(np.arange(n, parent.size), self.above)
        return renumber(parent, self.tree.height, np.concatenate([self.positions, inside, self.above]))[0]


def subtree_nodes(first: int, size: int, root: int) -> Ids:
    """The leaves and the internal nodes of a subtree, children before parents, of a tree numbered by `in_place`."""
    return np.concatenate([np.arange(first, first + size), np.arange(root - size + 2, root + 1)])


def cut_subtrees(tree: Tree, counts: Ids, limit: int) -> Subtrees:
    """The largest subtrees whose leaves have at most half of `limit` entries, in groups of at most `limit`."""
    order = tree.leaf_order()
    placed, n = in_place(tree), tree.n_leaves
    load = subtree_sums(placed.parent, np.concatenate([counts[order].astype(np.float64), np.zeros(n - 1)]))
    # A leaf is a subtree whatever its entries.
    above = load > limit // 2
    above[:n] = False
    roots = np.flatnonzero(~above & np.append(above[placed.parent[:-1]], True))
    roots = roots[np.argsort(placed.first_positions[roots], kind="stable")]
    searched = placed.sizes[roots] > 2
    group = np.where(searched, np.cumsum(load[roots] * searched).astype(np.int64) // max(1, limit // 2), -1)
    # Groups are numbered without gaps.
    group[searched] = np.unique(group[searched], return_inverse=True)[1]
    return Subtrees(placed, order, roots, group, np.flatnonzero(above))


def graph_with_degrees(first: Ids, second: Ids, weights: NDArray[np.float64], degrees: NDArray[np.float64]) -> Graph:
    """The graph of edges given once each, in which self-weights bring the degrees up to those given."""
    inside = Graph.from_edges(first, second, weights, degrees.size)
    outside = np.maximum(degrees - inside.edge_degrees, 0.0)
    return Graph(inside.indptr, inside.indices, inside.weights, outside)
