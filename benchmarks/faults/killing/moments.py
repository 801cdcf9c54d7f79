"""Processes that are killed: before their n-th write, in the middle of a file, or after some time."""

from __future__ import annotations

import os
import signal
import sys
import tempfile
import threading
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from benchmarks.faults.attempt import expect
from benchmarks.faults.calls import fork_and, wait_for

WRITES = {"os.rename", "os.remove", "os.mkdir", "os.rmdir", "os.truncate", "os.link", "os.symlink", "os.chmod"}
"""What Python's audit events call writes, besides `open`. Foreign calls are not told, but what follows them is."""


@dataclass(frozen=True)
class Moment:
    """When to kill: before a write (from 1), at the end of a file (from 1) that is torn, or after some time."""

    write: int | None = None
    sync: int | None = None
    seconds: float | None = None

    def __str__(self) -> str:
        if self.write is not None:
            return f"before write {self.write}"
        return f"in file {self.sync}" if self.sync is not None else f"after {self.seconds:.3f} s"


def killed_by(work: Callable[[], object], folder: Path, moment: Moment) -> int:
    """Do work that writes into a folder in a process of its own, and kill it at that moment; how it ended."""

    def disturbed() -> None:
        if moment.write is not None:
            _watch(folder, lambda n: _die() if n == moment.write else None)
        if moment.sync is not None:
            _tear(moment.sync)
        work()

    child = fork_and(disturbed)
    if moment.seconds is None:
        return wait_for(child, 200)
    timer = threading.Timer(moment.seconds, lambda: _end(child))
    timer.start()
    try:
        return wait_for(child, 200)
    finally:
        timer.cancel()


def count_writes(work: Callable[[], object], folder: Path) -> int:
    """How often undisturbed work writes into a folder."""
    with tempfile.TemporaryFile() as told:

        def counted() -> None:
            seen = [0]
            _watch(folder, lambda n: seen.__setitem__(0, n))
            work()
            os.pwrite(told.fileno(), str(seen[0]).encode(), 0)

        code = wait_for(fork_and(counted), 300)
        expect(code == 0, "exit code", f"undisturbed work ended with {code}")
        return int(os.pread(told.fileno(), 20, 0))


def _watch(folder: Path, on_write: Callable[[int], object]) -> None:
    """Tell of every write below a folder, by its number, before it happens."""
    root, count = str(folder), 0

    def hook(event: str, arguments: tuple[Any, ...]) -> None:
        nonlocal count
        if event != "open" and event not in WRITES:
            return
        path = arguments[0] if arguments else None
        if isinstance(path, bytes):
            path = os.fsdecode(path)
        # Removals of whole folders name what they remove from an open folder.
        inside = event in ("os.remove", "os.rmdir") and arguments[-1] not in (None, -1)
        if inside or (isinstance(path, str | os.PathLike) and os.fspath(path).startswith(root)):
            count += 1
            on_write(count)

    sys.addaudithook(hook)


def _tear(number: int) -> None:
    """Cut the n-th file that is synchronized in half, and die."""
    sync, seen = os.fsync, 0

    def torn(opened: int) -> None:
        nonlocal seen
        size = os.fstat(opened).st_size if not os.path.isdir(f"/proc/self/fd/{opened}") else 0
        seen += size > 0
        if seen == number and size:
            os.ftruncate(opened, size // 2)
            _die()
        sync(opened)

    os.fsync = torn  # type: ignore[assignment]


def _die() -> None:
    os.kill(os.getpid(), signal.SIGKILL)


def _end(child: int) -> None:
    try:
        os.kill(child, signal.SIGKILL)
    except ProcessLookupError:
        return
