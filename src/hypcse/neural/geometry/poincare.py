"""The Poincaré ball: points z with |z| < 1, at distance 2 artanh|z| from the origin, curvature -1."""

from __future__ import annotations

import torch
from torch import Tensor


def to_lorentz(z: Tensor) -> Tensor:
    """The Lorentz point for z: (1 + |z|^2, 2 z) / (1 - |z|^2), (..., d) -> (..., d + 1)."""
    squared, length = z.square().sum(-1, keepdim=True), torch.linalg.vector_norm(z, dim=-1)
    # 1 - |z|^2 as a product, which near the rim keeps the digits that the square rounds away.
    gap = (1 - length).clamp_min(torch.finfo(z.dtype).eps / 2) * (1 + length)
    return torch.cat([1 + squared, 2 * z], dim=-1) / gap.unsqueeze(-1)


def on_sphere(directions: Tensor, radius: float | Tensor) -> Tensor:
    """Unit directions times one radius, (..., d): leaves that share one depth.

    A zero direction has none, and takes the first axis with gradient 0.

    >>> on_sphere(torch.tensor([[3.0, 4.0], [0.0, 0.0]]), 0.5)
    tensor([[0.3000, 0.4000],
            [0.5000, 0.0000]])
    """
    return unit(directions) * radius


def unit(directions: Tensor) -> Tensor:
    """Directions over their lengths, for lengths of any size; the first axis for a zero direction."""
    largest = directions.detach().abs().amax(-1, keepdim=True)
    nonzero = largest > torch.finfo(directions.dtype).tiny
    # Squares of coordinates may overflow; those of numbers up to 1 do not.
    scaled = directions / torch.where(nonzero, largest, 1)
    axis = torch.zeros_like(directions)
    axis[..., 0] = 1
    safe = torch.where(nonzero, scaled, axis)
    return safe / torch.linalg.vector_norm(safe, dim=-1, keepdim=True)


def log_origin(z: Tensor) -> Tensor:
    """The tangent vector at the origin that leads to z, 2 artanh|z| z / |z|, (..., d): its length is z's distance.

    >>> log_origin(torch.tensor([[0.5, 0.0]]))
    tensor([[1.0986, 0.0000]])
    """
    length = torch.linalg.vector_norm(z, dim=-1, keepdim=True)
    return unit(z) * 2 * torch.atanh(length)
