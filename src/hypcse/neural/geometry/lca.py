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
# Rows of the matrix of pairs per block, and numbers per block on a GPU.
_BLOCK, _GPU_BLOCK = 128, 2**26


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
    compiled = kernel_form(directions, single=True) == "numba"
    return (_CompiledPairDepth if compiled else _PairDepth).apply(directions, radius)


def lca_depth_of_pairs(leaves: Tensor, i: Tensor, j: Tensor) -> Tensor:
    """`lca_depth` of only the pairs (i, j), shape of i; precise for near leaves too. O(d) per pair."""
    directions, radius = shared_radius(leaves)
    near, far = directions[i], directions[j]
    half_cosine = torch.linalg.vector_norm(near + far, dim=-1) / 2
    half_sine = torch.linalg.vector_norm(near - far, dim=-1) / 2
    top, sech = _tanh_and_sech(radius)
    rest = (sech.square() + (top * half_sine).square()).clamp_max(1)
    return torch.log1p(top * half_cosine) - torch.log(rest) / 2


def shared_radius(leaves: Tensor) -> tuple[Tensor, Tensor]:
    """Unit directions (n, d) of leaves in the ball, and the radius that they share."""
    lengths = torch.linalg.vector_norm(leaves, dim=-1)
    low, high = (float(length) for length in torch.aminmax(lengths.detach()))
    if not same_radius(low, high):
        raise ValueError(
            f"leaves have radii from {low:.6g} to {high:.6g}; all must share one radius, above 0 and below 1. "
            "hypcse.neural.geometry.poincare.on_sphere puts them on one, as StructuralEntropyLoss does for radius=0.9."
        )
    return unit(leaves), lengths.mean()


def same_radius(low: float, high: float) -> bool:
    """Whether leaves of radii between the two share one, inside the ball."""
    return 0 < low <= high < 1 and high - low <= _SAME_RADIUS * high


def _tanh_and_sech(radius: Tensor) -> tuple[Tensor, Tensor]:
    """tanh R and 1 / cosh R of R = 2 artanh(radius), the latter with all its digits near the rim."""
    scale = 1 + radius.square()
    return 2 * radius / scale, (1 - radius) * (1 + radius) / scale


class _PairDepth(torch.autograd.Function):
    """The closed form from unit directions (n, d) and the radius, in plain torch.

    x = tanh^2 d_o = tanh^2(R) (1 + cosine) / 2 and s = 1 - x = sech^2(R) + tanh^2(R) (1 - cosine) / 2 give the depth
    log((1 + sqrt x)^2 / s) / 2 and its slopes tanh^2(R) / (4 s sqrt x) by the cosine, sqrt x / (s tanh R) by tanh R.
    Rows are worked on in blocks that stay in a processor's cache.
    """

    @staticmethod
    def forward(ctx: Any, directions: Tensor, radius: Tensor) -> Tensor:
        ctx.save_for_backward(directions, radius)
        depth = directions.new_empty(directions.shape[0], directions.shape[0])
        for some, out in zip(_blocks(directions), _blocks(depth), strict=True):
            squared, rest = _tanh_squared(some @ directions.T, radius)
            torch.log(squared.sqrt_().add_(1).square_().div_(rest), out=out).mul_(0.5).clamp_min_(0)
        return depth

    @staticmethod
    @once_differentiable
    def backward(ctx: Any, upstream: Tensor) -> tuple[Tensor, Tensor]:
        directions, radius = ctx.saved_tensors
        by_direction, by_tanh = torch.zeros_like(directions), torch.zeros_like(radius)
        for some, rate, out in zip(_blocks(directions), _blocks(upstream), _blocks(by_direction), strict=True):
            squared, rest = _tanh_squared(some @ directions.T, radius)
            # At opposite leaves the slope is infinite; its part along the sphere is not, and stays as it is.
            root = squared.clamp_min_(torch.finfo(rate.dtype).eps).sqrt_()
            rate = torch.div(rate, rest, out=rest)
            by_tanh += torch.dot(rate.flatten(), root.flatten())
            rate.div_(root)
            out += rate @ directions
            by_direction += rate.T @ some
        return _by_directions_and_radius(by_direction, by_tanh, radius)


class _CompiledPairDepth(torch.autograd.Function):
    """`_PairDepth` for single precision on the CPU: the cosines are kept, and two kernels do the rest."""

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
        return _by_directions_and_radius(by_direction, radius.new_tensor(by_row.sum()), radius)


def _by_directions_and_radius(by_direction: Tensor, by_tanh: Tensor, radius: Tensor) -> tuple[Tensor, Tensor]:
    """Gradients, from sums of rate / (s sqrt x) over directions and of rate sqrt x / s."""
    top, sech = _tanh_and_sech(radius)
    return by_direction * (top.square() / 4), by_tanh / top * 2 * sech / (1 + radius.square())


def _half_and_rest(radius: Tensor) -> tuple[np.float32, np.float32]:
    """tanh^2(R) / 2 and sech^2(R), numbers for a kernel."""
    top, sech = _tanh_and_sech(radius)
    return np.float32(float(top.square() / 2)), np.float32(float(sech.square()))


def _blocks(matrix: Tensor) -> tuple[Tensor, ...]:
    n_rows = _BLOCK if matrix.device.type != "cuda" else max(_BLOCK, _GPU_BLOCK // len(matrix))
    return matrix.split(n_rows)


def _tanh_squared(cosine: Tensor, radius: Tensor) -> tuple[Tensor, Tensor]:
    """tanh^2 d_o and 1 - tanh^2 d_o, each without cancellation; rounded cosines are brought back to [-1, 1]."""
    top, sech = _tanh_and_sech(radius)
    half = float(top.square() / 2)
    cosine.clamp_(-1, 1)
    return torch.mul(cosine, half).add_(half), cosine.mul_(-half).add_(half).add_(sech.square())
