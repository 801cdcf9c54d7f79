"""Whether something can be written at a place, found out before any work is done."""

from __future__ import annotations

import os
from pathlib import Path

from hypcse.writing.drafts import open_draft


def check_folder(folder: Path) -> None:
    """Raise, before any work is done, when files cannot be written into a folder, which may be still to make."""
    place = folder.absolute()
    nearest = next(path for path in (place, *place.parents) if path.exists() or path.is_symlink())
    if not nearest.is_dir():
        what = "is a file" if nearest.exists() else "is a link to nothing"
        raise NotADirectoryError(f"{nearest} {what}, and a folder is needed there. Name another folder.")
    check_room(nearest, place.name if nearest != place else "")


def check_file(path: Path) -> None:
    """Raise, before any work is done, when a file cannot be written, in place of one that is there or not."""
    # As it is written: a link is followed.
    place = Path(os.path.realpath(path))
    if place.is_dir():
        raise IsADirectoryError(f"{path} is a folder, and a file is to be written there. Choose another name.")
    if not place.parent.is_dir():
        raise FileNotFoundError(f"{place.parent}, where {path.name} is to be made, is no folder. Make it first.")
    check_room(place.parent, path.name)


def check_room(parent: Path, name: str) -> None:
    """Raise when nothing can be made in a folder, for what is to have that name; an empty one stands for any."""
    try:
        with open_draft(parent / (name or "any"), folder=True):
            pass
    except OSError as error:
        what = f", where {name} is to be made" if name else ""
        raise type(error)(
            f"nothing can be written into {parent}{what} ({error.strerror}). Choose another place."
        ) from None
