"""Checks, before any work is done, that something can be written at a place."""

from __future__ import annotations

import os
from pathlib import Path

from hypcse.writing.drafts import open_draft


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
