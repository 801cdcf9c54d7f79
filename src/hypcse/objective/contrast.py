"""The contrastive loss of two views of the same vertices, Eq. (15)."""

from __future__ import annotations

import torch
from torch import Tensor

from hypcse.hyperbolic import lorentz
from hypcse.objective.checks import check_temperature, check_views


def contrastive_loss(first: Tensor, second: Tensor, temperature: float, include_positive: bool = True) -> Tensor:
    """Pull the two views of a vertex together and push those of different vertices apart, -> scalar.

    Paper: Eq. (15), on Lorentz points (n, d + 1), row i of both the same vertex, with d the Lorentz distance:

        L_con = (1 / 2n) sum_i [L(p_i, q_i) + L(q_i, p_i)],
        L(p_i, q_i) = -log( exp(-d(p_i, q_i) / t) / sum_k exp(-d(p_i, q_k) / t) ).

    The paper's r_2 cancels. With include_positive=False the sum runs over k != i, as in the authors' code: the loss
    may then be negative, and needs two vertices. One matrix product, O(n^2 d).

    >>> far_apart = lorentz.lift(torch.tensor([[3.0, 0.0], [-3.0, 0.0]]))
    >>> round(float(contrastive_loss(far_apart, far_apart, 1.0)), 3)
    0.026
    """
    check_views(first, second, include_positive)
    check_temperature(temperature)
    positive = -lorentz.distance(first, second) / temperature
    logits = -lorentz.pairwise_distance(first, second) / temperature
    # The diagonal again without the rounding of the matrix product: the views of a vertex come to lie close.
    diagonal = positive if include_positive else torch.full_like(positive, -torch.inf)
    logits = torch.diagonal_scatter(logits, diagonal)
    others = torch.logsumexp(logits, dim=1) + torch.logsumexp(logits, dim=0)
    return (others / 2 - positive).mean()
