"""Writes a file or folder completely or not at all, and never deletes files of others."""

from __future__ import annotations

import os
from collections.abc import Collection
from contextlib import suppress
from itertools import chain, count
from pathlib import Path

from hypcse._checks import warn
from hypcse.storage.files import check_room, hidden_name, open_draft, parent_of, remove


def check_place(out: Path, overwrite: bool, owned: Collection[str]) -> None:
    """Raise if a folder cannot be written, or replaced: with `overwrite`, if it holds nothing but the files `owned`."""
    if out.is_symlink():
        raise FileExistsError(f"{out} is a link. Choose a folder that does not exist yet.")
    if out.exists():
        if not out.is_dir():
            raise FileExistsError(f"{out} is a file, but a folder is needed there. Choose another name.")
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
        actual = _put(draft, place, {*owned, *files} if overwrite else None)
    if actual == place:
        return out
    warn(f"{out} appeared meanwhile and was not replaced; the result is in {actual}.")
    return actual


def write_file(path: Path, content: bytes | str) -> None:
    """Write a file, replacing an existing one; lone surrogates, which are not valid UTF-8, become question marks."""
    place = Path(os.path.realpath(path))
    parent_of(place)
    with open_draft(place, folder=False) as draft:
        _write(draft, content.encode("utf-8", "replace") if isinstance(content, str) else content, place)
        os.replace(draft, place)


def _put(draft: Path, place: Path, owned: Collection[str] | None) -> Path:
    """Rename a finished folder to its place, or to the next free name, and return it; what is not `owned` stays."""
    others = (place.with_name(f"{place.name}-{number}") for number in count(2))
    with suppress(FileExistsError):
        if owned is not None and os.path.lexists(place):
            _replace(draft, place, owned)
            return place
    free = next(path for path in chain([place], others) if not os.path.lexists(path))
    os.rename(draft, free)
    return free


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
