"""The contrastive loss of two views of the same vertices, Eq. (15)."""

from __future__ import annotations

from typing import Any

import torch
from torch import Tensor
from torch.autograd.function import once_differentiable

from hypcse.kernels.losses.contrast import decay_slopes, decays_of_products, row_and_column_sums
from hypcse.neural.backend import kernel_form
from hypcse.neural.geometry import lorentz
from hypcse.neural.losses.checks import check_temperature, check_views

# exp(-x) and sums of it are normal numbers in single precision up to this x.
_REACH = 80.0


def contrastive_loss(first: Tensor, second: Tensor, temperature: float, include_positive: bool = True) -> Tensor:
    """Pull the two views of a vertex together and push those of different vertices apart, -> scalar.

    Paper: Eq. (15), with d the Lorentz distance:

        L_con = (1 / 2n) sum_i [L(p_i, q_i) + L(q_i, p_i)],
        L(p_i, q_i) = -log( exp(-d(p_i, q_i) / t) / sum_k exp(-d(p_i, q_k) / t) ).

    The paper's r_2 cancels. One matrix product, O(n^2 d).

    Parameters
    ----------
    first, second
        The two views, Lorentz points (n, d + 1), row i of both the same vertex.
    temperature
        The t of the equation, above 0.
    include_positive
        Whether the sum includes k = i, as printed. False follows the authors' code: the loss may then be negative, and
        needs at least two vertices.

    Returns
    -------
    Tensor
        A scalar.

    Examples
    --------
    >>> far_apart = lorentz.lift(torch.tensor([[3.0, 0.0], [-3.0, 0.0]]))
    >>> round(float(contrastive_loss(far_apart, far_apart, 1.0)), 3)
    0.026
    """
    check_views(first, second, include_positive)
    check_temperature(temperature)
    if kernel_form(first) == "triton" and second.dtype == first.dtype:
        from hypcse.neural.losses.fused import fused_contrast

        return fused_contrast(first, second, temperature, include_positive)
    positive = -lorentz.distance(first, second) / temperature
    excess = lorentz.pairwise_excess(first, second)
    # Compute the diagonal again without the rounding of the matrix product: both views of a vertex are close.
    diagonal = positive if include_positive else torch.full_like(positive, -torch.inf)
    form: Any = _CompiledSums.apply if _can_compile(excess, positive, temperature) else plain_sums
    return (form(excess, diagonal, temperature) / 2 - positive).mean()


def plain_sums(excess: Tensor, diagonal: Tensor, temperature: float) -> Tensor:
    """log sum_k of row i plus that of column i, (n,), of exp(-arcosh(1 + u) / t) with the logarithms on the diagonal
    replaced: the form for every device and precision."""
    logits = torch.diagonal_scatter(-lorentz.arcosh_one_plus(excess) / temperature, diagonal)
    return torch.logsumexp(logits, dim=1) + torch.logsumexp(logits, dim=0)


def _can_compile(excess: Tensor, positive: Tensor, temperature: float) -> bool:
    """Whether the kernels apply: single precision on the CPU, and no underflow in the sums of exponentials."""
    if kernel_form(excess, single=True) != "numba":
        return False
    farthest = float(lorentz.arcosh_one_plus(excess.detach().max()))
    return max(farthest / temperature, -float(positive.detach().min())) <= _REACH


class _CompiledSums(torch.autograd.Function):
    """`plain_sums` by kernels: the exponentials are kept, and no other matrix but that of the derivative is made."""

    @staticmethod
    def forward(ctx: Any, excess: Tensor, diagonal: Tensor, temperature: float) -> Tensor:
        decays = torch.from_numpy(decays_of_products(excess.contiguous().numpy(), temperature))
        decays.diagonal().copy_(diagonal.exp())
        rows, columns = (torch.from_numpy(sums) for sums in row_and_column_sums(decays.numpy()))
        ctx.save_for_backward(excess, decays, rows, columns)
        ctx.temperature = temperature
        return (rows.log() + columns.log()).to(excess.dtype)

    @staticmethod
    @once_differentiable
    def backward(ctx: Any, upstream: Tensor) -> tuple[Tensor, Tensor, None]:
        excess, decays, rows, columns = ctx.saved_tensors
        by_row, by_column = ((upstream / sums).to(excess.dtype) for sums in (rows, columns))
        factors = by_row.numpy(), by_column.numpy()
        slopes = decay_slopes(excess.contiguous().numpy(), decays.numpy(), *factors, ctx.temperature)
        by_excess = torch.from_numpy(slopes)
        by_excess.fill_diagonal_(0)
        return by_excess, decays.diagonal() * (by_row + by_column), None
