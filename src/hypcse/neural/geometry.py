"""Hyperbolic space of curvature -1: Lorentz points (x0, space), the Poincaré ball, and common ancestors of leaves."""

from __future__ import annotations

from math import inf
from typing import Any

import numpy as np
import torch
from torch import Tensor
from torch.autograd.function import once_differentiable

from hypcse.kernels.losses.all_pairs import depth_slopes, depths_of_cosines
from hypcse.neural.backend import kernel_form

# Largest relative difference of radii that count as one: far above rounding, far below a mistake.
_SAME_RADIUS = 1e-3


def inner(x: Tensor, y: Tensor) -> Tensor:
    """Lorentz product <x, y> = -x0 y0 + sum_c x_c y_c over the last dimension; -1 for a point with itself."""
    products = x * y
    return products[..., 1:].sum(-1) - products[..., 0]


def lift(features: Tensor) -> Tensor:
    """Euclidean features (..., d) as points (..., d + 1) with time sqrt(1 + |x|^2), as in Eq. (10)."""
    time = torch.sqrt(1 + features.square().sum(-1, keepdim=True))
    return torch.cat([time, features], dim=-1)


def project(x: Tensor) -> Tensor:
    """A time-like vector renormalized to the hyperboloid, x / sqrt|<x, x>|, as in Eq. (11) and (16)."""
    length = torch.linalg.vector_norm(x[..., 1:], dim=-1)
    # <x, x> as a product: the squares of a far point would round away what is left of their difference.
    squared = ((x[..., 0] - length) * (x[..., 0] + length)).abs()
    return x / torch.sqrt(squared.clamp_min(torch.finfo(x.dtype).tiny)).unsqueeze(-1)


def distance(x: Tensor, y: Tensor) -> Tensor:
    """Distance arcosh(-<x, y>) of points, over the last dimension, of gradient 0 at equal ones."""
    # Unlike -<x, y> - 1, this does not cancel where x and y are near.
    return arcosh_one_plus(inner(x - y, x - y) / 2)


def pairwise_excess(x: Tensor, y: Tensor) -> Tensor:
    """u = -<x, y> - 1 of all pairs, (n, m); rounding hides distances below about sqrt(eps x0 y0)."""
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


def to_lorentz(z: Tensor) -> Tensor:
    """The Lorentz point for z: (1 + |z|^2, 2 z) / (1 - |z|^2), (..., d) -> (..., d + 1)."""
    squared, length = z.square().sum(-1, keepdim=True), torch.linalg.vector_norm(z, dim=-1)
    # 1 - |z|^2 as a product, which near the rim keeps the digits that the square rounds away.
    gap = (1 - length).clamp_min(torch.finfo(z.dtype).eps / 2) * (1 + length)
    return torch.cat([1 + squared, 2 * z], dim=-1) / gap.unsqueeze(-1)


def on_sphere(directions: Tensor, radius: float | Tensor) -> Tensor:
    """Unit directions times one radius, (..., d); a zero direction takes the first axis with gradient 0."""
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
    """The tangent vector at the origin that leads to z, 2 artanh|z| z / |z|, (..., d): its length is z's distance."""
    length = torch.linalg.vector_norm(z, dim=-1, keepdim=True)
    return unit(z) * 2 * torch.atanh(length)


def lca_depth(leaves: Tensor) -> Tensor:
    """Depth of the LCA of every pair of leaves, d_o(z_i v z_j), shape (n, n).

    Paper: Eq. (6), for leaves (n, d) in the ball that share one radius. The LCA is then the midpoint of the geodesic,
    and the right triangle (origin, LCA, leaf) replaces the reflections of Eq. (6) by

        tanh d_o = tanh(R) * cos(angle / 2),    R = 2 artanh |z|.

    The first derivative is correct along the sphere and along a common scaling of the leaves, and finite everywhere.
    """
    directions, radius = shared_radius(leaves)
    form: Any = _CompiledPairDepth.apply if kernel_form(directions, single=True) == "numba" else plain_depth
    return form(directions, radius)


