"""Places on disk: checked before any work is done, held while it is done, exchanged at once."""

from __future__ import annotations

import ctypes
import errno
import os
import socket
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from datetime import UTC, datetime
from functools import cache
from pathlib import Path
from typing import Any

from hypcse.storage.drafts import lock, open_draft


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
    if not place.parent.is_dir():
        raise FileNotFoundError(f"{place.parent}, where {path.name} would go, is not a folder. Create it first.")
    check_room(place.parent, path.name)


def check_room(parent: Path, name: str) -> None:
    """Raise if nothing can be created in a folder; `name` is what is to be written, or empty."""
    try:
        with open_draft(parent / (name or "any"), folder=True):
            pass
    except OSError as error:
        what = f", where {name} would go" if name else ""
        raise type(error)(f"cannot write to {parent}{what} ({error.strerror}). Choose another place.") from None


_NO_REPLACE, _EXCHANGE = 1, 2
_HERE = -100
"""AT_FDCWD: paths count from the current folder."""
_UNKNOWN = (errno.ENOSYS, errno.EINVAL, errno.ENOTSUP, errno.EPERM)
"""Error codes of a system or a disk that does not support the call."""


def rename_to_free(source: Path, target: Path) -> None:
    """Rename a folder; FileExistsError if the target exists, even if it appeared just now."""
    if _rename_with(source, target, _NO_REPLACE):
        return
    if os.path.lexists(target):
        raise FileExistsError(errno.EEXIST, os.strerror(errno.EEXIST), str(target))
    try:
        os.rename(source, target)
    except OSError as error:
        # The system refuses a folder that appeared in between, unless it is empty.
        if error.errno in (errno.ENOTEMPTY, errno.ENOTDIR):
            raise FileExistsError(errno.EEXIST, os.strerror(errno.EEXIST), str(target)) from None
        raise


def exchange(one: Path, other: Path) -> bool:
    """Exchange two names atomically; return False and do nothing if the system cannot."""
    return _rename_with(one, other, _EXCHANGE)


def _rename_with(source: Path, target: Path, flag: int) -> bool:
    call = _renameat2()
    if call is None:
        return False
    if call(_HERE, os.fsencode(source), _HERE, os.fsencode(target), flag) == 0:
        return True
    code = ctypes.get_errno()
    if code in _UNKNOWN:
        return False
    raise OSError(code, os.strerror(code), str(source), None, str(target))


@cache
def _renameat2() -> Any:
    """The Linux system call, or None elsewhere."""
    try:
        call = ctypes.CDLL(None, use_errno=True).renameat2
    except (OSError, TypeError, AttributeError):
        return None
    call.argtypes = [ctypes.c_int, ctypes.c_char_p, ctypes.c_int, ctypes.c_char_p, ctypes.c_uint]
    return call


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
