"""The loss of known labels."""

from __future__ import annotations

import torch
from torch import Tensor


def margin_loss(scores: Tensor, codes: Tensor, margin: float = 1.0) -> Tensor:
    """Mean over labelled points and classes of relu(margin - score of the label + score of the class).

    The label's own class adds the margin to every mean. 0 if no point is labelled.

    scores : (n, n_classes).
    codes  : (n,) the class of each point, -1 where unknown.

    >>> float(margin_loss(torch.tensor([[3.0, 1.0], [0.0, 0.0]]), torch.tensor([0, -1])))
    0.5
    """
    known = codes >= 0
    if not bool(known.any()):
        return scores.sum() * 0.0
    own = scores[known].gather(1, codes[known].unsqueeze(1))
    return torch.relu(margin - own + scores[known]).mean()
