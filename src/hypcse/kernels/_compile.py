"""How kernels are compiled: cached on disk, without the interpreter lock."""

from __future__ import annotations

import hashlib
import tempfile
from collections.abc import Callable
from functools import cache, wraps
from pathlib import Path
from typing import Any, TypeVar, cast

import numba
from numpy.typing import NDArray

from hypcse._cache import user_cache

Function = TypeVar("Function", bound=Callable[..., object])


def kernel(function: Function) -> Function:
    """A loop compiled for one thread."""
    return _compiled(function, parallel=False)


def helper(function: Function) -> Function:
    """A function that kernels alone call: it is compiled into them, which is faster, and not for Python."""
    without: Any = {"no_cpython_wrapper": True, "no_cfunc_wrapper": True}
    return cast(Function, numba.njit(nogil=True, **without)(function))


def parallel_kernel(function: Function) -> Function:
    """A loop compiled for all threads.

    Every output element must be written by one iteration alone: then the answer does not depend on the number
    of threads.
    """
    return _compiled(function, parallel=True)


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


def is_warm() -> bool:
    """Whether the kernels of these sources lie compiled on disk: that of the search, which takes longest; cheap.

    True too where nothing can be kept there: then every run compiles, and saying "once" would be wrong.
    """
    folder = _cache_folder("serial")
    return folder is None or next(Path(folder).glob("search_*/descent.descend-*.nbi"), None) is not None


def _compiled(function: Function, parallel: bool) -> Function:
    # numba files both forms of one function under one name.
    folder, settings = _cache_folder("parallel" if parallel else "serial"), cast(Any, numba.config)
    given = settings.CACHE_DIR
    settings.CACHE_DIR = folder or given
    try:
        made = numba.njit(cache=folder is not None, nogil=True, parallel=parallel)
        return cast(Function, made(function))
    finally:
        settings.CACHE_DIR = given


@cache
def _cache_folder(form: str) -> str | None:
    """A folder for the compiled code of exactly these sources; None where nothing can be written.

    numba checks the file of a function but not the files of the functions it calls, whose code is compiled into it. So
    the folder is named by all sources here together, and a change in any of them compiles anew.
    """
    here = Path(__file__).parent
    content = b"".join(path.read_bytes() for path in sorted(here.rglob("*.py")))
    name = f"hypcse-{hashlib.sha256(content).hexdigest()[:16]}"
    chosen = cast(Any, numba.config).CACHE_DIR
    given = [Path(chosen)] if chosen else []
    own = user_cache()
    for base in (*given, here / "__pycache__", *([] if own is None else [own / "kernels"])):
        folder = base / name / form
        try:
            folder.mkdir(parents=True, exist_ok=True)
            with tempfile.TemporaryFile(dir=folder):
                return str(folder)
        except OSError:
            continue
    return None
