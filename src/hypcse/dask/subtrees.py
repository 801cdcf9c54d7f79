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
from hypcse.search.run import in_place
from hypcse.tree import Tree

Ids = NDArray[np.int64]


@dataclass(frozen=True)
class Subtrees:
    """A binary tree whose leaves stand in the order of their positions, and disjoint subtrees with all its leaves.

    tree  : leaf k is the leaf at position k, which is vertex `order[k]`.
    roots : (k,) the subtrees, from left to right.
    group : (k,) the group of subtrees that one worker searches; -1 where there is nothing to search.
    """

    tree: Tree
    order: Ids
    roots: Ids
    group: Ids

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

    def labels(self) -> Ids:
        """The subtree of each vertex."""
        return self._by_vertex(np.repeat(np.arange(self.roots.size), self.size))

    def positions(self) -> Ids:
        """The position of each vertex."""
        return self._by_vertex(np.arange(self.order.size))

    def _by_vertex(self, values: Ids) -> Ids:
        placed = np.empty_like(values)
        placed[self.order] = values
        return placed

    def top(self) -> Tree:
        """The tree whose leaves are the subtrees."""
        parent = self.tree.parent
        above = np.ones(self.tree.n_nodes, np.bool_)
        above[: self.order.size] = False
        for root, size in zip(self.roots.tolist(), self.size.tolist(), strict=True):
            above[max(root - size + 2, self.order.size) : root + 1] = False
        kept = np.concatenate([self.roots, np.flatnonzero(above)])
        number = np.full(self.tree.n_nodes, -1)
        number[kept] = np.arange(kept.size)
        upper = parent[kept]
        height = np.concatenate([np.zeros(self.roots.size), self.tree.height[kept[self.roots.size :]]])
        return Tree(np.where(upper >= 0, number[upper], -1), height)

    def joined(self, top: Tree, found: Iterable[tuple[int, Ids]]) -> Ids:
        """Parents, over the vertices in their own order, of a tree over the subtrees, some of them new."""
        n, parents = self.order.size, dict(found)
        parent = np.full(2 * n - 1, -1)
        begins = n + np.cumsum(self.size - 1) - (self.size - 1)
        ends = np.where(self.size > 1, begins + self.size - 2, self.first)
        for number, (first, size) in enumerate(zip(self.first.tolist(), self.size.tolist(), strict=True)):
            if size > 1:
                local = parents.get(number)
                local = self.parents_of(number) if local is None else local
                named = np.where(local >= 0, local - size + begins[number], -1)
                parent[first : first + size] = named[:size]
                parent[begins[number] : begins[number] + size - 1] = named[size:]
        upper = n + int((self.size - 1).sum()) - self.roots.size
        parent[ends] = np.where(top.parent[: self.roots.size] >= 0, top.parent[: self.roots.size] + upper, -1)
        inner = top.parent[self.roots.size :]
        parent[upper + self.roots.size :] = np.where(inner >= 0, inner + upper, -1)
        by_vertex = parent.copy()
        by_vertex[self.order] = parent[:n]
        return by_vertex

    def parents_of(self, number: int) -> Ids:
        """Parents of a subtree by itself."""
        first, size = int(self.first[number]), int(self.size[number])
        return local_parents(self.tree.parent, first, size, int(self.roots[number]))


def local_parents(parent: Ids, first: int, size: int, root: int) -> Ids:
    """Parents of a subtree of two leaves or more by itself, of a tree as `in_place` numbers it."""
    inner = root - size + 2
    local = np.concatenate([parent[first : first + size], parent[inner : root + 1]]) - inner + size
    local[-1] = -1
    return local


def cut_subtrees(tree: Tree, counts: Ids, limit: int) -> Subtrees:
    """The largest subtrees whose leaves have at most half of `limit` entries, in groups of at most `limit`."""
    order = tree.leaf_order()
    placed, n = in_place(tree, order), tree.n_leaves
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
    return Subtrees(placed, order, roots, group)


def graph_with_degrees(first: Ids, second: Ids, weights: NDArray[np.float64], degrees: NDArray[np.float64]) -> Graph:
    """The graph of edges given once each, in which self-weights bring the degrees up to those given."""
    inside = Graph.from_edges(first, second, weights, degrees.size)
    outside = np.maximum(degrees - inside.edge_degrees, 0.0)
    return Graph(inside.indptr, inside.indices, inside.weights, outside)
