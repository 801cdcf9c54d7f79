"""Folders that only one run at a time may write into."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from pathlib import Path

from hypcse.writing.drafts import lock

_HELD: ContextVar[frozenset[Path]] = ContextVar("held", default=frozenset())
"""Folders locked by the current work; other threads are other work."""


@contextmanager
def hold_folder(folder: Path, again: bool = False) -> Iterator[None]:
    """Lock a folder against other runs, where the system can; it is created if missing.

    The lock ends with the process, even if it is killed.

    again : whether the current work may hold the lock already.
    """
    folder.mkdir(parents=True, exist_ok=True)
    place = folder.resolve()
    if again and place in _HELD.get():
        yield
        return
    handle = _lock_what_stays(place, folder)
    token = _HELD.set(_HELD.get() | {place})
    try:
        yield
    finally:
        _HELD.reset(token)
        if handle is not None:
            os.close(handle)


def _lock_what_stays(place: Path, folder: Path) -> int | None:
    """The lock of the folder at a place; retried if the folder was removed while it was being locked."""
    while True:
        try:
            handle = lock(place, wait=False)
        except BlockingIOError:
            raise ValueError(f"another run writes into {folder}. Wait for it, or choose another folder.") from None
        if handle is None or (place.exists() and os.path.samestat(os.fstat(handle), place.stat())):
            return handle
        os.close(handle)
        place.mkdir(parents=True, exist_ok=True)
