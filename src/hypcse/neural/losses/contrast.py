"""The losses beside structural entropy: contrast of two views, Eq. (15), the centroid, Eq. (16), and class margins."""

from __future__ import annotations

from typing import Any

import torch
from torch import Tensor
from torch.autograd.function import once_differentiable

from hypcse.kernels.losses.all_pairs import decay_slopes, decays_of_products, row_and_column_sums
from hypcse.neural import geometry
from hypcse.neural.backend import kernel_form

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
    >>> far_apart = geometry.lift(torch.tensor([[3.0, 0.0], [-3.0, 0.0]]))
    >>> round(float(contrastive_loss(far_apart, far_apart, 1.0)), 3)
    0.026
    """
    if first.shape != second.shape:
        raise ValueError(
            f"the views have shapes {tuple(first.shape)} and {tuple(second.shape)}; row i of both must be the same "
            "vertex, as Lorentz points (n, d + 1)."
        )
    geometry.check_points("first", first, 1 if include_positive else 2)
    geometry.check_points("second", second)
    geometry.check_temperature(temperature)
    if kernel_form(first) == "triton" and second.dtype == first.dtype:
        from hypcse.neural.losses.fused import fused_contrast

        return fused_contrast(first, second, temperature, include_positive)
    positive = -geometry.distance(first, second) / temperature
    excess = geometry.pairwise_excess(first, second)
    # Compute the diagonal again without the rounding of the matrix product: both views of a vertex are close.
    diagonal = positive if include_positive else torch.full_like(positive, -torch.inf)
    form: Any = _CompiledSums.apply if _can_compile(excess, positive, temperature) else plain_sums
    return (form(excess, diagonal, temperature) / 2 - positive).mean()


def plain_sums(excess: Tensor, diagonal: Tensor, temperature: float) -> Tensor:
    """log sums of exp(-arcosh(1 + u) / t) over row i and over column i, added, with the diagonal's logarithms."""
    logits = torch.diagonal_scatter(-geometry.arcosh_one_plus(excess) / temperature, diagonal)
    return torch.logsumexp(logits, dim=1) + torch.logsumexp(logits, dim=0)


def _can_compile(excess: Tensor, positive: Tensor, temperature: float) -> bool:
    """Whether the kernels apply: single precision on the CPU, and no underflow in the sums of exponentials."""
    if kernel_form(excess, single=True) != "numba":
        return False
    farthest = float(geometry.arcosh_one_plus(excess.detach().max()))
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


def centroid_loss(leaves: Tensor) -> Tensor:
    """Distance from the origin to the centroid of the leaves, Lorentz points (n, d + 1) -> scalar.

    Paper: Eq. (16),  L_cen = d_o(sum_j z_j / |‖sum_i z_i‖|).

    Parameters
    ----------
    leaves
        Lorentz points (n, d + 1).

    Returns
    -------
    Tensor
        A scalar.

    Examples
    --------
    >>> import torch
    >>> opposite = geometry.lift(torch.tensor([[2.0], [-2.0]]))
    >>> centroid_loss(opposite)
    tensor(0.)
    """
    geometry.check_points("leaves", leaves)
    return geometry.distance_to_origin(geometry.centroid(leaves))


def margin_loss(scores: Tensor, codes: Tensor, margin: float = 1.0) -> Tensor:
    """Mean over labeled points (codes >= 0) and classes of relu(margin - score of the label + score of the class)."""
    is_labeled = codes >= 0
    if not bool(is_labeled.any()):
        return scores.sum() * 0.0
    own = scores[is_labeled].gather(1, codes[is_labeled].unsqueeze(1))
    return torch.relu(margin - own + scores[is_labeled]).mean()
