"""The losses on a GPU: value and gradient by one chain of kernels, the gradient already in the forward pass."""

from __future__ import annotations

from typing import Any

import torch
from torch import Tensor
from torch.autograd.function import once_differentiable

from hypcse.gpu.contrast import contrast
from hypcse.gpu.entropy import Laid
from hypcse.hyperbolic.lca import same_radius, shared_radius
from hypcse.objective.checks import check_edge_arrays, check_edges, check_points, check_temperature


def fused_entropy(leaves: Tensor, edges: Tensor, weights: Tensor, temperature: float) -> Tensor:
    """`cse_loss` of single precision; weights get no gradient."""
    check_points("leaves", leaves)
    check_edge_arrays(edges, weights)
    check_temperature(temperature)
    if edges.shape[1] == 0:
        return (leaves * 0).sum()
    laid = Laid(leaves.detach(), edges.to(torch.int64), weights.to(leaves.dtype))
    facts = laid.facts
    if facts.wrong_edges or facts.wrong_weights:
        check_edges(edges, weights, leaves.shape[0])
    if facts.wrong_leaves or not same_radius(facts.shortest, facts.longest):
        shared_radius(leaves)
    if facts.volume == 0:
        return (leaves * 0).sum()
    return _Entropy.apply(leaves, laid, temperature)


def fused_contrast(first: Tensor, second: Tensor, temperature: float, include_positive: bool) -> Tensor:
    """`contrastive_loss` of single precision; nothing of size (n, n) is stored."""
    return _Contrast.apply(first, second, temperature, include_positive)


class _Entropy(torch.autograd.Function):
    """A scalar's gradient is a factor times one tensor, which the forward pass makes while its tables are at hand."""

    @staticmethod
    def forward(ctx: Any, leaves: Tensor, laid: Laid, temperature: float) -> Tensor:
        value, gradient = laid.entropy(temperature, gradient=ctx.needs_input_grad[0])
        ctx.save_for_backward(gradient)
        return value

    @staticmethod
    @once_differentiable
    def backward(ctx: Any, upstream: Tensor) -> tuple[Tensor, None, None]:
        (gradient,) = ctx.saved_tensors
        return upstream * gradient, None, None


class _Contrast(torch.autograd.Function):
    """As above, by both views."""

    @staticmethod
    def forward(ctx: Any, first: Tensor, second: Tensor, temperature: float, include_positive: bool) -> Tensor:
        value, gradients = contrast(
            first, second, temperature, include_positive, gradient=any(ctx.needs_input_grad[:2])
        )
        ctx.save_for_backward(gradients)
        return value

    @staticmethod
    @once_differentiable
    def backward(ctx: Any, upstream: Tensor) -> tuple[Tensor, Tensor, None, None]:
        (gradients,) = ctx.saved_tensors
        by_first, by_second = upstream * gradients
        return by_first, by_second, None, None
