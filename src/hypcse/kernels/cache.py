"""Where compiled kernels are stored on disk."""

from __future__ import annotations

import hashlib
import tempfile
from functools import cache
from pathlib import Path
from typing import Any, cast

import numba
from numba.core.caching import FunctionCache

from hypcse._checks import warn

_HERE = Path(__file__).parent


def is_warm() -> bool:
    """Whether the kernel of the search, which takes longest to compile, is on disk; True if nothing can be stored."""
    folder = kernel_folder()
    return folder is None or any(folder.glob("serial/search_*/descent.descend-*.nbi"))


@cache
def kernel_folder() -> Path | None:
    """Return a folder for the compiled code of exactly these sources; None, with a warning, if none can be written.

    numba checks the file of a function but not the files of the functions it calls, whose code is compiled into it. So
    the folder is named by all sources here together, and a change in any of them compiles anew.
    """
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
    """The cache folder of hypcse (~/.cache/hypcse on Linux, or below XDG_CACHE_HOME); None for a user without a home.

    It is not created here.
    """
    from platformdirs import user_cache_path

    try:
        folder = user_cache_path("hypcse", appauthor=False)
    except RuntimeError:
        return None
    return folder if folder.is_absolute() else None
