"""The centroid loss, Eq. (16): leaves spread around the origin give balanced trees."""

from __future__ import annotations

from torch import Tensor

from hypcse.hyperbolic import lorentz
from hypcse.objective.checks import check_points


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
    >>> opposite = lorentz.lift(torch.tensor([[2.0], [-2.0]]))
    >>> centroid_loss(opposite)
    tensor(0.)
    """
    check_points("leaves", leaves)
    return lorentz.distance_to_origin(lorentz.centroid(leaves))
