"""Tries out an HDF5 file in another process: some damaged files crash the library, or make it loop forever.

Run as a program with a path, this module reads the small parts of the file, where the library follows pointers. It then
imports nothing from hypcse, so that it starts fast.
"""

from __future__ import annotations

import signal
import subprocess
import sys
from importlib import import_module
from pathlib import Path
from typing import Any

SMALL = 2**20
"""A data set of at most this many bytes is read whole; of a larger one, only the first and the last row."""
MAX_CPU = 60
"""Seconds of CPU time after which the library counts as stuck. Waiting for a slow disk does not count."""
MAX_WAIT = 1800
"""Seconds after which the trial ends in any case."""
_HARMLESS = {0, 1, 120, -getattr(signal, "SIGKILL", 9), -signal.SIGTERM, -signal.SIGINT}
"""Exit codes that say nothing about the file: success, an error, or stopped by the user."""


def check_apart(path: Path) -> None:
    """Raise if reading the file in another process crashes that process. Takes about half a second.

    Files that the library merely refuses are reported when they are read here. If no process can be started, nothing is
    checked.
    """
    if not sys.executable:
        return
    command = [sys.executable, "-P", __file__, str(path.absolute())]
    try:
        ended = subprocess.run(
            command, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, timeout=MAX_WAIT
        ).returncode
    except subprocess.TimeoutExpired:
        raise ValueError(f"the HDF5 library does not finish within {MAX_WAIT} s") from None
    except OSError:
        return  # No process can be started here.
    if ended not in _HARMLESS:
        raise ValueError(f"it crashes the HDF5 library (exit code {ended})")


def read_small(path: str) -> None:
    """Read the attributes of every object in a file, and its data if they are small."""
    h5py = import_module("h5py")
    with h5py.File(path, "r") as file:
        _read_object("/", file)
        file.visititems(_read_object)


def _read_object(name: str, found: Any) -> None:
    try:
        dict(found.attrs)
        if hasattr(found, "shape"):
            whole = not found.shape or found.size * found.dtype.itemsize <= SMALL
            _ = found[()] if whole else (found[:1], found[-1:])
    except Exception:
        return  # Errors are reported when the file is really read; here, only crashes matter.


def _limit_work() -> None:
    """Limit CPU time, and write no core dump, if the system has such limits."""
    try:
        import resource
    except ImportError:
        return
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    hard = resource.getrlimit(resource.RLIMIT_CPU)[1]
    resource.setrlimit(resource.RLIMIT_CPU, (MAX_CPU if hard < 0 else min(MAX_CPU, hard), hard))


if __name__ == "__main__":
    _limit_work()
    read_small(sys.argv[1])
