"""Shared by FPH and EPH: the losses on a graph, the start, and the best tree so far."""

from __future__ import annotations

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from hypcse.entropy import lca_weights
from hypcse.graph import Graph
from hypcse.methods.probabilistic.objective import soft_dasgupta, soft_divergence
from hypcse.methods.probabilistic.start import likeliest_tree, tree_sampling_divergence
from hypcse.tree import Tree


class Search:
    """Trees on a graph by one of two objectives, "dasgupta" or "divergence", and the best of those offered.

    best : its objective, lower is better: leaves under the LCA of a random edge, or minus the divergence.
    """

    def __init__(self, graph: Graph, start: Tree, objective: str) -> None:
        self.graph, self.objective = graph, objective
        self.weights = _edge_probabilities(graph)
        self.tree, self.best = start, self.value(start)
        self.offered: NDArray[np.int64] | None = None

    def value(self, tree: Tree) -> float:
        """The objective of one tree."""
        if self.objective == "divergence":
            return -tree_sampling_divergence(tree, self.graph)
        meeting = lca_weights(tree, self.graph)
        return float(np.dot(meeting, tree.sizes) / meeting.sum())

    def loss(self, A: Tensor, B: Tensor) -> Tensor:
        """The objective of a random hierarchy."""
        if self.objective == "divergence":
            return -soft_divergence(A, B, self.weights)
        return soft_dasgupta(A, B, self.weights)

    def offer(self, A: Tensor, B: Tensor) -> None:
        """Keep the tree of the likeliest parents if it is the best so far."""
        parents = torch.cat([A.detach().argmax(1), B.detach().argmax(1)]).numpy()
        if self.offered is not None and np.array_equal(parents, self.offered):
            return
        self.offered = parents
        tree = likeliest_tree(parents[: len(A)], parents[len(A) :], self.graph)
        value = self.value(tree)
        if value < self.best:
            self.best, self.tree = value, tree


def certain_parents(tree: Tree) -> tuple[Tensor, Tensor]:
    """A (n, m) and B (m, m) of one tree: each row has a 1 at the parent, except the last of B, the root's."""
    n, m = tree.n_leaves, tree.n_nodes - tree.n_leaves
    A, B = torch.zeros(n, m), torch.zeros(m, m)
    parent = torch.from_numpy(tree.parent - n)
    A[torch.arange(n), parent[:n]] = 1
    B[torch.arange(m - 1), parent[n:-1]] = 1
    return A, B


def _edge_probabilities(graph: Graph) -> Tensor:
    """The weights without loops as a sparse matrix whose entries add up to 1."""
    rows = np.repeat(np.arange(graph.n_vertices), np.diff(graph.indptr))
    index = torch.from_numpy(np.stack([rows, graph.indices.astype(np.int64)]))
    share = torch.from_numpy(graph.weights / graph.weights.sum()).float()
    size = graph.n_vertices, graph.n_vertices
    return torch.sparse_coo_tensor(index, share, size, check_invariants=True, is_coalesced=True)
