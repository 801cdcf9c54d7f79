"""Writing a file or a folder whole or not at all, and the one rule of what is overwritten."""

from __future__ import annotations

import os
from collections.abc import Collection
from contextlib import suppress
from itertools import count
from pathlib import Path

from hypcse._checks import warn
from hypcse.writing.drafts import hidden_name, open_draft, remove
from hypcse.writing.places import check_room
from hypcse.writing.renames import exchange, rename_to_free


def check_place(out: Path, overwrite: bool, owned: Collection[str]) -> None:
    """Raise, before any work is done, when a folder cannot be written.

    An existing folder is replaced only if that is asked for and if it holds nothing but the files `owned` (paths below
    it): what somebody else put there is not ours to delete.
    """
    if out.is_symlink():
        raise FileExistsError(f"{out} is a link. Name a folder that does not exist yet.")
    if out.exists() and not out.is_dir():
        raise FileExistsError(f"{out} is a file, and a folder is to be made. Choose another name.")
    parent = _parent_of(out)
    if out.exists():
        if not overwrite:
            raise FileExistsError(
                f"{out} exists already. Choose another name, or pass --overwrite (overwrite=True) to replace it."
            )
        if out.resolve() == Path.cwd().resolve():
            raise FileExistsError(f"{out} is the folder you are in, which cannot be replaced. Choose another name.")
        _check_owned(out, out, owned)
    check_room(parent, out.name)


def write_folder(out: Path, files: dict[str, bytes], overwrite: bool = False, owned: Collection[str] = ()) -> Path:
    """Write files, by their paths below the folder, into a folder, and return where it is.

    That is `out`, unless another folder came there since `check_place`, or something else came into the folder that was
    to be replaced: neither is deleted, the result is kept beside it as `out`-2, and a warning says so. Where the system
    can, there is no moment in which the name of a folder that is replaced stands for nothing.

    owned : files that a folder of this kind may hold; those written now are always among them.
    """
    place = out.absolute()
    with open_draft(place, folder=True) as made:
        for name, content in files.items():
            (made / name).parent.mkdir(parents=True, exist_ok=True)
            _write(made / name, content, place / name)
        for folder in {(made / name).parent for name in files} | {made}:
            _sync(folder)
        found = _put(made, place, {*owned, *files} if overwrite else None)
        _sync(place.parent)
    if found == place:
        return out
    warn(f"{out} is there by now, and is not ours to delete; what was to be written there is in {found}.")
    return found


def write_file(path: Path, content: bytes | str) -> None:
    """Write a file, in place of one that is there; a link is followed.

    Half of a surrogate pair, which names may hold, is not UTF-8: in a text it becomes a question mark.
    """
    place = Path(os.path.realpath(path))
    _parent_of(place)
    with open_draft(place, folder=False) as made:
        _write(made, content.encode("utf-8", "replace") if isinstance(content, str) else content, place)
        os.replace(made, place)
        _sync(place.parent)


def _put(made: Path, place: Path, owned: Collection[str] | None) -> Path:
    """Rename a finished folder to its place, or to the next free name; what is not `owned` stays. Where it is now."""
    with suppress(FileExistsError):
        if owned is not None and os.path.lexists(place):
            _replace(made, place, owned)
        else:
            rename_to_free(made, place)
        return place
    for number in count(2):
        other = place.with_name(f"{place.name}-{number}")
        with suppress(FileExistsError):
            rename_to_free(made, other)
            return other
    raise AssertionError


def _replace(made: Path, place: Path, owned: Collection[str]) -> None:
    """Put a folder in place of another; afterwards `made` is the old one or nothing."""
    _check_owned(place, place, owned)
    if exchange(made, place):
        try:
            _check_owned(made, place, owned)
        except BaseException:
            exchange(made, place)
            raise
        return
    # Not among the hidden names that are cleaned up: until the second rename this is all there is.
    aside = hidden_name(place, "old")
    os.rename(place, aside)
    try:
        _check_owned(aside, place, owned)
        rename_to_free(made, place)
    except BaseException:
        with suppress(FileExistsError):
            rename_to_free(aside, place)
        raise
    remove(aside)


def _check_owned(folder: Path, place: Path, owned: Collection[str]) -> None:
    """Raise unless a folder, which belongs at that place, holds nothing but files of these paths."""
    if folder.is_symlink() or not folder.is_dir():
        raise FileExistsError(f"{place} is no folder. Choose another name.")
    ours = {Path(name) for name in owned}
    ours |= {parent for path in ours for parent in path.parents}
    for path in sorted(folder.rglob("*")):
        if path.relative_to(folder) not in ours:
            raise FileExistsError(
                f"{place} holds {path.relative_to(folder)}, which is not ours to delete. Choose another name."
            )


def _parent_of(out: Path) -> Path:
    parent = out.absolute().parent
    if not parent.is_dir():
        raise FileNotFoundError(f"{parent}, where {out.name} is to be made, is no folder. Make it first.")
    return parent


def _write(path: Path, content: bytes, place: Path) -> None:
    """Write a file at a hidden path; what the system raises on the way names the place that it is for."""
    try:
        with path.open("wb") as file:
            file.write(content)
            file.flush()
            os.fsync(file.fileno())
    except OSError as error:
        raise type(error)(error.errno, error.strerror, str(place)) from error


def _sync(folder: Path) -> None:
    """Have the names in a folder on the disk, where the system can."""
    if os.name != "posix":
        return
    opened = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(opened)
    finally:
        os.close(opened)
