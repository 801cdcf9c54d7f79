"""Hidden files and folders beside their place: locked while written, and removed if their writer was killed."""

from __future__ import annotations

import glob
import os
import re
import secrets
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

try:
    import fcntl
except ImportError:
    # Windows: no locks, and what a killed writer left stays.
    fcntl = None  # type: ignore[assignment]

_LONGEST = 60
"""Characters of the name used in hidden names: a file name has at most 255 bytes."""
_DRAFT = re.compile(r"\..+\.part-[0-9a-f]{8}", re.DOTALL)


@contextmanager
def open_draft(place: Path, folder: bool) -> Iterator[Path]:
    """A new hidden file or folder beside its place; whatever still has the hidden name at the end is removed."""
    remove_leftovers(place.parent, glob.escape(place.name[:_LONGEST]))
    made, handle = _make_draft(place, folder)
    try:
        yield made
    finally:
        remove(made)
        if handle is not None:
            os.close(handle)


def hidden_name(place: Path, kind: str) -> Path:
    """A new hidden name beside a place."""
    return place.with_name(f".{place.name[:_LONGEST]}.{kind}-{secrets.token_hex(4)}")


def remove_leftovers(parent: Path, name: str = "*") -> None:
    """Remove what killed writers left of files and folders of that name, a pattern as in a shell.

    A writer that is still at work holds a lock; its files stay.
    """
    for text in glob.glob(f".{name}.part-*", root_dir=parent):
        path = parent / text
        if not _DRAFT.fullmatch(text) or path.is_symlink():
            continue
        try:
            handle = lock(path, wait=False)
        except BlockingIOError:
            continue
        if handle is not None:
            remove(path)
            os.close(handle)


def remove(path: Path) -> None:
    """Remove a file or a folder, if there is one."""
    if path.is_dir() and not path.is_symlink():
        shutil.rmtree(path, ignore_errors=True)
    else:
        path.unlink(missing_ok=True)


def _make_draft(place: Path, folder: bool) -> tuple[Path, int | None]:
    """A hidden file or folder and its lock; made again if another process removed it before it was locked."""
    while True:
        made = hidden_name(place, "part")
        if folder:
            made.mkdir()
        else:
            made.touch(exist_ok=False)
        handle = lock(made, wait=True)
        if made.exists():
            return made, handle
        if handle is not None:
            os.close(handle)


def lock(path: Path, wait: bool, flags: int = os.O_RDONLY) -> int | None:
    """An open file or folder, locked until it is closed; None if it is gone or the system cannot lock it.

    BlockingIOError if another process holds the lock and `wait` is false.

    flags : how it is opened, see `os.open`.
    """
    if fcntl is None:
        return None
    try:
        handle = os.open(path, flags, 0o666)
    except FileNotFoundError:
        return None
    try:
        fcntl.flock(handle, fcntl.LOCK_EX | (0 if wait else fcntl.LOCK_NB))
    except OSError as error:
        os.close(handle)
        if isinstance(error, BlockingIOError):
            raise
        return None
    return handle
