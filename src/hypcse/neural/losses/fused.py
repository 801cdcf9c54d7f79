"""The losses on a GPU: value and gradient by one chain of kernels, the gradient already in the forward pass."""

from __future__ import annotations

import math
from typing import Any

import torch
from torch import Tensor
from torch.autograd.function import once_differentiable

from hypcse.neural.geometry import check_points, check_radius, check_temperature, shared_radius
from hypcse.neural.losses.cse import check_edge_arrays, check_edges
from hypcse.neural.triton.contrast import contrast
from hypcse.neural.triton.leaves import by_leaves, entropy_value, measure, pair_depths, read_facts, unit_rows
from hypcse.neural.triton.volumes import DEEPEST, REACH, Rows, depth_slopes, edge_terms, rows_of, shares_of


def fused_entropy(leaves: Tensor, edges: Tensor, weights: Tensor, temperature: float) -> Tensor:
    """`cse_loss` in single precision, without gradient by the weights. Waits for the device once, at the end."""
    check_points("leaves", leaves)
    check_edge_arrays(edges, weights)
    check_temperature(temperature)
    if edges.shape[1] == 0:
        return (leaves * 0).sum()
    ends = edges.to(torch.int64).contiguous()
    weights = weights.to(leaves.dtype).contiguous()
    value, measured = _entropy(leaves, ends, weights, rows_of(ends, leaves.shape[0]), temperature)
    facts = read_facts(measured)
    if facts.wrong_edges or facts.wrong_weights:
        check_edges(edges, weights, leaves.shape[0])
    if facts.wrong_leaves:
        shared_radius(leaves)
    check_radius(facts.shortest, facts.longest)
    return value if facts.volume else (leaves * 0).sum()


def entropy_of_rows(
    leaves: Tensor, index: Tensor, weights: Tensor, pointers: Tensor, temperature: float, deepest: float
) -> Tensor:
    """`cse_loss` of both directions of edges, any of weight 0 last, without checks and without waiting."""
    rows = Rows(pointers, index[1], torch.arange(index.shape[1], device=index.device))
    return _entropy(leaves, index, weights, rows, temperature, 2, deepest)[0]


def _entropy(
    leaves: Tensor,
    edges: Tensor,
    weights: Tensor,
    rows: Rows,
    temperature: float,
    times: int = 1,
    deepest: float = DEEPEST,
) -> tuple[Tensor, Tensor]:
    """The loss and what `read_facts` reads; each edge is among the edges `times` times, and depths end at `deepest`."""
    points = leaves.detach().contiguous()
    directions, columns, lengths = unit_rows(points)
    measured = measure(edges, weights, lengths, times)
    rate = 1 / (temperature * math.log(2.0))
    tables = pair_depths(columns, measured, None if deepest * rate > REACH else rate)
    shares = shares_of(rows, weights, measured)
    terms = edge_terms(edges, weights, shares, tables, temperature, measured)
    if not (leaves.requires_grad and torch.is_grad_enabled()):
        return entropy_value(terms.value, measured, times), measured
    slopes, parts = depth_slopes(rows, shares, tables, terms, temperature)
    by_direction = torch.addmm(slopes @ directions, slopes.T, directions)
    gradient, value = by_leaves(by_direction, parts, (directions, lengths), measured, terms.value, times)
    return _Known.apply(value[0], gradient[None], leaves), measured


def fused_contrast(first: Tensor, second: Tensor, temperature: float, include_positive: bool) -> Tensor:
    """`contrastive_loss` of single precision; nothing of size (n, n) is stored."""
    needed = (first.requires_grad or second.requires_grad) and torch.is_grad_enabled()
    value, gradients = contrast(first, second, temperature, include_positive, gradient=needed)
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
