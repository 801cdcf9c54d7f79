"""How kernels are compiled: cached on disk, without the interpreter lock."""

from __future__ import annotations

import gc
import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import cache, wraps
from threading import Lock
from typing import Any, TypeVar, cast

import numba
import numpy as np
from numba import threading_layer  # type: ignore[attr-defined]
from numba.core import event
from numpy.typing import NDArray

from hypcse.kernels.cache import KernelCache, kernel_folder

Function = TypeVar("Function", bound=Callable[..., object])

_INSIDE: Any = {"nogil": True, "no_cpython_wrapper": True, "no_cfunc_wrapper": True}


def kernel(function: Function) -> Function:
    """A loop compiled for one thread."""
    return _compiled(function, parallel=False)


def reading_kernel(function: Function) -> Function:
    """A `kernel` that writes to none of its arguments: compiled once, whether its arrays may be written or not."""
    compiled = kernel(function)

    @wraps(function)
    def run(*arguments: Any) -> object:
        return compiled(*(read_only(value)[0] if isinstance(value, np.ndarray) else value for value in arguments))

    return cast(Function, run)


def helper(function: Function) -> Function:
    """A function that kernels alone call: it is compiled into them, which is faster, and not for Python."""
    return cast(Function, numba.njit(**_INSIDE)(function))


def summing_helper(function: Function) -> Function:
    """A helper whose sums may be taken in any order, which makes them vector instructions."""
    sums: Any = {**_INSIDE, "_nrt": False, "fastmath": {"reassoc", "nsz", "contract"}}
    return cast(Function, numba.njit(**sums)(function))


def bare_helper(function: Function) -> Function:
    """A helper that makes no arrays: those that pass through are not counted, which can take longer than its work."""
    bare: Any = {**_INSIDE, "_nrt": False}
    return cast(Function, numba.njit(**bare)(function))


def parallel_kernel(function: Function) -> Function:
    """A loop compiled for all threads, and for one where there is one, or where threads are not safe: see `launch`.

    One iteration alone must write each output element: the answer does not depend on the number of threads then.
    """
    return sized_kernel(-1)(function)


def sized_kernel(serial: int) -> Callable[[Function], Function]:
    """A `parallel_kernel` that runs on one thread if the last argument, an array, has at most `serial` entries.

    Waking threads costs more than a short loop does, and far more on a busy machine.
    """

    def compile_both(function: Function) -> Function:
        alone, together = kernel(function), _compiled(function, parallel=True)

        @wraps(function)
        def run(*arguments: Any) -> object:
            if serial >= 0 and arguments[-1].size <= serial:
                return alone(*arguments)
            with launch() as several:
                return (together if several else alone)(*arguments)

        return cast(Function, run)

    return compile_both


class _NoGarbage(event.Listener):
    """Collects no garbage while kernels are compiled, which would take a sixth of the time."""

    _depth, _collects = 0, False

    def on_start(self, event: Any) -> None:
        if not self._depth:
            self._collects = gc.isenabled()
            gc.disable()
        self._depth += 1

    def on_end(self, event: Any) -> None:
        self._depth -= 1
        if not self._depth and self._collects:
            gc.enable()


event.register("numba:compile", _NoGarbage())


def read_only(*arrays: NDArray[Any]) -> tuple[NDArray[Any], ...]:
    """Views of arrays that cannot be written: a kernel is compiled anew for arrays that can."""
    views = tuple(array.view() for array in arrays)
    for view in views:
        view.flags.writeable = False
    return views


@cache
def _compiled(function: Function, parallel: bool) -> Function:
    compiled: Any = numba.njit(nogil=True, parallel=parallel)(function)
    folder, settings = kernel_folder(), cast(Any, numba.config)
    if folder is not None:
        # numba files both forms of one function under one name.
        before, settings.CACHE_DIR = settings.CACHE_DIR, str(folder / ("parallel" if parallel else "serial"))
        try:
            compiled._cache = KernelCache(function)
        finally:
            settings.CACHE_DIR = before
    return cast(Function, compiled)


_forked = False
_launching = Lock()


def _threading_layer() -> str | None:
    """Return the name of the layer that numba has started; None before it has."""
    try:
        return str(threading_layer())
    except ValueError:
        return None


def _note_fork() -> None:
    """The threads of OpenMP stay behind in the parent: a child, and its children, must not use them."""
    global _forked
    _forked = _forked or _threading_layer() == "omp"


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_note_fork)


@contextmanager
def launch() -> Iterator[bool]:
    """Whether the kernel that is called inside may run on several threads.

    With one thread nothing is started. Under the work queue the second of two threads runs its kernel alone: to wait
    would take longer, and forever in a child that was forked while the first was at work.
    """
    if _forked or numba.get_num_threads() == 1:
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
