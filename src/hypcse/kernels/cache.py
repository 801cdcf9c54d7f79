"""Where compiled kernels are kept on disk. A folder that fails costs time, and is named once."""

from __future__ import annotations

import hashlib
import os
import tempfile
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any, cast

import numba
from numba.core.caching import FunctionCache

from hypcse._checks import warn

_HERE = Path(__file__).parent
_ROOM = 2**20
"""Bytes written to see whether a folder has room; all kernels take about ten times as many."""
_WARM = "serial/search_*/descent.descend-*.nbi"
"""The kernel of the search, which takes longest to compile."""


def is_warm() -> bool:
    """Whether the kernels of these sources lie compiled on disk: that of the search, which takes longest; cheap.

    True too where nothing can be kept there: then every run compiles, and saying "once" would be wrong.
    """
    folder = kernel_folder()
    return folder is None or _is_warm(folder)


@cache
def kernel_folder() -> Path | None:
    """A folder for the compiled code of exactly these sources; None, with a word, where nothing can be written.

    numba checks the file of a function but not the files of the functions it calls, whose code is compiled into it. So
    the folder is named by all sources here together, and a change in any of them compiles anew.
    """
    content = b"".join(path.read_bytes() for path in sorted(_HERE.rglob("*.py")))
    name = f"hypcse-{hashlib.sha256(content + numba.__version__.encode()).hexdigest()[:16]}"
    given = cast(Any, numba.config).CACHE_DIR
    tried: list[Path] = []
    for base in _places(given):
        if _is_usable(base / name):
            if given and tried:
                warn(f"NUMBA_CACHE_DIR={given} cannot be written: compiled kernels are kept in {base} instead.")
            return base / name
        tried.append(base)
    warn(
        f"no folder for compiled kernels can be written ({', '.join(map(str, tried))}): they are compiled again in "
        "every run, which takes about 15 seconds. Set NUMBA_CACHE_DIR to a folder that can."
    )
    return None


def _places(given: str) -> Iterator[Path]:
    """Folders to try: that asked for, the package's, the user's, and for one without a home one in temporary files."""
    if given:
        yield Path(given)
    yield _HERE / "__pycache__"
    own = user_cache()
    if own is not None:
        yield own / "kernels"
    if hasattr(os, "getuid"):
        try:
            folder = Path(tempfile.gettempdir()) / f"hypcse-{os.getuid()}"
            folder.mkdir(mode=0o700, exist_ok=True)
            found = folder.lstat()
        except OSError:
            return
        # Compiled code is run: it must be nobody else's.
        if found.st_uid == os.getuid() and found.st_mode & 0o170022 == 0o040000:
            yield folder


def _is_usable(folder: Path) -> bool:
    """Whether files can be written there, and whether there is room for them where they are not there yet."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryFile(dir=folder) as file:
            if not _is_warm(folder):
                file.write(bytes(_ROOM))
                file.flush()
    except OSError:
        return False
    return True


def _is_warm(folder: Path) -> bool:
    return next(folder.glob(_WARM), None) is not None


class KernelCache(FunctionCache):
    """Compiled code of one function: what cannot be read is compiled again, what cannot be written is not kept."""

    def load_overload(self, sig: Any, target_context: Any) -> Any:
        try:
            return super().load_overload(sig, target_context)
        except MemoryError:
            raise
        except Exception as error:
            # Reading a damaged pickle can raise anything.
            _warn_once(self._folder, type(error).__name__)
            self._forget()
            return None

    def save_overload(self, sig: Any, data: Any) -> None:
        try:
            super().save_overload(sig, data)
        except OSError as error:
            _warn_once(self._folder, error.strerror or type(error).__name__)
            self.disable()

    @property
    def _folder(self) -> Path:
        """The folder of all kernels."""
        return Path(self._cache_path).parents[1]

    def _forget(self) -> None:
        """Start an empty index; if that fails, stop using the cache."""
        try:
            self.flush()
        except OSError:
            self.disable()


@cache
def _warn_once(folder: Path, reason: str) -> None:
    warn(
        f"compiled kernels in {folder} cannot be used or kept ({reason}): they are compiled again. Free some space "
        "there, remove the folder, or set NUMBA_CACHE_DIR to another."
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