def shared_radius(leaves: Tensor) -> tuple[Tensor, Tensor]:
    """Unit directions (n, d) of leaves in the ball, and the radius that they share."""
    lengths = torch.linalg.vector_norm(leaves, dim=-1)
    check_radius(*(float(length) for length in torch.aminmax(lengths.detach())))
    return unit(leaves), lengths.mean()


def check_radius(low: float, high: float) -> None:
    """Raise unless leaves of radii between the two share one, inside the ball."""
    if not (0 < low <= high < 1 and high - low <= _SAME_RADIUS * high):
        raise ValueError(
            f"leaves have radii from {low:.6g} to {high:.6g}; all must share one radius, above 0 and below 1. "
            "hypcse.neural.geometry.on_sphere puts them on one, as StructuralEntropyLoss does for radius=0.9."
        )


def check_points(name: str, points: Tensor, fewest: int = 1) -> None:
    """Raise unless `points` is a matrix of at least so many points in single or double precision."""
    if points.ndim != 2 or points.shape[0] < fewest:
        raise ValueError(f"{name} must be a matrix of at least {fewest} points, got shape {tuple(points.shape)}.")
    if points.dtype not in (torch.float32, torch.float64):
        raise TypeError(f"{name} is {points.dtype}; pass float32 or float64, for example {name}.float().")


def check_temperature(temperature: float) -> None:
    """Raise unless the temperature can divide the distances in a softmax."""
    if not 0 < temperature < inf:
        raise ValueError(f"temperature={temperature} must be positive and finite.")


def _tanh_and_sech(radius: Tensor) -> tuple[Tensor, Tensor]:
    """tanh R and 1 / cosh R of R = 2 artanh(radius), the latter with all its digits near the rim."""
    scale = 1 + radius.square()
    return 2 * radius / scale, (1 - radius) * (1 + radius) / scale


def plain_depth(directions: Tensor, radius: Tensor) -> Tensor:
    """The closed form from unit directions (n, d) and the radius, for every device and precision.

    With x = tanh^2 d_o = tanh^2(R) (1 + cosine) / 2 and s = 1 - x = sech^2(R) + tanh^2(R) (1 - cosine) / 2, neither of
    which cancels, d_o = log((1 + sqrt x)^2 / s) / 2.
    """
    top, sech = _tanh_and_sech(radius)
    half, cosine = top.square() / 2, (directions @ directions.T).clamp(-1, 1)
    # At opposite leaves the slope of the root is infinite, but its part along the sphere is 0.
    root = (half * (1 + cosine)).clamp_min(torch.finfo(cosine.dtype).tiny).sqrt()
    return (torch.log((1 + root).square() / (half * (1 - cosine) + sech.square())) / 2).clamp_min(0)


class _CompiledPairDepth(torch.autograd.Function):
    """`plain_depth` in single precision on the CPU: slopes tanh^2(R) / (4 s sqrt x) and sqrt x / (s tanh R)."""

    @staticmethod
    def forward(ctx: Any, directions: Tensor, radius: Tensor) -> Tensor:
        cosines = directions @ directions.T
        ctx.save_for_backward(directions, radius, cosines)
        return torch.from_numpy(depths_of_cosines(cosines.numpy(), *_half_and_rest(radius)))

    @staticmethod
    @once_differentiable
    def backward(ctx: Any, upstream: Tensor) -> tuple[Tensor, Tensor]:
        directions, radius, cosines = ctx.saved_tensors
        slopes, by_row = depth_slopes(cosines.numpy(), upstream.contiguous().numpy(), *_half_and_rest(radius))
        slope = torch.from_numpy(slopes)
        by_direction = slope @ directions + slope.T @ directions
        top, sech = _tanh_and_sech(radius)
        by_radius = radius.new_tensor(by_row.sum()) / top * 2 * sech / (1 + radius.square())
        return by_direction * (top.square() / 4), by_radius


def _half_and_rest(radius: Tensor) -> tuple[np.float32, np.float32]:
    """tanh^2(R) / 2 and sech^2(R), numbers for a kernel."""
    top, sech = _tanh_and_sech(radius)
    return np.float32(float(top.square() / 2)), np.float32(float(sech.square()))
