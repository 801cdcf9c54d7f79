"""The losses on a GPU: value and gradient by one chain of kernels, the gradient already in the forward pass."""

from __future__ import annotations

from typing import Any

import torch
from torch import Tensor
from torch.autograd.function import once_differentiable

from hypcse.neural.geometry.lca import same_radius, shared_radius
from hypcse.neural.losses.checks import check_edge_arrays, check_edges, check_points, check_temperature
from hypcse.neural.triton.contrast import contrast
from hypcse.neural.triton.entropy import Edges, entropy
from hypcse.neural.triton.leaves import read_facts
from hypcse.neural.triton.volumes import Rows, rows_of


def fused_entropy(leaves: Tensor, edges: Tensor, weights: Tensor, temperature: float) -> Tensor:
    """`cse_loss` of single precision; weights get no gradient. Waits for the device once, when all is launched."""
    check_points("leaves", leaves)
    check_edge_arrays(edges, weights)
    check_temperature(temperature)
    if edges.shape[1] == 0:
        return (leaves * 0).sum()
    ends = edges.to(torch.int64).contiguous()
    given = Edges(ends, weights.to(leaves.dtype).contiguous(), rows_of(ends, leaves.shape[0]))
    asked = leaves.requires_grad and torch.is_grad_enabled()
    found = entropy(leaves.detach(), given, temperature, gradient=asked)
    facts = read_facts(found.measured)
    if facts.wrong_edges or facts.wrong_weights:
        check_edges(edges, weights, leaves.shape[0])
    if facts.wrong_leaves or not same_radius(facts.shortest, facts.longest):
        shared_radius(leaves)
    if facts.volume == 0:
        return (leaves * 0).sum()
    return found.value if found.gradient is None else _Known.apply(found.value, found.gradient[None], leaves)


def entropy_of_rows(
    leaves: Tensor, index: Tensor, weights: Tensor, pointers: Tensor, temperature: float, deepest: float
) -> Tensor:
    """`cse_loss` of edges by rows, without any check and without waiting: for leaves and a graph that are our own.

    index, weights : (2, m) and (m,) both directions of each edge, and behind the last row entries of weight 0.
    deepest        : the largest depth that the leaves may have.
    """
    rows = Rows(pointers, index[1], torch.arange(index.shape[1], device=index.device))
    found = entropy(leaves.detach(), Edges(index, weights, rows, 2), temperature, gradient=True, deepest=deepest)
    assert found.gradient is not None
    value: Tensor = _Known.apply(found.value, found.gradient[None], leaves)
    return value


def fused_contrast(first: Tensor, second: Tensor, temperature: float, include_positive: bool) -> Tensor:
    """`contrastive_loss` of single precision; nothing of size (n, n) is stored."""
    asked = (first.requires_grad or second.requires_grad) and torch.is_grad_enabled()
    value, gradients = contrast(first, second, temperature, include_positive, gradient=asked)
    return value if gradients is None else _Known.apply(value, gradients, first, second)


class _Known(torch.autograd.Function):
    """A scalar whose gradients by some tensors were computed with it; they are the rows of `gradients`."""

    @staticmethod
    def forward(ctx: Any, value: Tensor, gradients: Tensor, *inputs: Tensor) -> Tensor:
        ctx.save_for_backward(gradients)
        return value.view_as(value)

    @staticmethod
    @once_differentiable
    def backward(ctx: Any, upstream: Tensor) -> tuple[Tensor | None, ...]:
        (gradients,) = ctx.saved_tensors
        return None, None, *(upstream * gradients)
