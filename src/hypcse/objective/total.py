"""The overall objective, Eq. (17)."""

from __future__ import annotations

from dataclasses import dataclass
from math import isfinite

from torch import Tensor


@dataclass(frozen=True)
class LossWeights:
    """Weights of the terms beside continuous structural entropy: eta_1 and eta_2 of Eq. (17), both 1 in the paper."""

    contrast_weight: float = 1.0
    centroid_weight: float = 1.0

    def __post_init__(self) -> None:
        for name, value in vars(self).items():
            if not (isfinite(value) and value >= 0):
                raise ValueError(f"{name}={value} must be finite and at least 0; 0 leaves the term out.")


def total_loss(
    cse: Tensor, contrast: Tensor | None = None, centroid: Tensor | None = None, weights: LossWeights | None = None
) -> Tensor:
    """Weighted sum of the given terms.

    Paper: Eq. (17),  L = L_cse + eta_1 L_con + eta_2 L_cen.

    >>> import torch
    >>> float(total_loss(torch.tensor(3.0), torch.tensor(2.0), torch.tensor(1.0), LossWeights(0.5, 0.0)))
    4.0
    """
    weights = weights or LossWeights()
    total = cse
    for term, weight in ((contrast, weights.contrast_weight), (centroid, weights.centroid_weight)):
        # A term of weight 0 is left out; otherwise its NaN would spread.
        if term is not None and weight > 0:
            total = total + weight * term
    return total
