"""Places on disk: checked before any work is done, held while it is done, and hidden drafts beside them."""

from __future__ import annotations

import glob
import os
import secrets
import shutil
import socket
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from contextvars import ContextVar
from datetime import UTC, datetime
from pathlib import Path

try:
    import fcntl
except ImportError:
    # Windows has no such locks.
    fcntl = None  # type: ignore[assignment]

HOLDER = ".hypcse.lock"
"""The file in a folder that is locked, and says by whom. Not the folder itself: network disks lock only files."""
_HELD: ContextVar[frozenset[Path]] = ContextVar("held", default=frozenset())
"""Folders locked by the current work; other threads are other work."""
_LONGEST = 60
"""Characters of the name used in hidden names: a file name has at most 255 bytes."""
_DAY = 86_400
"""Seconds after which a draft counts as left by a writer that was killed."""


def check_folder(folder: Path) -> None:
    """Raise if files cannot be written into a folder, which need not exist yet."""
    place = folder.absolute()
    nearest = next(path for path in (place, *place.parents) if path.exists() or path.is_symlink())
    if not nearest.is_dir():
        what = "is a file" if nearest.exists() else "is a link to nothing"
        raise NotADirectoryError(f"{nearest} {what}, and a folder is needed there. Choose another folder.")
    check_room(nearest, place.name if nearest != place else "")


def check_file(path: Path) -> None:
    """Raise if a file cannot be written, whether or not it exists."""
    # As when writing: a link is followed.
    place = Path(os.path.realpath(path))
    if place.is_dir():
        raise IsADirectoryError(f"{path} is a folder, but a file is needed there. Choose another name.")
    check_room(parent_of(place), path.name)


def parent_of(place: Path) -> Path:
    """The folder in which a file or folder is to be written; raise if there is none."""
    parent = place.absolute().parent
    if not parent.is_dir():
        raise FileNotFoundError(f"{parent}, where {place.name} would go, is not a folder. Create it first.")
    return parent


def check_room(parent: Path, name: str) -> None:
    """Raise if nothing can be created in a folder; `name` is what is to be written, or empty."""
    try:
        with open_draft(parent / (name or "any"), folder=True):
            pass
    except OSError as error:
        what = f", where {name} would go" if name else ""
        raise type(error)(f"cannot write to {parent}{what} ({error.strerror}). Choose another place.") from None


@contextmanager
def hold_folder(folder: Path, again: bool = False) -> Iterator[None]:
    """Lock a folder, created if missing, until the work ends; `again`: this work may hold it already."""
    folder.mkdir(parents=True, exist_ok=True)
    place = folder.resolve()
    if again and place in _HELD.get():
        yield
        return
    handle = _lock(place / HOLDER, folder)
    token = _HELD.set(_HELD.get() | {place})
    try:
        yield
    finally:
        _HELD.reset(token)
        if handle is not None:
            if _is_at(place / HOLDER, handle):
                (place / HOLDER).unlink()
            os.close(handle)


def _lock(file: Path, folder: Path) -> int | None:
    """The locked file, with its holder in it; None if the system cannot lock files."""
    if fcntl is None:
        return None
    file.parent.mkdir(parents=True, exist_ok=True)
    handle = os.open(file, os.O_RDWR | os.O_CREAT, 0o666)
    try:
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError as error:
        holder = os.read(handle, 1000).decode()
        os.close(handle)
        if not isinstance(error, BlockingIOError):
            return None
        by = f" ({holder})" if holder else ""
        raise ValueError(f"another run writes into {folder}{by}. Wait for it, or choose another folder.") from None
    if not _is_at(file, handle):
        # The run before has removed the file while it was being locked.
        os.close(handle)
        return _lock(file, folder)
    os.ftruncate(handle, 0)
    text = f"process {os.getpid()} on {socket.gethostname()}, since {datetime.now(UTC):%Y-%m-%d %H:%M:%S} UTC"
    os.write(handle, text.encode())
    return handle


def _is_at(file: Path, handle: int) -> bool:
    """Whether an open file is still the one at its place."""
    try:
        return os.path.samestat(os.fstat(handle), file.stat())
    except FileNotFoundError:
        return False


@contextmanager
def open_draft(place: Path, folder: bool) -> Iterator[Path]:
    """A new hidden file or folder beside its place; whatever still has the hidden name at the end is removed."""
    remove_leftovers(place.parent, glob.escape(place.name[:_LONGEST]), _DAY)
    draft = hidden_name(place, "part")
    try:
        if folder:
            draft.mkdir()
        else:
            draft.touch(exist_ok=False)
        yield draft
    finally:
        remove(draft)


def hidden_name(place: Path, kind: str) -> Path:
    """A new hidden name beside a place."""
    return place.with_name(f".{place.name[:_LONGEST]}.{kind}-{secrets.token_hex(4)}")


def remove_leftovers(parent: Path, name: str, seconds: float = 0) -> None:
    """Remove drafts of files and folders of that name, a pattern as in a shell, that are older than so many seconds."""
    for text in glob.glob(f".{name}.part-{'[0-9a-f]' * 8}", root_dir=parent):
        path = parent / text
        # A writer that ends meanwhile removes its own.
        with suppress(FileNotFoundError):
            if not path.is_symlink() and time.time() - path.lstat().st_mtime >= seconds:
                remove(path)


def remove(path: Path) -> None:
    """Remove a file or a folder, if there is one."""
    if path.is_dir() and not path.is_symlink():
        shutil.rmtree(path, ignore_errors=True)
    else:
        path.unlink(missing_ok=True)
