"""Continuous structural entropy, Eq. (8) and (9): the differentiable objective over leaves in the ball."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import torch
from torch import Tensor
from torch.autograd.function import once_differentiable
from torch.utils.checkpoint import checkpoint

from hypcse.kernels.losses.lca_volume import adjacency, lca_volume, lca_volume_gradient
from hypcse.neural.backend import kernel_form
from hypcse.neural.geometry.lca import lca_depth
from hypcse.neural.losses.checks import check_edges, check_points, check_temperature

# Numbers in one array of a chunk of the plain form: few enough for a cache, and on a GPU enough to hide the calls.
_CHUNK, _GPU_CHUNK = 2**20, 2**22

VolumeForm = Callable[[Tensor, Tensor, Tensor, float], Tensor]


def cse_loss(leaves: Tensor, edges: Tensor, weights: Tensor, temperature: float) -> Tensor:
    """Compute the continuous structural entropy, in bits, of a graph on the tree spanned by its leaves.

    Paper: Eq. (8) with the volumes of Eq. (9), divided by the volume V of the graph:

        L = (2 / V) sum over edges of w_ij log2(V_i + V_j + V_hat_ij),
        V_hat_ij = sum over k != i, j of V_k softmax(-(d_ij, d_ik, d_jk) / t)_1,    d_ij = d_o(z_i v z_j).

    Parameters
    ----------
    leaves
        (n, d) points in the ball that share one radius.
    edges
        (2, m) each undirected edge once, no loops.
    weights
        (m,) at least 0; V_i is the sum of those at vertex i. If all are 0, the loss is 0.
    temperature
        The t of the equation, above 0.

    Returns
    -------
    Tensor
        A scalar.

    Notes
    -----
    The gradient by the leaves is correct along the sphere and along a common scaling of them; there is no second
    derivative. The gradient by the weights, which act in the sum and through all volumes, is exact; the compiled forms
    have none, so weights that require it use the plain form on any device. O(n m) time, O(n^2) memory.

    Examples
    --------
    >>> leaves = torch.tensor([[0.9, 0.0], [0.0, 0.9], [-0.9, 0.0]])
    >>> round(float(cse_loss(leaves, torch.tensor([[0, 1], [1, 2]]), torch.ones(2), 1.0)), 3)
    1.69
    """
    form = "torch" if weights.requires_grad else kernel_form(leaves)
    if form == "triton":
        from hypcse.neural.losses.fused import fused_entropy

        return fused_entropy(leaves, edges, weights, temperature)
    return _cse(leaves, edges, weights, temperature, _CompiledVolumes.apply if form == "numba" else _plain_volumes)


def cse_loss_reference(leaves: Tensor, edges: Tensor, weights: Tensor, temperature: float) -> Tensor:
    """`cse_loss` with the three-way softmax of Eq. (9) in plain torch, edges in chunks; any device, all gradients."""
    return _cse(leaves, edges, weights, temperature, _plain_volumes)


def _cse(leaves: Tensor, edges: Tensor, weights: Tensor, temperature: float, form: VolumeForm) -> Tensor:
    """The loss in shares of the volume, in which weights have no unit: log2 V + 2 sum w/V log2(volume / V)."""
    check_points("leaves", leaves)
    check_edges(edges, weights, leaves.shape[0])
    check_temperature(temperature)
    weights, edges = weights.to(leaves.dtype), edges.to(torch.int64)
    volume = 2 * weights.sum()
    if edges.shape[1] == 0 or float(volume.detach()) == 0:
        return (leaves * 0).sum()
    rates = weights / volume
    shares = leaves.new_zeros(leaves.shape[0]).index_add(0, edges.flatten(), rates.repeat(2))
    # An edge of weight 0 may join vertices without volume; its term is 0 whatever stands in the logarithm.
    inside = shares[edges].sum(0) + form(lca_depth(leaves), shares, edges, temperature)
    inside = inside.clamp_min(torch.finfo(inside.dtype).tiny)
    return torch.log2(volume) + 2 * torch.dot(rates, torch.log2(inside))


class _CompiledVolumes(torch.autograd.Function):
    """Eq. (9) by the compiled kernel: differentiable by the depths, not by the volumes."""

    @staticmethod
    def forward(ctx: Any, depth: Tensor, volumes: Tensor, edges: Tensor, temperature: float) -> Tensor:
        first, second = edges.contiguous().numpy()
        rows = adjacency(first, second, depth.shape[0])
        result = lca_volume(depth.contiguous().numpy(), volumes.numpy(), rows, temperature)
        ctx.inputs = result, volumes.numpy(), rows, temperature
        by_edge = depth.new_empty(edges.shape[1])
        # Both directions of an edge hold the same number.
        by_edge[torch.from_numpy(rows.edge)] = torch.from_numpy(result.volume)
        return by_edge

    @staticmethod
    @once_differentiable
    def backward(ctx: Any, upstream: Tensor) -> tuple[Tensor, None, None, None]:
        result, volumes, rows, temperature = ctx.inputs
        rates = lca_volume_gradient(result, volumes, rows, temperature, upstream.contiguous().numpy())
        return torch.from_numpy(rates), None, None, None


def _plain_volumes(depth: Tensor, volumes: Tensor, edges: Tensor, temperature: float) -> Tensor:
    n_edges = max(1, (_GPU_CHUNK if depth.is_cuda else _CHUNK) // depth.shape[0])
    # A chunk is computed again in the backward pass: stored, its arrays would make (edges x vertices x 3) in all.
    parts = [
        checkpoint(_plain_chunk, depth, volumes, some, temperature, use_reentrant=False)
        for some in edges.split(n_edges, dim=1)
    ]
    return torch.cat(parts)


def _plain_chunk(depth: Tensor, volumes: Tensor, edges: Tensor, temperature: float) -> Tensor:
    """Eq. (9) as printed, for a few edges."""
    i, j = edges
    joint = depth[i, j].unsqueeze(1).expand(-1, depth.shape[1])
    shares = torch.softmax(torch.stack([joint, depth[i], depth[j]]) / -temperature, dim=0)[0]
    others = torch.ones_like(shares).scatter(1, edges.T, 0)
    return (shares * others) @ volumes
