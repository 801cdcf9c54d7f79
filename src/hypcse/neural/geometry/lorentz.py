"""The Lorentz model: points x = (x0, space) with -x0^2 + |space|^2 = -1 and x0 > 0, curvature -1."""

from __future__ import annotations

import torch
from torch import Tensor


def inner(x: Tensor, y: Tensor) -> Tensor:
    """Lorentz product <x, y> = -x0 y0 + sum_c x_c y_c over the last dimension; -1 for a point with itself."""
    products = x * y
    return products[..., 1:].sum(-1) - products[..., 0]


def lift(features: Tensor) -> Tensor:
    """Euclidean features (..., d) as points (..., d + 1) with time sqrt(1 + |x|^2), as in Eq. (10).

    >>> lift(torch.tensor([[3.0, 0.0]]))
    tensor([[3.1623, 3.0000, 0.0000]])
    """
    time = torch.sqrt(1 + features.square().sum(-1, keepdim=True))
    return torch.cat([time, features], dim=-1)


def project(x: Tensor) -> Tensor:
    """A time-like vector renormalized to the hyperboloid, x / sqrt|<x, x>|, as in Eq. (11) and (16)."""
    length = torch.linalg.vector_norm(x[..., 1:], dim=-1)
    # <x, x> as a product: the squares of a far point would round away what is left of their difference.
    squared = ((x[..., 0] - length) * (x[..., 0] + length)).abs()
    return x / torch.sqrt(squared.clamp_min(torch.finfo(x.dtype).tiny)).unsqueeze(-1)


def distance(x: Tensor, y: Tensor) -> Tensor:
    """Distance arcosh(-<x, y>) of points, over the last dimension; precise for near ones, of gradient 0 at equal ones.

    With u = -<x, y> - 1 = <x - y, x - y> / 2, which does not cancel where x and y are near,

        d = arcosh(1 + u) = log1p(u + sqrt(u (u + 2))).
    """
    return arcosh_one_plus(inner(x - y, x - y) / 2)


def pairwise_excess(x: Tensor, y: Tensor) -> Tensor:
    """u = -<x, y> - 1 of all pairs, (n, d + 1) and (m, d + 1) -> (n, m), by one matrix product.

    The distance is arcosh(1 + u). Rounding hides distances below about sqrt(eps x0 y0): use `distance` for them.
    """
    signed = torch.cat([x[:, :1], -x[:, 1:]], dim=1)
    return signed @ y.T - 1


def distance_to_origin(x: Tensor) -> Tensor:
    """Distance to (1, 0, ..., 0), arcosh(x0) = arsinh|space|, which is exact near the origin too."""
    return torch.asinh(torch.linalg.vector_norm(x[..., 1:], dim=-1))


def centroid(x: Tensor) -> Tensor:
    """Centroid of points (n, d + 1), their sum renormalized: the inner part of Eq. (16)."""
    return project(x.mean(dim=-2))


def to_poincare(x: Tensor) -> Tensor:
    """The point of the Poincaré ball for x: space / (1 + x0), (..., d + 1) -> (..., d)."""
    return x[..., 1:] / (1 + x[..., :1])


def arcosh_one_plus(excess: Tensor) -> Tensor:
    """arcosh(1 + u), 0 with gradient 0 where u is 0 or rounded below it; its slope 1 / sqrt(u (u + 2)) is finite."""
    least = torch.finfo(excess.dtype).tiny
    # The masked entries get a harmless value first: a mask alone would multiply an infinite slope by zero.
    safe = excess.clamp_min(least)
    return torch.where(excess > least, torch.log1p(safe + torch.sqrt(safe * (safe + 2))), 0)
