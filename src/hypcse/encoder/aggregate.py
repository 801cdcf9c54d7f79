"""Aggregation over the neighbourhood of a vertex, Eq. (11)."""

from __future__ import annotations

import math

import torch
from torch import Tensor, nn

from hypcse.encoder.linear import LorentzLinear
from hypcse.graph.matrix import MatrixGraph
from hypcse.graph.tensors import EdgeTensors
from hypcse.hyperbolic.lorentz import distance, project


def mean_aggregation(x: Tensor, edges: EdgeTensors | MatrixGraph) -> Tensor:
    """Weighted sum of the neighbours, projected to the hyperboloid: Eq. (11) with the edge weights as w.

    A vertex is not its own neighbour unless the edges hold loops; one without neighbours keeps its point.
    """
    return project(torch.where(edges.lonely.unsqueeze(-1), x, edges.aggregate(x)))


class AttentionAggregation(nn.Module):
    """Eq. (11): weights exp(-d^2(q_i, k_j) / sqrt(dim)), normalised over the neighbourhood of i."""

    def __init__(self, dim: int, generator: torch.Generator) -> None:
        super().__init__()
        self.query = LorentzLinear(dim, dim, generator)
        self.key = LorentzLinear(dim, dim, generator)

    def forward(self, x: Tensor, edges: EdgeTensors) -> Tensor:
        """Points of the same hyperboloid."""
        row, column = edges.index
        score = _scores(self.query(x)[row], self.key(x)[column])
        top = score.new_full((edges.n_vertices,), -torch.inf).scatter_reduce(0, row, score.detach(), "amax")
        share = torch.exp(score - top[row])
        total = share.new_zeros(edges.n_vertices).index_add(0, row, share)
        return mean_aggregation(x, edges.with_weight(share / total[row]))

    def shares(self, x: Tensor, neighbors: Tensor) -> Tensor:
        """The weights (m, k) that points (m, d + 1) give to neighbours (m, k, d + 1) of theirs."""
        return torch.softmax(_scores(self.query(x).unsqueeze(1), self.key(neighbors)), dim=1)


def _scores(queries: Tensor, keys: Tensor) -> Tensor:
    return -distance(queries, keys).square() / math.sqrt(keys.shape[-1])
