"""The networks: hyperbolic layers with aggregation over neighbors, Eqs. (10) and (11), projection, prototypes."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any, cast

import torch
from torch import Tensor, nn

from hypcse._choices import Aggregation
from hypcse.neural.backend import Lorentz, ManifoldParameter
from hypcse.neural.geometry import distance, lift, on_sphere, pairwise_excess, project, to_poincare
from hypcse.neural.tensors import EdgeTensors, MatrixGraph


def mean_aggregation(x: Tensor, edges: EdgeTensors | MatrixGraph) -> Tensor:
    """Eq. (11) with the edge weights as w; no vertex is its own neighbor, and one without neighbors keeps its point."""
    return project(torch.where(edges.lonely.unsqueeze(-1), x, edges.aggregate(x)))


class AttentionAggregation(nn.Module):
    """Eq. (11): weights exp(-d^2(q_i, k_j) / sqrt(dim)), normalized over the neighbors of i."""

    def __init__(self, dim: int, generator: torch.Generator) -> None:
        super().__init__()
        self.query = LorentzLinear(dim, dim, generator)
        self.key = LorentzLinear(dim, dim, generator)

    def forward(self, x: Tensor, edges: EdgeTensors) -> Tensor:
        row, column = edges.index
        score = _scores(self.query(x)[row], self.key(x)[column])
        top = score.new_full((edges.n_vertices,), -torch.inf).scatter_reduce(0, row, score.detach(), "amax")
        share = torch.exp(score - top[row])
        total = share.new_zeros(edges.n_vertices).index_add(0, row, share)
        return mean_aggregation(x, edges.with_weight(share / total[row]))

    def shares(self, x: Tensor, neighbors: Tensor) -> Tensor:
        """The weights (m, k) that points (m, d + 1) give to their neighbors (m, k, d + 1)."""
        return torch.softmax(_scores(self.query(x).unsqueeze(1), self.key(neighbors)), dim=1)


def _scores(queries: Tensor, keys: Tensor) -> Tensor:
    return -distance(queries, keys).square() / math.sqrt(keys.shape[-1])


# Least time coordinate: a little above 1, so that the space part never vanishes.
TIME_OFFSET = 1.1


class LorentzLinear(nn.Module):
    """A linear map between hyperboloids, Eq. (10), x : (n, in_dim + 1)  ->  (n, out_dim + 1).

    phi is the space part of y = Theta x + b, rescaled to the length of a point whose time is sigmoid(y_0) exp(s) + 1.1,
    with s learned from log 10. The weights of the input's time coordinate start at 0.
    """

    def __init__(
        self, in_dim: int, out_dim: int, generator: torch.Generator, *, dropout: float = 0.0, activate: bool = False
    ) -> None:
        super().__init__()
        self.dropout, self.activate = dropout, activate
        bound = 1.0 / math.sqrt(out_dim + 1)
        weight = torch.empty(out_dim + 1, in_dim + 1).uniform_(-bound, bound, generator=generator)
        weight[:, 0] = 0.0
        self.weight = nn.Parameter(weight)
        self.bias = nn.Parameter(torch.zeros(out_dim + 1))
        self.log_scale = nn.Parameter(torch.tensor(math.log(10.0)))

    def forward(self, x: Tensor, generator: torch.Generator | None = None) -> Tensor:
        """Points of the next hyperboloid; with a generator, as in training, inputs are dropped at random."""
        if self.activate:
            x = torch.relu(x)
        if generator is not None and self.dropout > 0:
            # Drawn on the generator's device: one on the CPU draws the same for every device.
            stays = torch.rand(x.shape, generator=generator, device=generator.device) >= self.dropout
            x = x * stays.to(x.device) / (1.0 - self.dropout)
        y = torch.nn.functional.linear(x, self.weight, self.bias)
        time = torch.sigmoid(y[..., :1]) * self.log_scale.exp() + TIME_OFFSET
        space = y[..., 1:]
        length = space.square().sum(dim=-1, keepdim=True).clamp_min(1e-8)
        return lift(space * ((time.square() - 1.0) / length).sqrt())


N_LAYERS = 3
RADIUS_LIMITS = (0.01, 0.999)


class Encoder(nn.Module):
    """Three Lorentz convolutions, LConv = LAgg(LLinear(.)), Eqs. (10) and (11), on lifted features."""

    def __init__(
        self,
        n_features: int,
        hidden_dim: int,
        embed_dim: int,
        generator: torch.Generator,
        *,
        dropout: float = 0.0,
        aggregation: Aggregation = "mean",
    ) -> None:
        super().__init__()
        dims = [n_features, *[hidden_dim] * (N_LAYERS - 1), embed_dim]
        self.linears = nn.ModuleList(
            LorentzLinear(dims[k], dims[k + 1], generator, dropout=dropout, activate=k > 0) for k in range(N_LAYERS)
        )
        self.attentions = nn.ModuleList(
            AttentionAggregation(dim, generator) for dim in (dims[1:] if aggregation == "attention" else ())
        )
        self.radius = nn.Parameter(torch.tensor(RADIUS_LIMITS[1]))

    def forward(
        self, features: Tensor, edges: EdgeTensors | MatrixGraph, generator: torch.Generator | None = None
    ) -> Tensor:
        """Lorentz points of all vertices; with a generator, under dropout. A matrix serves only "mean" aggregation."""
        x = lift(features)
        for linear, aggregate in zip(self.linears, self._aggregations(), strict=True):
            x = aggregate(linear(x, generator), edges)
        return x

    def sources(self, features: Tensor, edges: EdgeTensors) -> list[Tensor]:
        """What vertices send to their neighbors in each layer: their points between linear map and aggregation."""
        x, sources = lift(features), []
        for linear, aggregate in zip(self.linears, self._aggregations(), strict=True):
            sources.append(linear(x))
            x = aggregate(sources[-1], edges)
        return sources

    def extend(self, sources: list[Tensor], features: Tensor, index: Tensor, weight: Tensor) -> Tensor:
        """Lorentz points (m, embed_dim + 1) of new vertices, which see the old ones, but not the other way round.

        index, weight : (m, k) neighbors among the old ones, which send `sources`, and weights up to a factor per row.

        A vertex is not its own neighbor: under "mean" only what its neighbors send in the last layer counts.
        """
        if not self.attentions:
            # A vertex is not its own neighbor.
            return _center(sources[-1][index], weight)
        x = lift(features)
        for linear, attention, old in zip(self.linears, self.attentions, sources, strict=True):
            neighbors = old[index]
            x = _center(neighbors, cast(AttentionAggregation, attention).shares(linear(x), neighbors))
        return x

    def leaves(self, points: Tensor) -> Tensor:
        """Leaves in the ball: unit directions times the radius, which stays within [0.01, 0.999]."""
        return on_sphere(to_poincare(points), self.radius.clamp(*RADIUS_LIMITS))

    def _aggregations(self) -> list[Callable[[Tensor, Any], Tensor]]:
        return list(self.attentions) or [mean_aggregation] * N_LAYERS


def _center(neighbors: Tensor, weight: Tensor) -> Tensor:
    """Weighted sums over neighbors (m, k, d + 1), projected to the hyperboloid, as in Eq. (11)."""
    return project((weight.unsqueeze(-1) * neighbors).sum(dim=1))


class Projector(nn.Module):
    """Two Lorentz linear layers, P = h(Z), Eq. (14)."""

    def __init__(self, dim: int, out_dim: int, generator: torch.Generator, *, dropout: float = 0.1) -> None:
        super().__init__()
        self.first = LorentzLinear(dim, out_dim, generator, dropout=dropout)
        self.second = LorentzLinear(out_dim, out_dim, generator, dropout=dropout, activate=True)

    def forward(self, points: Tensor, generator: torch.Generator | None = None) -> Tensor:
        return self.second(self.first(points, generator), generator)


class Prototypes(nn.Module):
    """Scores 2 + 2 <z, p_c> + b_c against class prototypes p_c on the manifold, b_c at the prototype."""

    def __init__(self, dim: int, n_classes: int, generator: torch.Generator) -> None:
        super().__init__()
        start = torch.empty(n_classes, dim).normal_(0.0, 0.5, generator=generator)
        self.points = ManifoldParameter(lift(start), manifold=Lorentz())
        self.bias = nn.Parameter(torch.zeros(n_classes))

    def forward(self, points: Tensor) -> Tensor:
        return class_scores(points, self.points, self.bias)


def class_scores(points: Tensor, prototypes: Tensor, bias: Tensor) -> Tensor:
    """Scores of points (n, d + 1) against prototypes (c, d + 1)."""
    return bias - 2 * pairwise_excess(points, prototypes)
