"""How kernels are compiled: cached on disk, without the interpreter lock."""

from __future__ import annotations

import ctypes
import os
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import cache, wraps
from pathlib import Path
from threading import Lock
from typing import Any, TypeVar, cast

import numba
import numpy as np
from numba import threading_layer  # type: ignore[attr-defined]
from numpy.typing import NDArray

from hypcse.kernels.cache import KernelCache, kernel_folder

Function = TypeVar("Function", bound=Callable[..., object])


def kernel(function: Function) -> Function:
    """A loop compiled for one thread."""
    return _compiled(function, parallel=False)


def reading_kernel(function: Function) -> Function:
    """A `kernel` that writes to none of its arguments: compiled once, whether its arrays may be written or not."""
    made = kernel(function)

    @wraps(function)
    def run(*arguments: Any) -> object:
        return made(*(read_only(value)[0] if isinstance(value, np.ndarray) else value for value in arguments))

    return cast(Function, run)


def helper(function: Function) -> Function:
    """A function that kernels alone call: it is compiled into them, which is faster, and not for Python."""
    without: Any = {"no_cpython_wrapper": True, "no_cfunc_wrapper": True}
    return cast(Function, numba.njit(nogil=True, **without)(function))


def bare_helper(function: Function) -> Function:
    """A helper that makes no arrays: those that pass through are not counted, which can take longer than its work."""
    without: Any = {"no_cpython_wrapper": True, "no_cfunc_wrapper": True, "_nrt": False}
    return cast(Function, numba.njit(nogil=True, **without)(function))


def parallel_kernel(function: Function) -> Function:
    """A loop compiled for all threads, and for one where there is one, or where threads are not safe: see `launch`.

    Every output element must be written by one iteration alone: then the answer does not depend on the number
    of threads.
    """
    alone, together = _compiled(function, parallel=False), _compiled(function, parallel=True)

    @wraps(function)
    def run(*arguments: Any) -> object:
        with launch() as several:
            return (together if several else alone)(*arguments)

    return cast(Function, run)


def sized_kernel(serial: int) -> Callable[[Function], Function]:
    """A loop compiled both ways; all threads run where the last argument, an array, has more entries than `serial`.

    Waking threads costs more than a short loop does, and far more on a busy machine.
    """

    def compile_both(function: Function) -> Function:
        alone, together = kernel(function), parallel_kernel(function)

        @wraps(function)
        def run(*arguments: Any) -> object:
            return (together if arguments[-1].size > serial else alone)(*arguments)

        return cast(Function, run)

    return compile_both


def read_only(*arrays: NDArray[Any]) -> tuple[NDArray[Any], ...]:
    """Views of arrays that cannot be written.

    A kernel is compiled anew for arrays of another kind, and whether they may be written is part of that.
    """
    views = tuple(array.view() for array in arrays)
    for view in views:
        view.flags.writeable = False
    return views


@cache
def _compiled(function: Function, parallel: bool) -> Function:
    made: Any = numba.njit(nogil=True, parallel=parallel)(function)
    folder, settings = kernel_folder(), cast(Any, numba.config)
    if folder is not None:
        # numba files both forms of one function under one name.
        given, settings.CACHE_DIR = settings.CACHE_DIR, str(folder / ("parallel" if parallel else "serial"))
        try:
            made._cache = KernelCache(function)
        finally:
            settings.CACHE_DIR = given
    return cast(Function, made)


_left_behind = False
_launching = Lock()


def find_tbb(prefix: str | Path) -> bool:
    """Load the TBB that pip puts below the interpreter's prefix, where the system's loader does not look.

    numba asks for it by its bare name, and so finds the one that is loaded.
    """
    library = Path(prefix) / "lib" / "libtbb.so.12"
    try:
        ctypes.CDLL(str(library))
    except OSError:
        # There is none, or not for this machine: numba takes the next layer.
        return False
    return True


def _threading_layer() -> str | None:
    """Name of the layer that numba has started; None before it has."""
    try:
        return str(threading_layer())
    except ValueError:
        return None


def _note_fork() -> None:
    """What OpenMP has started stays behind in the parent, and so it does for children of this child."""
    global _left_behind
    _left_behind = _left_behind or _threading_layer() == "omp"


if sys.platform == "linux" and _threading_layer() is None:
    find_tbb(sys.prefix)
if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_note_fork)


@contextmanager
def launch() -> Iterator[bool]:
    """Whether the kernel that is called inside may run on several threads.

    With one thread nothing is started. Under the work queue the second of two threads runs its kernel alone: to wait
    would take longer, and for ever in a child that was forked while the first was at work.
    """
    if _left_behind or numba.get_num_threads() == 1:
        yield False
    elif _threading_layer() != "workqueue":
        yield True
    else:
        free = _launching.acquire(blocking=False)
        try:
            yield free
        finally:
            if free:
                _launching.release()
