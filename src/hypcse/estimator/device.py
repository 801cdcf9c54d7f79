"""Where the networks live."""

from __future__ import annotations


def chosen_device(device: str) -> str:
    """The device that a name stands for; "auto" is a GPU where torch sees one.

    >>> chosen_device("cpu")
    'cpu'
    """
    import torch

    if device == "auto":
        return "cuda" if torch.cuda.is_available() else "cpu"
    try:
        torch.empty(0, device=device)
    except (RuntimeError, AssertionError) as error:
        reason = str(error).splitlines()[0]
        raise ValueError(
            f"device={device!r} cannot be used: {reason}. Use 'cpu', or 'auto' to have it chosen."
        ) from None
    return device
