"""The Lorentz linear layer."""

from __future__ import annotations

import math

import torch
from torch import Tensor, nn

from hypcse.hyperbolic.lorentz import lift

TIME_OFFSET = 1.1
"""Least time coordinate: a little above 1, so that the space part never vanishes."""


class LorentzLinear(nn.Module):
    """A linear map between hyperboloids, Eq. (10).

    phi is the space part of y = Theta x + b, rescaled to the length that goes with a time coordinate of
    sigmoid(y_0) exp(s) + 1.1, s learnable from log 10; time is then sqrt(1 + |phi|^2), whatever phi is. The weights of
    the input's time coordinate start at 0.

    x : (n, in_dim + 1)  ->  (n, out_dim + 1)
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
        """Points of the next hyperboloid; inputs are dropped at random when a generator is given, as in training."""
        if self.activate:
            x = torch.relu(x)
        if generator is not None and self.dropout > 0:
            # Drawn on the generator's device: one on the CPU draws the same for every device.
            kept = torch.rand(x.shape, generator=generator, device=generator.device) >= self.dropout
            x = x * kept.to(x.device) / (1.0 - self.dropout)
        y = torch.nn.functional.linear(x, self.weight, self.bias)
        time = torch.sigmoid(y[..., :1]) * self.log_scale.exp() + TIME_OFFSET
        space = y[..., 1:]
        length = space.square().sum(dim=-1, keepdim=True).clamp_min(1e-8)
        return lift(space * ((time.square() - 1.0) / length).sqrt())
