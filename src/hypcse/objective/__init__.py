"""Step 3, the losses of training: continuous structural entropy, contrast of two views, and the centroid."""

import hypcse._torch  # noqa: F401
from hypcse.objective.centroid import centroid_loss
from hypcse.objective.contrast import contrastive_loss
from hypcse.objective.cse import cse_loss, cse_loss_reference
from hypcse.objective.structural import StructuralEntropyLoss

__all__ = [
    "StructuralEntropyLoss",
    "centroid_loss",
    "contrastive_loss",
    "cse_loss",
    "cse_loss_reference",
]
