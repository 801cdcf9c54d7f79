"""Torch and geoopt, or a line on how to install them; where tensors live, and which form of a kernel runs on them."""

from __future__ import annotations

import os
import shutil
import sysconfig
import warnings
from functools import cache
from importlib.util import find_spec
from pathlib import Path
from typing import Literal

try:
    import torch
    from torch import Tensor
except ModuleNotFoundError as error:
    raise ImportError(f'training needs torch and geoopt ({error}): pip install "hypcse[train]".') from None
except (ImportError, OSError) as error:
    # Installing it again would not help.
    raise ImportError(f"torch is installed but cannot be loaded ({error}). Is there a memory limit?") from None

with warnings.catch_warnings():
    # Its functions are compiled as the module loads, by a torch feature that is now deprecated.
    warnings.filterwarnings("ignore", "`torch.jit.script.*` is deprecated", DeprecationWarning)
    from geoopt import Lorentz, ManifoldParameter
    from geoopt.optim import RiemannianAdam

__all__ = ["Lorentz", "ManifoldParameter", "RiemannianAdam"]

KernelForm = Literal["numba", "triton", "torch"]
# The least compute capability of a GPU that Triton compiles for.
_CAPABILITY = (7, 0)


def choose_device(device: str) -> str:
    """The device of that name, if it can be used; "auto" is a GPU if torch sees one."""
    if device == "auto":
        return "cuda" if torch.cuda.is_available() else "cpu"
    try:
        torch.empty(0, device=device)
    except (RuntimeError, AssertionError) as error:
        reason = str(error).splitlines()[0]
        raise ValueError(
            f"device={device!r} cannot be used: {reason}. Use 'cpu', or 'auto' to let hypcse choose."
        ) from None
    return device


def kernel_form(tensor: Tensor, *, single: bool = False) -> KernelForm:
    """Numba's form on the CPU (`single`: of single precision), Triton's on a GPU in single precision, else torch's."""
    is_single = tensor.dtype == torch.float32
    kind = tensor.device.type
    if is_single and (kind == "cuda" or (kind == "cpu" and _interpreted())) and not missing_on(tensor.device):
        return "triton"
    return "numba" if kind == "cpu" and (is_single or not single) else "torch"


def missing_on(device: torch.device) -> str:
    """What Triton's kernels lack on a device, in a few words; empty if they run."""
    missing = missing_for_triton()
    if missing or device.type != "cuda":
        return missing
    major, minor = torch.cuda.get_device_capability(device)
    least = ".".join(map(str, _CAPABILITY))
    return "" if (major, minor) >= _CAPABILITY else f"compute capability {least} (this GPU has {major}.{minor})"


def _interpreted() -> bool:
    return os.environ.get("TRITON_INTERPRET") == "1"


@cache
def missing_for_triton() -> str:
    """What Triton's kernels lack on this machine, in a word or two; empty if they run."""
    if find_spec("triton") is None:
        return "triton"
    if _interpreted():
        return ""
    if not (os.environ.get("CC") or shutil.which("gcc") or shutil.which("clang")):
        return "C compiler"
    # Triton builds a Python module for each kernel.
    headers = sysconfig.get_path("include", "posix_prefix")
    return "" if Path(headers, "Python.h").exists() else "Python.h"
