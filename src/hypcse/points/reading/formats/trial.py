"""An HDF5 file tried out in another process: on some damaged ones the library ends its process, or never ends.

Run as a program with a path, this module reads what is small in the file, which is where the library follows pointers.
It then imports nothing of hypcse, so that it starts at once.
"""

from __future__ import annotations

import signal
import subprocess
import sys
from importlib import import_module
from pathlib import Path
from typing import Any

SMALL = 2**20
"""Bytes up to which a data set is read whole; of a larger one, the first and the last row."""
MAX_CPU = 60
"""Seconds of work after which the library is taken not to end. Waiting for a slow disk does not count."""
MAX_WAIT = 1800
"""Seconds after which it is given up in any case."""
_HARMLESS = {0, 1, 120, -getattr(signal, "SIGKILL", 9), -signal.SIGTERM, -signal.SIGINT}
"""Ends of a process that say nothing about the file: in order, by an error, or stopped by somebody."""


def check_apart(path: Path) -> None:
    """Raise where the library ends another process that reads the file. About half a second.

    What it merely refuses is told when it is read here. Where no other process can be started, nothing is checked.
    """
    if not sys.executable:
        return
    command = [sys.executable, "-P", __file__, str(path.absolute())]
    try:
        ended = subprocess.run(
            command, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, timeout=MAX_WAIT
        ).returncode
    except subprocess.TimeoutExpired:
        raise ValueError(f"the HDF5 library does not end within {MAX_WAIT} s") from None
    except OSError:
        return  # No process can be started here.
    if ended not in _HARMLESS:
        raise ValueError(f"the HDF5 library ends the process that reads it (exit code {ended})")


def read_small(path: str) -> None:
    """Read the attributes of every object of a file, and its data where they are small."""
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
        return  # An error is told when the file is read in earnest; here, only the process matters.


def _limit_work() -> None:
    """An end to work without end, and no image of this process on the disk, where the system has such limits."""
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
