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

from hypcse._cache import user_cache
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
