"""The optimizer for a set of parameters, curved or not."""

from __future__ import annotations

from collections.abc import Iterable

import torch
from torch import Tensor

from hypcse._geoopt import ManifoldParameter, RiemannianAdam


def optimizer_of(parameters: Iterable[Tensor], learning_rate: float, weight_decay: float = 0.0) -> torch.optim.Adam:
    """Riemannian Adam where a parameter lives on a manifold, Adam where none does.

    On parameters without a manifold the two make the same steps but for rounding, and Adam is the faster. In a mixed
    set Riemannian Adam moves the others as Adam would. `weight_decay` is added to the gradient in both.
    """
    moved = list(parameters)
    if any(isinstance(parameter, ManifoldParameter) for parameter in moved):
        return RiemannianAdam(moved, lr=learning_rate, weight_decay=weight_decay)
    # On a GPU one launch moves all parameters; on the CPU the steps stay those of the published figures.
    fused = True if moved and all(parameter.is_cuda for parameter in moved) else None
    return torch.optim.Adam(moved, lr=learning_rate, weight_decay=weight_decay, fused=fused)
