"""How kernels are compiled: cached on disk, without the interpreter lock."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar, cast

import numba

Function = TypeVar("Function", bound=Callable[..., object])


def kernel(function: Function) -> Function:
    """A loop compiled for one thread."""
    return cast(Function, numba.njit(cache=True, nogil=True)(function))


def parallel_kernel(function: Function) -> Function:
    """A loop compiled for all threads.

    Every output element must be written by one iteration alone: then the answer does not depend on the number
    of threads.
    """
    return cast(Function, numba.njit(cache=True, nogil=True, parallel=True)(function))
