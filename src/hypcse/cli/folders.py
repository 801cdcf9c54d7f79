"""Folders that are written whole or not at all."""

from __future__ import annotations

import os
import shutil
import tempfile
from pathlib import Path


def check_absent(out: Path, overwrite: bool) -> None:
    """Raise, before any work is done, when a folder cannot be written."""
    if out.exists() and not out.is_dir():
        raise FileExistsError(f"{out} is a file; --out names a folder to make. Choose another name.")
    if out.exists() and not overwrite:
        raise FileExistsError(f"{out} exists already. Choose another name, or pass --overwrite to replace it.")
    parent = out.absolute().parent
    if not parent.is_dir():
        raise FileNotFoundError(f"{parent}, where {out.name} is to be made, is no folder. Make it first.")


def write_folder(out: Path, files: dict[str, bytes]) -> None:
    """Write all files into a new folder beside its place, then put it there; a folder in its place is replaced."""
    parent = out.absolute().parent
    made = Path(tempfile.mkdtemp(dir=parent, prefix=f".{out.name}-"))
    try:
        for name, content in files.items():
            (made / name).write_bytes(content)
        # A temporary folder is for its owner alone; this one gets what an ordinary new folder has.
        mask = os.umask(0)
        os.umask(mask)
        made.chmod(0o777 & ~mask)
        _put_in_place(made, out)
    except BaseException:
        shutil.rmtree(made, ignore_errors=True)
        raise


def _put_in_place(made: Path, out: Path) -> None:
    """Rename a finished folder to its place; what stood there goes only after that has worked."""
    if not out.exists():
        os.replace(made, out)
        return
    aside = Path(tempfile.mkdtemp(dir=made.parent, prefix=f".{out.name}-old-"))
    os.replace(out, aside / out.name)
    try:
        os.replace(made, out)
    except BaseException:
        os.replace(aside / out.name, out)
        aside.rmdir()
        raise
    shutil.rmtree(aside)
