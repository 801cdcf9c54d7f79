"""Folders that are written whole or not at all."""

from __future__ import annotations

import os
import shutil
import tempfile
from collections.abc import Collection
from pathlib import Path


def check_place(out: Path, overwrite: bool, written: Collection[str]) -> None:
    """Raise, before any work is done, when a folder cannot be written.

    An existing folder is replaced only if it is asked for and holds nothing but files of the names `written`: what
    somebody else put there is not ours to delete.
    """
    if out.is_symlink():
        raise FileExistsError(f"{out} is a link. Name a folder that does not exist yet.")
    if out.exists() and not out.is_dir():
        raise FileExistsError(f"{out} is a file, and a folder is to be made. Choose another name.")
    parent = out.absolute().parent
    if not parent.is_dir():
        raise FileNotFoundError(f"{parent}, where {out.name} is to be made, is no folder. Make it first.")
    if not out.exists():
        return
    if not overwrite:
        raise FileExistsError(
            f"{out} exists already. Choose another name, or pass --overwrite (overwrite=True) to replace it."
        )
    if out.resolve() == Path.cwd().resolve():
        raise FileExistsError(f"{out} is the folder you are in, which cannot be replaced. Choose another name.")
    foreign = sorted(path.name for path in out.iterdir() if path.name not in written)
    if foreign:
        raise FileExistsError(f"{out} holds {foreign[0]}, which is not ours to delete. Choose another name.")


def write_folder(out: Path, files: dict[str, bytes]) -> None:
    """Write all files into a new folder beside its place, then put it there; a folder in its place is replaced.

    A name may have one folder before it.

    The files are on the disk before the folder has its name, so that not even a power cut leaves half of them there.
    """
    parent = out.absolute().parent
    made = Path(tempfile.mkdtemp(dir=parent, prefix=f".{out.name}-"))
    try:
        for name, content in files.items():
            (made / name).parent.mkdir(exist_ok=True)
            with (made / name).open("wb") as file:
                file.write(content)
                file.flush()
                os.fsync(file.fileno())
        # A temporary folder is for its owner alone; this one gets what an ordinary new folder has.
        mask = os.umask(0)
        os.umask(mask)
        made.chmod(0o777 & ~mask)
        _sync(made)
        _put_in_place(made, out)
        _sync(parent)
    except BaseException:
        shutil.rmtree(made, ignore_errors=True)
        raise


def _put_in_place(made: Path, out: Path) -> None:
    """Rename a finished folder to its place; what stood there goes only after that has worked."""
    if not out.exists():
        os.replace(made, out)
        return
    aside = Path(tempfile.mkdtemp(dir=made.parent, prefix=f".{out.name}-old-"))
    try:
        os.replace(out, aside / out.name)
        os.replace(made, out)
    except BaseException:
        if (aside / out.name).exists():
            os.replace(aside / out.name, out)
        aside.rmdir()
        raise
    shutil.rmtree(aside)


def _sync(folder: Path) -> None:
    """Have the names in a folder on the disk, where the system can."""
    if os.name != "posix":
        return
    opened = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(opened)
    finally:
        os.close(opened)
