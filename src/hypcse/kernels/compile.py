"""How kernels are compiled, without the interpreter lock, and where their code is stored on disk."""

from __future__ import annotations

import gc
import hashlib
import os
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import cache, wraps
from pathlib import Path
from threading import Lock
from typing import Any, TypeVar, cast

import numba
import numpy as np
from numba import threading_layer  # type: ignore[attr-defined]
from numba.core import event
from numba.core.caching import FunctionCache
from numpy.typing import NDArray

from hypcse._checks import warn

Function = TypeVar("Function", bound=Callable[..., object])

_HERE = Path(__file__).parent
_INSIDE: Any = {"nogil": True, "no_cpython_wrapper": True, "no_cfunc_wrapper": True}


def kernel(function: Function) -> Function:
    """A loop compiled for one thread."""
    return _compiled(function, parallel=False)


def reading_kernel(function: Function) -> Function:
    """A `kernel` that writes to none of its arguments: compiled once, whether its arrays may be written or not."""
    compiled: Any = kernel(function)

    def unwritten(value: Any) -> Any:
        if isinstance(value, tuple):
            return type(value)(*map(unwritten, value))
        return read_only(value)[0] if isinstance(value, np.ndarray) else value

    @wraps(function)
    def run(*arguments: Any) -> object:
        return compiled(*map(unwritten, arguments))

    cast(Any, run).compile = compiled.compile
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
    """A loop compiled for all threads and for one, see `launch`; one iteration alone writes each output element."""
    return sized_kernel(-1)(function)


def sized_kernel(serial: int) -> Callable[[Function], Function]:
    """A `parallel_kernel` on one thread if its last argument has at most `serial` entries: to wake others costs."""

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


@cache
def kernel_folder() -> Path | None:
    """Return a folder for the compiled code of exactly these sources; None, with a warning, if none can be written."""
    # numba does not look at the files of the functions that a kernel calls, so that any change compiles anew.
    content = b"".join(path.read_bytes() for path in sorted(_HERE.rglob("*.py")))
    name = f"hypcse-{hashlib.sha256(content + numba.__version__.encode()).hexdigest()[:16]}"
    chosen, user = cast(Any, numba.config).CACHE_DIR, user_cache()
    bases = [*([Path(chosen)] if chosen else []), _HERE / "__pycache__", *([user / "kernels"] if user else [])]
    for base in bases:
        try:
            (base / name).mkdir(parents=True, exist_ok=True)
            with tempfile.TemporaryFile(dir=base / name):
                pass
        except OSError:
            continue
        if chosen and base != bases[0]:
            warn(f"NUMBA_CACHE_DIR={chosen} cannot be written: compiled kernels are stored in {base} instead.")
        return base / name
    warn(
        f"no folder for compiled kernels can be written ({', '.join(map(str, bases))}): they are compiled again in "
        "every run, which takes about 10 seconds. Set NUMBA_CACHE_DIR to a folder that can."
    )
    return None


class KernelCache(FunctionCache):
    """Compiled code of one function. On a full disk a run goes on without storing it."""

    def save_overload(self, sig: Any, data: Any) -> None:
        try:
            super().save_overload(sig, data)
        except OSError as error:
            self.disable()
            _warn_once(str(Path(self._cache_path).parents[1]), str(error.strerror or error))


@cache
def _warn_once(folder: str, reason: str) -> None:
    warn(
        f"compiled kernels cannot be stored in {folder} ({reason}): they are compiled again in the next run. Free some "
        "space there, or set NUMBA_CACHE_DIR to another folder."
    )


def user_cache() -> Path | None:
    """The cache folder of hypcse, which may not exist yet; None for a user without a home."""
    from platformdirs import user_cache_path

    try:
        folder = user_cache_path("hypcse", appauthor=False)
    except RuntimeError:
        return None
    return folder if folder.is_absolute() else None


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
    """Whether the kernel that is called inside may run on several threads."""
    if _forked or numba.get_num_threads() == 1:
        yield False
    elif _threading_layer() != "workqueue":
        yield True
    else:
        # Under the work queue the second of two threads works alone: a forked child might wait for the first forever.
        free = _launching.acquire(blocking=False)
        try:
            yield free
        finally:
            if free:
                _launching.release()
