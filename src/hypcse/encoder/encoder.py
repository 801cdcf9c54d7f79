"""The encoder f and the projector h."""

from __future__ import annotations

from collections.abc import Callable

import torch
from torch import Tensor, nn

from hypcse._checks import check_choice
from hypcse.encoder.aggregate import AttentionAggregation, mean_aggregation
from hypcse.encoder.linear import LorentzLinear
from hypcse.graph.tensors import EdgeTensors
from hypcse.hyperbolic.lorentz import lift, to_poincare
from hypcse.hyperbolic.poincare import on_sphere

N_LAYERS = 3
RADIUS_LIMITS = (0.01, 0.999)
AGGREGATIONS = ("mean", "attention")


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
        aggregation: str = "mean",
    ) -> None:
        super().__init__()
        check_choice("aggregation", aggregation, AGGREGATIONS)
        dims = [n_features, *[hidden_dim] * (N_LAYERS - 1), embed_dim]
        self.linears = nn.ModuleList(
            LorentzLinear(dims[k], dims[k + 1], generator, dropout=dropout, activate=k > 0) for k in range(N_LAYERS)
        )
        self.attentions = nn.ModuleList(
            AttentionAggregation(dim, generator) for dim in (dims[1:] if aggregation == "attention" else ())
        )
        self.radius = nn.Parameter(torch.tensor(RADIUS_LIMITS[1]))

    def forward(self, features: Tensor, edges: EdgeTensors, generator: torch.Generator | None = None) -> Tensor:
        """Lorentz embedding of all vertices, layer by layer; with a generator, under dropout. O(n + m) a layer."""
        x = lift(features)
        for linear, aggregate in zip(self.linears, self._aggregations(), strict=True):
            x = aggregate(linear(x, generator), edges)
        return x

    def leaves(self, points: Tensor) -> Tensor:
        """Leaves in the ball: unit directions times the radius, which stays within [0.01, 0.999]."""
        return on_sphere(to_poincare(points), self.radius.clamp(*RADIUS_LIMITS))

    def _aggregations(self) -> list[Callable[[Tensor, EdgeTensors], Tensor]]:
        return list(self.attentions) or [mean_aggregation] * N_LAYERS


class Projector(nn.Module):
    """Two Lorentz linear layers, P = h(Z), Eq. (14)."""

    def __init__(self, dim: int, out_dim: int, generator: torch.Generator, *, dropout: float = 0.1) -> None:
        super().__init__()
        self.first = LorentzLinear(dim, out_dim, generator, dropout=dropout)
        self.second = LorentzLinear(out_dim, out_dim, generator, dropout=dropout, activate=True)

    def forward(self, points: Tensor, generator: torch.Generator | None = None) -> Tensor:
        """Lorentz points (n, out_dim + 1); with a generator, under dropout."""
        return self.second(self.first(points, generator), generator)
