"""A tree and its graph, laid out for the kernels that search; and the best of two trees."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from hypcse._choices import Objective
from hypcse.entropy import node_volumes
from hypcse.entropy.volumes import meeting_weights
from hypcse.graph import Graph
from hypcse.kernels.arrays import Ids, Reals
from hypcse.kernels.compile import read_only
from hypcse.kernels.search.descent import anneal, descend
from hypcse.kernels.search.working_tree import (
    Rows,
    WorkingTree,
    fill_rows,
    make_working_tree,
    put_part,
    read_parents,
    take_part,
)
from hypcse.kernels.trees.sweep import inherit_values, layout, shared_nodes
from hypcse.tree import Tree
from hypcse.tree.numbering import renumber

PART = 10_000_000
"""Time and callback are checked after this many steps of walking."""


class Division(NamedTuple):
    """A binary tree with children before parents, and what each node adds to the objective, up to a factor."""

    parent: Ids
    terms: Reals


@dataclass(frozen=True)
class Search:
    """A mutable binary tree over a graph with its vertices in the order of its leaves, so that memory is close too."""

    tree: WorkingTree
    rows: Rows
    order: Ids
    logarithmic: bool

    def value(self) -> float:
        """The objective up to a constant, for entropy Eq. (7): sum over nodes of weight times phi(measure)."""
        return float(np.dot(self.tree.value["weight"], self.tree.value["phi"]))

    def descend_in(
        self, part: Ids, n_sweeps: int, largest: int, least_gain: float, is_stopped: Callable[[], bool]
    ) -> tuple[float, int]:
        """Descend inside a copy of a part, so that its memory is close, and put it back; gain and moves made."""
        first, size, inner = part.tolist()
        tree, rows = take_part(self.tree, self.rows, first, size, inner)
        rows = Rows(*read_only(*rows))
        gained, n_moves, n_nodes = 0.0, 0, tree.link.shape[0]
        for _ in range(n_sweeps):
            before, node = n_moves, 0
            while node < n_nodes and not is_stopped():
                gain, moved, node = descend(tree, rows, node, PART, largest, least_gain, self.logarithmic)
                gained, n_moves = gained + gain, n_moves + moved
            if n_moves == before:
                break
        put_part(self.tree, self.rows, tree, first, size, inner)
        return gained, n_moves

    def cool(self, state: NDArray[np.uint64], temperatures: Reals) -> int:
        """Anneal through falling temperatures; the number of moves made. `state` holds the seed, and is written."""
        return anneal(self.tree, self.rows, temperatures, state, self.logarithmic)[1]

    def division(self) -> Division:
        """The current tree, over the vertices in their original order."""
        n = self.order.size
        placed, number = read_parents(self.tree, n)
        parent, terms = placed.copy(), np.zeros(placed.size)
        parent[self.order] = placed[:n]
        terms[number] = self.tree.value["weight"] * self.tree.value["phi"]
        return Division(parent, terms)


def start_search(tree: Tree, graph: Graph, objective: Objective, weights: Reals | None = None) -> Search:
    """Lay out a binary tree and its graph. `weights` are the `meeting_weights`, if known."""
    n, logarithmic = tree.n_leaves, objective == "entropy"
    nodes = nodes_in_place(tree)
    order = nodes[:n]
    position = np.empty(n, np.int64)
    position[order] = np.arange(n)
    weights = meeting_weights(tree, graph) if weights is None else weights
    measure = node_measures(tree, graph, objective)
    parent, _ = renumber(tree.parent, tree.height, nodes)
    working = make_working_tree(parent, measure[nodes], weights[nodes], logarithmic)
    indptr = np.append(0, np.cumsum(np.diff(graph.indptr)[order]))
    rows = Rows(indptr, np.empty(graph.indices.size, np.int32), np.empty(graph.indices.size))
    fill_rows(Rows(graph.indptr, graph.indices, graph.weights), order, position, *rows)
    return Search(working, Rows(*read_only(*rows)), order, logarithmic)


def node_measures(tree: Tree, graph: Graph, objective: Objective) -> Reals:
    """Volumes of nodes, or for Dasgupta's cost their numbers of leaves."""
    return node_volumes(tree, graph.degrees if objective == "entropy" else np.ones(tree.n_leaves))


def nodes_in_place(tree: Tree) -> Ids:
    """Leaves from left to right, then internal nodes by the end of their range, inner ones first."""
    n = tree.n_leaves
    end = tree.first_positions[n:] + tree.sizes[n:]
    return np.concatenate([tree.leaf_order(), n + np.lexsort((tree.sizes[n:], end))])


def in_place(tree: Tree) -> Tree:
    """The tree with its nodes numbered in the order of `nodes_in_place`."""
    parent, height = renumber(tree.parent, tree.height, nodes_in_place(tree))
    return replace(tree, parent=parent, height=height, names=None)


def recombine(one: Division, other: Division) -> Division:
    """A tree from the pieces of two, with an objective no higher than that of either. O(n log n).

    Clusters of both trees divide them into the same pieces: what lies below one shared cluster and not below a smaller
    one. Each piece is taken from the tree in which its terms sum to less.
    """
    n_nodes = one.parent.size
    n = (n_nodes + 1) // 2
    shared, other_shared = shared_nodes(one.parent, other.parent, n)
    # From here on both trees stand side by side, nodes of the other from `n_nodes` on.
    pieces, cost = np.full(2 * n_nodes, -1), np.empty((2, n_nodes))
    pieces[shared] = pieces[n_nodes + other_shared] = shared
    for k, side in enumerate((one, other)):
        own = slice(k * n_nodes, (k + 1) * n_nodes)
        pieces[own] = inherit_values(side.parent, pieces[own])
        cost[k] = np.bincount(pieces[own], side.terms, n_nodes)
    # Rounding does not choose between equal pieces.
    is_other = cost[1] < cost[0] - 1e-9 * np.abs(cost[0])
    taken = is_other[pieces] == (np.arange(2 * n_nodes) >= n_nodes)
    # A shared cluster has one number in both.
    number = np.arange(2 * n_nodes)
    number[n_nodes + other_shared] = shared
    parent, terms = np.full(2 * n_nodes, -2), np.zeros(2 * n_nodes)
    terms[number[taken]] = np.concatenate([one.terms, other.terms])[taken]
    parents = np.concatenate([one.parent, np.append(n_nodes + other.parent[:-1], -1)])
    below = np.flatnonzero((parents >= 0) & taken[parents])
    parent[number[below]] = number[parents[below]]
    parent[n_nodes - 1] = -1
    # Smaller nodes first, so that children precede their parents.
    used = np.flatnonzero(parent != -2)
    sizes = np.concatenate([layout(side.parent, n)[0] for side in (one, other)])
    order = used[np.argsort(sizes[used], kind="stable")]
    number[order] = np.arange(order.size)
    return Division(np.append(number[parent[order[:-1]]], -1), terms[order])
