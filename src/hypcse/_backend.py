"""Where tensors live, and which form of a kernel runs on them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

if TYPE_CHECKING:
    from torch import Tensor

KernelForm = Literal["numba", "torch"]


def choose_device(device: str) -> str:
    """The device that a name stands for, when it can be used; "auto" is a GPU where torch sees one.

    >>> choose_device("cpu")
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


def kernel_form(tensor: Tensor, *, single: bool = False) -> KernelForm:
    """The form of a kernel for a tensor: compiled by numba on the CPU, plain torch on any other device.

    single : the compiled form is for single precision alone.
    """
    import torch

    compiled = tensor.device.type == "cpu" and (not single or tensor.dtype == torch.float32)
    return "numba" if compiled else "torch"
