"""Depth of the lowest common ancestor of two leaves: the distance from the origin to the geodesic between them."""

from __future__ import annotations

from typing import Any

import numpy as np
import torch
from torch import Tensor
from torch.autograd.function import once_differentiable

from hypcse.kernels.losses.complete import depth_slopes, depths_of_cosines
from hypcse.neural.backend import kernel_form
from hypcse.neural.geometry.poincare import unit

# Largest relative difference of radii that count as one: far above rounding, far below a mistake.
_SAME_RADIUS = 1e-3


def lca_depth(leaves: Tensor) -> Tensor:
    """Depth of the LCA of every pair of leaves, d_o(z_i v z_j), shape (n, n).

    Paper: Eq. (6), for leaves (n, d) in the ball that share one radius. The LCA is then the midpoint of the geodesic,
    and the right triangle (origin, LCA, leaf) replaces the reflections of Eq. (6) by

        tanh d_o = tanh(R) * cos(angle / 2),    R = 2 artanh |z|.

    One matrix product. The first derivative is correct along the sphere and along a common scaling of the leaves. It
    is finite everywhere; along the sphere it is 0, up to rounding, at equal and at opposite leaves.

    >>> right_angle = torch.tensor([[0.5, 0.0], [0.0, 0.5]])
    >>> lca_depth(right_angle)
    tensor([[1.0986, 0.6412],
            [0.6412, 1.0986]])
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
            "hypcse.neural.geometry.poincare.on_sphere puts them on one, as StructuralEntropyLoss does for radius=0.9."
        )


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
    """`plain_depth` in single precision on the CPU, by two kernels: with the slope tanh^2(R) / (4 s sqrt x) by the
    cosine, and sqrt x / (s tanh R) by tanh R."""

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
