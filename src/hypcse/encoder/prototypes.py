"""A point of the hyperboloid for each class."""

from __future__ import annotations

import torch
from torch import Tensor, nn

from hypcse._geoopt import Lorentz, ManifoldParameter
from hypcse.hyperbolic.lorentz import lift, pairwise_excess

SPREAD = 0.5
"""Standard deviation of the space coordinates that prototypes start from."""


class Prototypes(nn.Module):
    """Scores of points against class prototypes p_c, which are points of the manifold themselves, and biases b_c.

    score_c(z) = 2 + 2 <z, p_c> + b_c, which is b_c at the prototype and decreases with the distance from it.
    """

    def __init__(self, dim: int, n_classes: int, generator: torch.Generator) -> None:
        super().__init__()
        start = torch.empty(n_classes, dim).normal_(0.0, SPREAD, generator=generator)
        self.points = ManifoldParameter(lift(start), manifold=Lorentz())
        self.bias = nn.Parameter(torch.zeros(n_classes))

    def forward(self, points: Tensor) -> Tensor:
        """Scores (n, n_classes) of Lorentz points (n, dim + 1)."""
        return class_scores(points, self.points, self.bias)


def class_scores(points: Tensor, prototypes: Tensor, bias: Tensor) -> Tensor:
    """Scores of points (n, d + 1) against prototypes (c, d + 1).

    >>> origin = torch.tensor([[1.0, 0.0]])
    >>> class_scores(origin, origin, torch.tensor([0.5]))
    tensor([[0.5000]])
    """
    return bias - 2 * pairwise_excess(points, prototypes)
