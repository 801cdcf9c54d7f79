"""When a kernel may run on several threads: not in every process, nor in every thread, is that safe.

numba starts its threads through one of three libraries, its threading layers. Under OpenMP a forked child that runs a
parallel kernel is ended by numba; under numba's own work queue two threads of Python that run one at the same time end
the program. With TBB both work, and numba takes it where it finds it.
"""

from __future__ import annotations

import ctypes
import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from threading import Lock

import numba
from numba import threading_layer  # type: ignore[attr-defined]

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
