"""Hierarchies with random parents (Zügner et al., ICLR 2022): where they start, their cost, and the trees in them.

A leaf takes its parent among m internal nodes by the probabilities A (n, m), an internal node by B (m, m), strictly
upper triangular; the last node is the root.
"""

from __future__ import annotations

import heapq
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor
from torch.autograd.function import once_differentiable

from hypcse.entropy import lca_weights
from hypcse.graph import Graph
from hypcse.search import graph_linkage
from hypcse.search.binary import searched_tree
from hypcse.search.compression import keep_nodes
from hypcse.tree import Tree
from hypcse.tree.numbering import keep_leaves


def soft_tree(A: Tensor, B: Tensor) -> tuple[Tensor, Tensor]:
    """Ancestors from the probabilities of parents. O(n m^2 + m^3).

    above : (n, m) probability that a node is an ancestor of a leaf, P = A (I - B)^-1.
    twice : (m, m) probability that two walks up from x both come by y: the squares of (I - B)^-1, a unit triangle.
    """
    eye = torch.eye(B.shape[0], dtype=B.dtype)
    reach = torch.linalg.solve_triangular(eye - B, eye, upper=True, unitriangular=True)
    return A @ reach, reach.square()


def soft_dasgupta(A: Tensor, B: Tensor, weights: Tensor) -> Tensor:
    """Expected leaves under the LCA of a random edge, sum_uv w_uv sum_x Pr(x = LCA(u, v)) sum_u P_ux."""
    # Pr(x = LCA) solves P_ux P_vx = sum_y Pr(y = LCA) twice_yx.
    above, twice = soft_tree(A, B)
    solved = torch.linalg.solve_triangular(twice, above.sum(0).unsqueeze(1), upper=True, unitriangular=True)
    return torch.dot(_Together.apply(above, weights), solved.squeeze(1))


class _Together(torch.autograd.Function):
    """sum_uv w_uv P_ux P_vx for every x: the product W P, made once, gives the value and the gradient. O(edges m)."""

    @staticmethod
    def forward(ctx: Any, above: Tensor, weights: Tensor) -> Tensor:
        spread = weights @ above
        ctx.save_for_backward(spread)
        return (above * spread).sum(0)

    @staticmethod
    @once_differentiable
    def backward(ctx: Any, upstream: Tensor) -> tuple[Tensor, None]:
        return 2 * ctx.saved_tensors[0] * upstream, None


def certain_parents(tree: Tree) -> tuple[Tensor, Tensor]:
    """A (n, m) and B (m, m) of one tree: each row has a 1 at the parent, except the last of B, the root's."""
    n, m = tree.n_leaves, tree.n_nodes - tree.n_leaves
    A, B = torch.zeros(n, m), torch.zeros(m, m)
    parent = torch.from_numpy(tree.parent - n)
    A[torch.arange(n), parent[:n]] = 1
    B[torch.arange(m - 1), parent[n:-1]] = 1
    return A, B


def edge_probabilities(graph: Graph) -> Tensor:
    """The weights without loops as a sparse matrix whose entries add up to 1."""
    edges, size = graph.without_loops().to_tensors(), (graph.n_vertices, graph.n_vertices)
    share = torch.from_numpy(graph.weights / graph.weights.sum()).float()
    return torch.sparse_coo_tensor(edges.index, share, size, check_invariants=True, is_coalesced=True)


def start_logits(certain: Tensor, certainty: float) -> Tensor:
    """Logits that are `certainty` at the given parents; square ones are minus infinity on and below the diagonal."""
    n, m = certain.shape
    other = (1 - certainty) / max(m - 1, 1)
    logits = torch.log(certain * (certainty - other) + other)
    if n == m:
        logits = logits.masked_fill(torch.ones(m, m, dtype=torch.bool).tril(), -torch.inf)
    return logits


def draw_parents(logits: Tensor, draws: torch.Generator) -> Tensor:
    """Rows with a 1 at a parent drawn by softmax(logits), zeros where none is possible; the gradient is softmax's."""
    noise = -torch.log(torch.empty_like(logits).exponential_(generator=draws))
    possible = torch.isfinite(logits)
    rows = possible.any(1, keepdim=True)
    noisy = torch.where(rows, logits + noise, 0)
    soft = torch.where(rows, torch.softmax(noisy, dim=1), 0)
    hard = torch.zeros_like(soft).scatter(1, noisy.argmax(1, keepdim=True), 1.0) * rows
    return hard + (soft - soft.detach())


def start_tree(graph: Graph, n_internal: int, unit_weights: bool) -> Tree:
    """Average linkage on the graph, or on its edges with weight 1, contracted to this many internal nodes."""
    i, j, _ = graph.edges()
    linked = Graph.from_edges(i, j, n=graph.n_vertices) if unit_weights and graph.n_edges else graph
    return contract(graph_linkage(linked, "average"), graph, n_internal)


def contract(tree: Tree, graph: Graph, n_internal: int) -> Tree:
    """The tree with internal nodes contracted into their parents, smallest rise of Dasgupta's cost first."""
    # The rise, (weight that meets at x) (|p| - |x|), never falls: a heap checked when popped is exact.
    weight, size = lca_weights(tree, graph), tree.sizes
    above = tree.parent.copy()
    selected = np.ones(tree.n_nodes, np.bool_)

    def rise(node: int) -> float:
        while not selected[above[node]]:
            above[node] = above[above[node]]
        return float(weight[node] * (size[above[node]] - size[node]))

    heap = [(rise(node), node) for node in range(tree.n_leaves, tree.root)]
    heapq.heapify(heap)
    excess = tree.n_nodes - tree.n_leaves - n_internal
    while excess > 0:
        cost, node = heapq.heappop(heap)
        now = rise(node)
        if now > cost:
            heapq.heappush(heap, (now, node))
            continue
        selected[node] = False
        weight[above[node]] += weight[node]
        excess -= 1
    return keep_nodes(tree, selected)


def likeliest_tree(parents: NDArray[np.int64], graph: Graph) -> Tree:
    """The tree of these parents, without nodes that have no leaf or one child; the last internal node is the root."""
    n, parent = graph.n_vertices, parents + graph.n_vertices
    parent[-1] = -1
    pruned, _ = keep_leaves(parent, np.zeros(parent.size), np.ones(n, np.bool_))
    return searched_tree(pruned, graph.degrees)


class Search:
    """The best of the trees offered; `best` is its value: leaves under the LCA of a random edge."""

    def __init__(self, graph: Graph, start: Tree) -> None:
        self.graph, self.weights = graph, edge_probabilities(graph)
        self.tree, self.best = start, self.value(start)
        self.offered: NDArray[np.int64] | None = None

    def value(self, tree: Tree) -> float:
        meeting = lca_weights(tree, self.graph)
        return float(np.dot(meeting, tree.sizes) / meeting.sum())

    def offer(self, A: Tensor, B: Tensor) -> None:
        parents = torch.cat([A.detach().argmax(1), B.detach().argmax(1)]).numpy()
        if self.offered is not None and np.array_equal(parents, self.offered):
            return
        self.offered = parents
        tree = likeliest_tree(parents, self.graph)
        value = self.value(tree)
        if value < self.best:
            self.best, self.tree = value, tree
