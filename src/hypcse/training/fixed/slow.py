"""A warning where a training on a GPU is slower than it could be."""

from __future__ import annotations

import torch

from hypcse._backend import missing_on
from hypcse._checks import warn

_told: set[str] = set()


def warn_if_slow(device: torch.device) -> None:
    """Warn, once in a program, if a training on a GPU takes the plain form of the losses."""
    missing = missing_on(device) if device.type == "cuda" else ""
    if missing and missing not in _told:
        _told.add(missing)
        warn(
            f"the training on the GPU uses slower losses, because its kernels need {missing}. "
            "Install what is missing, or use device='cpu'."
        )
