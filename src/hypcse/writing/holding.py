"""Folders that only one run at a time may write into."""

from __future__ import annotations

import os
import socket
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from datetime import UTC, datetime
from pathlib import Path

from hypcse.writing.drafts import lock

HOLDER = ".hypcse.lock"
"""The file in a folder that is locked, and says by whom. Not the folder itself: network disks lock only files."""
_HELD: ContextVar[frozenset[Path]] = ContextVar("held", default=frozenset())
"""Folders locked by the current work; other threads are other work."""


@contextmanager
def hold_folder(folder: Path, again: bool = False) -> Iterator[None]:
    """Lock a folder against other runs, where the system can; it is created if missing.

    The lock ends with the process, even if it is killed. While it lasts, a hidden file in the folder names its holder.

    again : whether the current work may hold the lock already.
    """
    folder.mkdir(parents=True, exist_ok=True)
    place = folder.resolve()
    if again and place in _HELD.get():
        yield
        return
    handle = _lock_what_stays(place / HOLDER, folder)
    token = _HELD.set(_HELD.get() | {place})
    try:
        yield
    finally:
        _HELD.reset(token)
        if handle is not None:
            if _is_at(place / HOLDER, handle):
                (place / HOLDER).unlink()
            os.close(handle)


def _lock_what_stays(file: Path, folder: Path) -> int | None:
    """The lock of a folder, with its holder in the file; retried if the file was removed while it was being locked."""
    while True:
        try:
            handle = lock(file, wait=False, flags=os.O_RDWR | os.O_CREAT)
        except BlockingIOError:
            raise ValueError(
                f"another run writes into {folder}{_holder(file)}. Wait for it, or choose another folder."
            ) from None
        if handle is None and file.parent.is_dir():
            return None
        if handle is not None and _is_at(file, handle):
            os.ftruncate(handle, 0)
            text = f"process {os.getpid()} on {socket.gethostname()}, since {datetime.now(UTC):%Y-%m-%d %H:%M:%S} UTC"
            os.write(handle, text.encode())
            return handle
        if handle is not None:
            os.close(handle)
        file.parent.mkdir(parents=True, exist_ok=True)


def _is_at(file: Path, handle: int) -> bool:
    """Whether an open file is still the one at its place."""
    try:
        return os.path.samestat(os.fstat(handle), file.stat())
    except FileNotFoundError:
        return False


def _holder(file: Path) -> str:
    """Who holds a lock, to go on with a sentence; empty if it was released meanwhile."""
    try:
        text = file.read_text(encoding="utf-8")
    except FileNotFoundError:
        text = ""
    return f" ({text})" if text else ""
