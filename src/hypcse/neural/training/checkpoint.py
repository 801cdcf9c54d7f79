"""Checkpoints: the whole state of a training in a folder, to go on from after a kill, bit for bit."""

from __future__ import annotations

import hashlib
import os
import re
from pathlib import Path
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray

from hypcse._checks import warn
from hypcse.graph import Graph
from hypcse.neural.training.config import TrainingConfig
from hypcse.neural.training.run import Run
from hypcse.neural.training.state import CONFIG, restore, state_of
from hypcse.storage.archive import FILES, Content, ModelFileError, fail, pack, read_archive
from hypcse.storage.drafts import remove_leftovers
from hypcse.storage.whole import check_place, write_folder

KIND = "hypcse-checkpoint"
_NAME = re.compile(r"epoch-(\d{6,9})")


class Checkpoints:
    """The folder of one training's checkpoints, `epoch-000010` and so on; after the first there is always a whole one.

    Only what carries such a name and holds nothing else is ever removed. `fit` keeps other trainings out of the folder.
    """

    def __init__(self, folder: str | os.PathLike[str], every: int, run: Run) -> None:
        self.folder, self.every, self.run, self.latest = Path(folder), every, run, 0
        self.of = describe_training(run.features.cpu().numpy(), run.graph, run.config, run.random_state, run.device)

    def resume(self) -> int:
        """Bring the training to its newest whole checkpoint, and give the epoch; 0 where there is none.

        A damaged one is passed over with a warning, if there is an older one, and is an error if there is not.
        """
        damage: ModelFileError | None = None
        for epoch in sorted(self._epochs(), reverse=True):
            try:
                self._restore(self._place(epoch), epoch)
            except ModelFileError as error:
                damage = damage or error
                continue
            if damage is not None:
                warn(f"{damage} Training goes on from the checkpoint before it, after epoch {epoch}.")
            self._clean(epoch)
            return epoch
        if damage is not None:
            raise damage
        self._clean(0)
        return 0

    def keep(self) -> None:
        """Write the state after the last epoch where that is due, then remove the checkpoints before it."""
        epoch = len(self.run.history)
        if epoch % self.every and not self.run.finished:
            return
        place = self._place(epoch)
        check_place(place, True, FILES)
        content = {"epoch": epoch, "of": self.of, "state": state_of(self.run)}
        write_folder(place, pack(KIND, content), overwrite=True)
        self._clean(epoch)

    def _place(self, epoch: int) -> Path:
        return self.folder / f"epoch-{epoch:06d}"

    def _epochs(self) -> list[int]:
        found = (_NAME.fullmatch(path.name) for path in self.folder.iterdir() if path.is_dir())
        return [int(match[1]) for match in found if match]

    def _restore(self, folder: Path, epoch: int) -> None:
        content = read_archive(folder, KIND).content
        try:
            _check_same(content["of"], self.of, self.folder)
            restore(self.run, content["state"])
            if content["epoch"] != epoch or len(self.run.history) != epoch:
                raise ValueError(f"it is the state after another epoch than {epoch}")
        except OtherTraining:
            raise
        except (ValueError, TypeError, LookupError, RuntimeError) as error:
            fail(folder, f"it is not the state of a training ({error})")

    def _clean(self, latest: int) -> None:
        """Remove all checkpoints but the latest, and what a killed write left."""
        self.latest = latest
        remove_leftovers(self.folder, "epoch-*")
        for path in list(self.folder.iterdir()):
            if _NAME.fullmatch(path.name) and path != self._place(latest):
                _remove(path)


class OtherTraining(ValueError):
    """The checkpoints are those of a training with other data or settings."""


def describe_training(
    features: NDArray[np.float32], graph: Graph, config: TrainingConfig, random_state: int, device: str
) -> Content:
    """What a training of these depends on, as values and digests."""
    return {
        "settings": CONFIG.encode(config),
        "random_state": random_state,
        "device": torch.device(device).type,
        "features": _digest(np.asarray(features, np.float32)),
        "graph": _digest(graph.indptr, graph.indices, graph.weights, graph.self_weights),
    }


def _digest(*arrays: NDArray[Any]) -> str:
    total = hashlib.sha256()
    for array in arrays:
        total.update(f"{array.dtype.str} {array.shape}".encode())
        total.update(np.ascontiguousarray(array).data)
    return total.hexdigest()


def _check_same(there: Content, here: Content, folder: Path) -> None:
    """Raise, naming what differs, unless both are the same training; settings that are missing had their defaults."""
    there = {**there, "settings": CONFIG.encode(CONFIG.decode(there["settings"]))}
    values = [("", "random_state", "device"), ("settings", *here["settings"])]
    differing = [name for name in ("features", "graph") if there[name] != here[name]]
    for part, *names in values:
        old, new = (there[part], here[part]) if part else (there, here)
        differing += [f"{name} ({old[name]!r} there, {new[name]!r} here)" for name in names if old[name] != new[name]]
    if differing:
        raise OtherTraining(
            f"{folder} holds the checkpoint of another training; what differs: {', '.join(differing)}. "
            "Name another checkpoint_dir, or remove that folder."
        )


def _remove(folder: Path) -> None:
    """Remove a folder of ours; what else lies in it stays, and the folder with it."""
    if folder.is_symlink() or not folder.is_dir():
        return
    for name in FILES:
        (folder / name).unlink(missing_ok=True)
    if not any(folder.iterdir()):
        folder.rmdir()
