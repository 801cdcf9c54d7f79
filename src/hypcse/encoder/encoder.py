"""The encoder f and the projector h."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, cast

import torch
from torch import Tensor, nn

from hypcse._choices import Aggregation
from hypcse.encoder.aggregate import AttentionAggregation, mean_aggregation
from hypcse.encoder.linear import LorentzLinear
from hypcse.graph.matrix import MatrixGraph
from hypcse.graph.tensors import EdgeTensors
from hypcse.hyperbolic.lorentz import lift, project, to_poincare
from hypcse.hyperbolic.poincare import on_sphere

N_LAYERS = 3
RADIUS_LIMITS = (0.01, 0.999)


class Encoder(nn.Module):
    """Three Lorentz convolutions, LConv = LAgg(LLinear(.)), Eqs. (10) and (11), on lifted features.

    `forward` gives Lorentz points (n, embed_dim + 1); `leaves` their directions in the Poincare ball on one learnable
    radius, the leaves of the tree. All starting weights come from `generator`.
    """

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
        """Lorentz embedding of all vertices, layer by layer; with a generator, under dropout. O(n + m) per layer.

        Edges in a matrix are only for the aggregation "mean".
        """
        x = lift(features)
        for linear, aggregate in zip(self.linears, self._aggregations(), strict=True):
            x = aggregate(linear(x, generator), edges)
        return x

    def sources(self, features: Tensor, edges: EdgeTensors) -> list[Tensor]:
        """What vertices send to their neighbours in each layer: their points between linear map and aggregation."""
        x, found = lift(features), []
        for linear, aggregate in zip(self.linears, self._aggregations(), strict=True):
            found.append(linear(x))
            x = aggregate(found[-1], edges)
        return found

    def extend(self, sources: list[Tensor], features: Tensor, index: Tensor, weight: Tensor) -> Tensor:
        """Lorentz points (m, embed_dim + 1) of new vertices. They see the old vertices, but not the other way round.

        sources  : of the old vertices, once for all new ones.
        features : (m, d) of the new vertices.
        index    : (m, k) their neighbours among the old ones; weight : (m, k) their weights, under "mean". A common
                   factor of a row is lost on the hyperboloid, so that rows need no normalisation of their own.

        Layer by layer the linear map and the aggregation of `forward`. A vertex is not its own neighbour: under "mean"
        only what its neighbours send in the last layer counts, under "attention" its own points are the queries. O(k)
        per vertex.
        """
        if not self.attentions:
            return _centre(sources[-1][index], weight)
        x = lift(features)
        for linear, attention, old in zip(self.linears, self.attentions, sources, strict=True):
            neighbors = old[index]
            x = _centre(neighbors, cast(AttentionAggregation, attention).shares(linear(x), neighbors))
        return x

    def leaves(self, points: Tensor) -> Tensor:
        """Leaves in the ball: unit directions times the radius, which stays within [0.01, 0.999]."""
        return on_sphere(to_poincare(points), self.radius.clamp(*RADIUS_LIMITS))

    def _aggregations(self) -> list[Callable[[Tensor, Any], Tensor]]:
        return list(self.attentions) or [mean_aggregation] * N_LAYERS


def _centre(neighbors: Tensor, weight: Tensor) -> Tensor:
    """Weighted sums over neighbours (m, k, d + 1), brought back to the hyperboloid, as in Eq. (11)."""
    return project((weight.unsqueeze(-1) * neighbors).sum(dim=1))


class Projector(nn.Module):
    """Two Lorentz linear layers, P = h(Z), Eq. (14)."""

    def __init__(self, dim: int, out_dim: int, generator: torch.Generator, *, dropout: float = 0.1) -> None:
        super().__init__()
        self.first = LorentzLinear(dim, out_dim, generator, dropout=dropout)
        self.second = LorentzLinear(out_dim, out_dim, generator, dropout=dropout, activate=True)

    def forward(self, points: Tensor, generator: torch.Generator | None = None) -> Tensor:
        """Lorentz points (n, out_dim + 1); with a generator, under dropout."""
        return self.second(self.first(points, generator), generator)
