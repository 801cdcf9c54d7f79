"""The checkpoints that `hypcse fit` keeps beside its folder until that is written."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from hypcse.writing import hold_folder, remove_leftovers


def checkpoints_of(out: Path) -> Path:
    """Where a training keeps its state until its folder is written."""
    return out.absolute().parent / f"{out.name}.checkpoints"


def has_training(kept: Path) -> bool:
    """Whether there is a training run to continue."""
    return kept.is_dir() and any(not path.name.startswith(".") for path in kept.iterdir())


@contextmanager
def keep_training(kept: Path, resume: bool) -> Iterator[None]:
    """Lock the checkpoints until the folder is written, and then remove them.

    A second run at the same place is refused at once. So is a place with a stopped training run, unless this run
    resumes it. A run that stops before its first checkpoint leaves nothing.
    """
    if kept.exists() and not kept.is_dir():
        raise FileExistsError(f"{kept} is a file, and checkpoints are to be kept there. Choose another --out.")
    try:
        with hold_folder(kept):
            remove_leftovers(kept, "epoch-*")
            if has_training(kept) and not resume:
                raise FileExistsError(
                    f"{kept} holds a run that was stopped. Pass --resume to continue it, or remove it."
                )
            yield
            shutil.rmtree(kept, ignore_errors=True)
    finally:
        # Left by a run that ended before its first checkpoint; a folder that holds anything stays.
        with suppress(OSError):
            kept.rmdir()
