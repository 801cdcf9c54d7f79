"""Writes a file or folder completely or not at all, and holds the one rule on what is overwritten."""

from __future__ import annotations

import errno
import os
from collections.abc import Collection
from contextlib import suppress
from itertools import count
from pathlib import Path

from hypcse._checks import warn
from hypcse.storage.files import check_room, hidden_name, open_draft, parent_of, remove


def check_place(out: Path, overwrite: bool, owned: Collection[str]) -> None:
    """Raise, before any work is done, if a folder cannot be written.

    An existing folder is replaced only if asked for, and only if it holds nothing but the files `owned` (paths below
    it): files of others are never deleted.
    """
    if out.is_symlink():
        raise FileExistsError(f"{out} is a link. Choose a folder that does not exist yet.")
    if out.exists() and not out.is_dir():
        raise FileExistsError(f"{out} is a file, but a folder is needed there. Choose another name.")
    parent = parent_of(out)
    if out.exists() and not overwrite:
        raise FileExistsError(
            f"{out} exists already. Choose another name, or pass --overwrite (overwrite=True) to replace it."
        )
    if out.exists() and out.resolve() == Path.cwd().resolve():
        raise FileExistsError(f"{out} is the folder you are in, which cannot be replaced. Choose another name.")
    if out.exists():
        _check_owned(out, out, owned)
    check_room(parent, out.name)


def write_folder(out: Path, files: dict[str, bytes], overwrite: bool = False, owned: Collection[str] = ()) -> Path:
    """Write files, given by their paths below the folder, into a folder, and return where it is.

    That is `out`, unless another folder appeared there since `check_place`, or another file appeared in the folder to
    be replaced. Neither is deleted: the result is then kept beside it as `out`-2, with a warning.

    owned : files that a folder of this kind may hold; those written now are always among them.
    """
    place = out.absolute()
    with open_draft(place, folder=True) as draft:
        for name, content in files.items():
            (draft / name).parent.mkdir(parents=True, exist_ok=True)
            _write(draft / name, content, place / name)
        for folder in {(draft / name).parent for name in files} | {draft}:
            _sync(folder)
        actual = _put(draft, place, {*owned, *files} if overwrite else None)
        _sync(place.parent)
    if actual == place:
        return out
    warn(f"{out} appeared meanwhile and was not replaced; the result is in {actual}.")
    return actual


def write_file(path: Path, content: bytes | str) -> None:
    """Write a file, replacing an existing one; a link is followed.

    Lone surrogates, which names may hold, are not valid UTF-8: in text they become question marks.
    """
    place = Path(os.path.realpath(path))
    parent_of(place)
    with open_draft(place, folder=False) as draft:
        _write(draft, content.encode("utf-8", "replace") if isinstance(content, str) else content, place)
        os.replace(draft, place)
        _sync(place.parent)


def _put(draft: Path, place: Path, owned: Collection[str] | None) -> Path:
    """Rename a finished folder to its place, or to the next free name, and return it; what is not `owned` stays."""
    with suppress(FileExistsError):
        if owned is not None and os.path.lexists(place):
            _replace(draft, place, owned)
        else:
            _rename_to_free(draft, place)
        return place
    for number in count(2):
        other = place.with_name(f"{place.name}-{number}")
        with suppress(FileExistsError):
            _rename_to_free(draft, other)
            return other
    raise AssertionError


def _replace(draft: Path, place: Path, owned: Collection[str]) -> None:
    """Replace a folder by another in two renames: no system call replaces a folder that holds files."""
    _check_owned(place, place, owned)
    # Not one of the hidden names that are cleaned up: until the second rename this is the only copy.
    aside = hidden_name(place, "old")
    os.rename(place, aside)
    try:
        # Another file may have appeared since the first look.
        _check_owned(aside, place, owned)
        _rename_to_free(draft, place)
    except BaseException:
        with suppress(FileExistsError):
            _rename_to_free(aside, place)
        raise
    remove(aside)


def _rename_to_free(source: Path, target: Path) -> None:
    """Rename a folder; FileExistsError if there is anything but an empty folder that appeared just now."""
    exists = FileExistsError(errno.EEXIST, os.strerror(errno.EEXIST), str(target))
    if os.path.lexists(target):
        raise exists
    try:
        os.rename(source, target)
    except OSError as error:
        if error.errno in (errno.ENOTEMPTY, errno.ENOTDIR):
            raise exists from None
        raise


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


def _sync(folder: Path) -> None:
    """Flush the names in a folder to the disk, where the system can."""
    if os.name != "posix":
        return
    opened = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(opened)
    finally:
        os.close(opened)
