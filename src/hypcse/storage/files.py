"""Files and folders: their places are checked before any work, held during it, and written completely or not at all."""

from __future__ import annotations

import glob
import os
import secrets
import shutil
import socket
import time
from collections.abc import Collection, Iterator
from contextlib import contextmanager, suppress
from contextvars import ContextVar
from datetime import UTC, datetime
from itertools import chain, count
from pathlib import Path

from hypcse._checks import warn

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
        raise NotADirectoryError(f"{nearest} is not a folder, and a folder is needed there. Choose another folder.")
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


def check_place(out: Path, overwrite: bool, owned: Collection[str]) -> None:
    """Raise if a folder cannot be written, or replaced: with `overwrite`, if it holds nothing but the files `owned`."""
    if out.is_symlink() or (out.exists() and not out.is_dir()):
        raise FileExistsError(f"{out} is a file or a link, but a folder is needed there. Choose another name.")
    if out.exists():
        if not overwrite:
            raise FileExistsError(
                f"{out} exists already. Choose another name, or pass --overwrite (overwrite=True) to replace it."
            )
        if out.resolve() == Path.cwd().resolve():
            raise FileExistsError(f"{out} is the folder you are in, which cannot be replaced. Choose another name.")
        _check_owned(out, out, owned)
    check_room(parent_of(out), out.name)


def write_folder(out: Path, files: dict[str, bytes], overwrite: bool = False, owned: Collection[str] = ()) -> Path:
    """Write files by their paths below a folder; return where it is: beside it if others wrote there meanwhile."""
    place = out.absolute()
    with open_draft(place, folder=True) as draft:
        for name, content in files.items():
            (draft / name).parent.mkdir(parents=True, exist_ok=True)
            _write(draft / name, content, place / name)
        if overwrite and os.path.lexists(place):
            with suppress(FileExistsError):
                _replace(draft, place, {*owned, *files})
                return out
        others = (place.with_name(f"{place.name}-{number}") for number in count(2))
        for free in chain([place], others):
            try:
                if not os.path.lexists(free):
                    os.rename(draft, free)
                    break
            except OSError:
                # Another may have taken it in between.
                if not os.path.lexists(free):
                    raise
    if free == place:
        return out
    warn(f"{out} appeared meanwhile and was not replaced; the result is in {free}.")
    return free


def write_file(path: Path, content: bytes | str) -> None:
    """Write a file, replacing an existing one; lone surrogates, which are not valid UTF-8, become question marks."""
    place = Path(os.path.realpath(path))
    parent_of(place)
    with open_draft(place, folder=False) as draft:
        _write(draft, content.encode("utf-8", "replace") if isinstance(content, str) else content, place)
        os.replace(draft, place)


def _replace(draft: Path, place: Path, owned: Collection[str]) -> None:
    """Replace a folder by another in two renames: no system call replaces a folder that holds files."""
    # Not one of the hidden names that are cleaned up: until the second rename this is the only copy.
    aside = hidden_name(place, "old")
    os.rename(place, aside)
    try:
        _check_owned(aside, place, owned)
        os.rename(draft, place)
    except BaseException:
        os.rename(aside, place)
        raise
    remove(aside)


def _check_owned(folder: Path, place: Path, owned: Collection[str]) -> None:
    """Raise if a folder, which belongs at that place, holds anything but files of these paths."""
    if folder.is_symlink() or not folder.is_dir():
        raise FileExistsError(f"{place} is not a folder. Choose another name.")
    ours = {Path(name) for name in owned}
    ours |= {parent for path in ours for parent in path.parents}
    for path in sorted(folder.rglob("*")):
        if path.relative_to(folder) not in ours:
            raise FileExistsError(
                f"{place} holds {path.relative_to(folder)}, which hypcse did not write. Choose another name."
            )


def _write(path: Path, content: bytes, place: Path) -> None:
    """Write a file at a hidden path; errors of the system name the final place instead."""
    try:
        with path.open("wb") as file:
            file.write(content)
            file.flush()
            os.fsync(file.fileno())
    except OSError as error:
        raise type(error)(error.errno, error.strerror, str(place)) from error


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
