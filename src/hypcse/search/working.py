"""A tree and its graph, laid out for the kernels that search."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from hypcse._choices import Objective
from hypcse.entropy import node_volumes
from hypcse.entropy.volumes import meeting_weights
from hypcse.graph import Graph
from hypcse.kernels.compile import read_only
from hypcse.kernels.search.descent import anneal, descend
from hypcse.kernels.search.parts import put_part, take_part
from hypcse.kernels.search.working_tree import (
    PHI,
    WEIGHT,
    Rows,
    WorkingTree,
    fill_rows,
    make_working_tree,
    read_parents,
)
from hypcse.search.recombination import Division
from hypcse.tree import Tree
from hypcse.tree.numbering import renumber

UNLIMITED = 2**62


@dataclass(frozen=True)
class Search:
    """A mutable binary tree over a graph with its vertices in the order of the tree's leaves.

    Leaves that are close in the tree are then close in memory, which is several times faster on large graphs.
    """

    tree: WorkingTree
    rows: Rows
    order: NDArray[np.int64]
    logarithmic: bool

    def value(self) -> float:
        """The objective up to a constant: sum over nodes of weight times phi(measure).

        Paper: Eq. (7) for entropy, its edges gathered at their LCAs.
        """
        return float(np.dot(self.tree.value[:, WEIGHT], self.tree.value[:, PHI]))

    def descend_in(self, part: NDArray[np.int64], n_sweeps: int, largest: int, least_gain: float) -> tuple[float, int]:
        """Descend inside a part without touching anything outside; total gain and moves made.

        The few arrays of a part stay in the cache, and parts can be searched at the same time.
        """
        first, size, inner = part.tolist()
        tree, rows = take_part(self.tree, self.rows, first, size, inner)
        rows = Rows(*read_only(*rows))
        gained, n_moves = 0.0, 0
        for _ in range(n_sweeps):
            gain, moved, _ = descend(tree, rows, 0, UNLIMITED, largest, least_gain, self.logarithmic)
            gained, n_moves = gained + gain, n_moves + moved
            if moved == 0:
                break
        put_part(self.tree, self.rows, tree, first, size, inner)
        return gained, n_moves

    def cool(self, state: NDArray[np.uint64], temperatures: NDArray[np.float64]) -> int:
        """Anneal through falling temperatures; the number of moves made. `state` holds the seed, and is written."""
        return anneal(self.tree, self.rows, temperatures, state, self.logarithmic)[1]

    def division(self) -> Division:
        """The current tree, over the vertices in their original order."""
        n = self.order.size
        placed, number = read_parents(self.tree, n)
        parent, terms = placed.copy(), np.zeros(placed.size)
        parent[self.order] = placed[:n]
        terms[number] = self.tree.value[:, WEIGHT] * self.tree.value[:, PHI]
        return Division(parent, terms)


def start_search(tree: Tree, graph: Graph, objective: Objective, weights: NDArray[np.float64] | None = None) -> Search:
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


def node_measures(tree: Tree, graph: Graph, objective: Objective) -> NDArray[np.float64]:
    """Volumes of nodes, or for Dasgupta's cost their numbers of leaves."""
    return node_volumes(tree, graph.degrees if objective == "entropy" else np.ones(tree.n_leaves))


def nodes_in_place(tree: Tree) -> NDArray[np.int64]:
    """Leaves from left to right, then internal nodes by the end of their range, inner ones first."""
    n = tree.n_leaves
    end = tree.first_positions[n:] + tree.sizes[n:]
    return np.concatenate([tree.leaf_order(), n + np.lexsort((tree.sizes[n:], end))])


def in_place(tree: Tree) -> Tree:
    """The tree with its nodes numbered in the order of `nodes_in_place`."""
    parent, height = renumber(tree.parent, tree.height, nodes_in_place(tree))
    return replace(tree, parent=parent, height=height, names=None)
