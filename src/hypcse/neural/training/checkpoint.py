"""The state of a training, and checkpoints: folders from which it goes on after a kill, bit for bit."""

from __future__ import annotations

import hashlib
import os
import re
from pathlib import Path
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from hypcse._checks import check_count
from hypcse.neural.tensors import EdgeTensors
from hypcse.neural.training.config import HINTS, Setup, TrainingConfig
from hypcse.neural.training.run import Run, Trained, TrainingStep
from hypcse.neural.training.terms import Losses, Networks
from hypcse.storage.archive import FILES, Content, pack, read_archive
from hypcse.storage.files import check_place, remove_leftovers, write_folder
from hypcse.storage.options import decode_options, encode_options
from hypcse.storage.values import TREE, Codec, decode_array, read_parts

KIND = "hypcse-checkpoint"
_NAME = re.compile(r"epoch-(\d{6,9})")
_FLOATS = np.float64, 1
_COLUMNS = {"losses": (np.float64, 2), "evaluated": (np.int64, 1), "entropy": _FLOATS, "seconds": _FLOATS}


def _encode_history(history: list[TrainingStep]) -> dict[str, Any]:
    """Columns; `evaluated` are the rows that have an entropy."""
    evaluated = [row for row, step in enumerate(history) if step.entropy is not None]
    return {
        "n_epochs": history[0].n_epochs if history else 0,
        "losses": np.array([step.losses for step in history], np.float64).reshape(-1, 4),
        "evaluated": np.array(evaluated, np.int64),
        "entropy": np.array([history[row].entropy for row in evaluated], np.float64),
        "seconds": np.array([step.seconds for step in history], np.float64),
    }


def _decode_history(content: Any) -> list[TrainingStep]:
    n_epochs, *columns = read_parts(content, ("n_epochs", *_COLUMNS))
    losses, evaluated, entropy, seconds = (
        decode_array(column, *kind) for column, kind in zip(columns, _COLUMNS.values(), strict=True)
    )
    n_epochs = check_count("n_epochs", n_epochs, len(seconds))
    rows = set(evaluated.tolist())
    if losses.shape != (len(seconds), 4) or not rows <= set(range(len(seconds))) or len(rows) != entropy.size:
        raise ValueError("the columns of the history do not fit together")
    entropies = dict(zip(evaluated.tolist(), entropy.tolist(), strict=True))
    return [
        TrainingStep(row + 1, n_epochs, Losses(*terms), entropies.get(row), time)
        for row, (terms, time) in enumerate(zip(losses.tolist(), seconds.tolist(), strict=True))
    ]


def _decode_weights(content: Any) -> dict[str, Tensor]:
    if not isinstance(content, dict):
        raise ValueError(f"it is {content!r:.60} instead of weights by name")
    # Copied into memory of torch, whose alignment is always the same: sums may depend on it in the last bit.
    return {name: torch.tensor(decode_array(value, np.float32, np.ndim(value))) for name, value in content.items()}


def check_state(state: dict[str, Tensor], n_features: int, config: TrainingConfig) -> None:
    """Raise unless these are the weights of the networks of this configuration; takes no memory."""
    try:
        with torch.device("meta"):
            Networks(n_features, config, torch.Generator()).load_state_dict(state, assign=True)
    except (RuntimeError, TypeError, OverflowError) as error:
        raise ValueError(f"the weights are not those of the networks ({str(error).splitlines()[-1].strip()})") from None


HISTORY = Codec(_encode_history, _decode_history)
STATE = Codec(lambda state: {name: value.detach().cpu().numpy() for name, value in state.items()}, _decode_weights)
CONFIG = Codec(
    lambda config: encode_options(vars(config), HINTS), lambda content: TrainingConfig(**decode_options(content, HINTS))
)


def state_of(run: Run) -> Content:
    """All that a training has changed since its start."""
    assert run.best is not None
    best = run.best
    return {
        "finished": run.finished,
        "networks": STATE.encode(run.networks.state_dict()),
        "optimizers": {str(k): _encode_optimizer(optimizer) for k, optimizer in enumerate(run.optimizers)},
        "draws": run.draws.get_state().numpy(),
        "sampling": run.sampling.bit_generator.state,
        "anchor": _encode_anchor(run.anchor),
        "best": {
            "entropy": float(best.entropy),
            "epoch": best.epoch,
            "tree": TREE.encode(best.tree),
            "leaves": best.leaves,
            "state": STATE.encode(best.state),
            "anchor": _encode_anchor(best.encoded_on.to_tensors()),
        },
        "since_best": run.since_best,
        "history": HISTORY.encode(run.history),
    }


def restore(run: Run, content: Content) -> None:
    """Bring a new training to a state that `state_of` returned for a training of the same data and settings."""
    run.networks.load_state_dict(STATE.decode(content["networks"]))
    for number, optimizer in enumerate(run.optimizers):
        states = {
            int(weight): {name: torch.tensor(value, dtype=torch.float32) for name, value in state.items()}
            for weight, state in content["optimizers"][str(number)].items()
        }
        optimizer.load_state_dict({**optimizer.state_dict(), "state": states})
    run.draws.set_state(torch.tensor(content["draws"]))
    run.sampling.bit_generator.state = content["sampling"]
    run.anchor = _decode_anchor(content["anchor"], run)
    best = content["best"]
    tree, leaves, state = TREE.decode(best["tree"]), best["leaves"].copy(), STATE.decode(best["state"])
    encoded_on = run.encoded_on(_decode_anchor(best["anchor"], run))
    run.best = Trained(tree, leaves, best["epoch"], best["entropy"], state, encoded_on)
    run.best_epoch = best["epoch"]
    run.since_best, run.finished = content["since_best"], content["finished"]
    run.history = HISTORY.decode(content["history"])


def _encode_optimizer(optimizer: torch.optim.Optimizer) -> Content:
    """Steps and moments by the number of the weight, for those that have been moved."""
    return {
        str(number): {"step": int(state["step"]), **{k: state[k].cpu().numpy() for k in ("exp_avg", "exp_avg_sq")}}
        for number, state in optimizer.state_dict()["state"].items()
    }


def _encode_anchor(anchor: EdgeTensors) -> Content:
    return {"index": anchor.index.cpu().numpy(), "weight": anchor.weight.cpu().numpy()}


def _decode_anchor(content: Content, run: Run) -> EdgeTensors:
    index, weight = torch.tensor(content["index"]), torch.tensor(content["weight"])
    return EdgeTensors(index, weight, run.graph.n_vertices).to(run.device)


class Checkpoints:
    """The folder of one training's checkpoints, `epoch-000010` and so on, of which one is always whole."""

    def __init__(self, folder: str | os.PathLike[str], every: int, run: Run) -> None:
        self.folder, self.every, self.run, self.latest = Path(folder), every, run, 0
        self.description = describe_training(run.setup)

    def resume(self) -> int:
        """Bring the training to its newest checkpoint and return the epoch; 0 if there is none."""
        names = (_NAME.fullmatch(path.name) for path in self.folder.iterdir() if path.is_dir())
        epoch = max((int(name[1]) for name in names if name), default=0)
        if epoch > 0:
            content = read_archive(self._place(epoch), KIND).content
            _check_same(content["of"], self.description, self.folder)
            restore(self.run, content["state"])
        self._clean(epoch)
        return epoch

    def write(self) -> None:
        """Write the state after the last epoch if it is due, then remove earlier checkpoints."""
        epoch = len(self.run.history)
        if epoch % self.every and not self.run.finished:
            return
        place = self._place(epoch)
        check_place(place, True, FILES)
        content = {"epoch": epoch, "of": self.description, "state": state_of(self.run)}
        write_folder(place, pack(KIND, content), overwrite=True)
        self._clean(epoch)

    def _place(self, epoch: int) -> Path:
        return self.folder / f"epoch-{epoch:06d}"

    def _clean(self, latest: int) -> None:
        """Remove all checkpoints but the latest, and what killed writers left; files of others stay."""
        self.latest = latest
        remove_leftovers(self.folder, "epoch-*")
        for path in list(self.folder.iterdir()):
            if not _NAME.fullmatch(path.name) or path == self._place(latest) or path.is_symlink() or not path.is_dir():
                continue
            for name in FILES:
                (path / name).unlink(missing_ok=True)
            if not any(path.iterdir()):
                path.rmdir()


def describe_training(setup: Setup) -> Content:
    """What a training depends on, as values and digests."""
    graph = setup.graph
    return {
        "settings": CONFIG.encode(setup.config),
        "random_state": setup.random_state,
        "device": torch.device(setup.device).type,
        "features": _digest(np.asarray(setup.features, np.float32)),
        "graph": _digest(graph.indptr, graph.indices, graph.weights, graph.self_weights),
    }


def _digest(*arrays: NDArray[Any]) -> str:
    total = hashlib.sha256()
    for array in arrays:
        total.update(f"{array.dtype.str} {array.shape}".encode())
        total.update(np.ascontiguousarray(array).data)
    return total.hexdigest()


def _check_same(there: Content, here: Content, folder: Path) -> None:
    """Raise, naming what differs, unless both are the same training; missing settings had their defaults."""
    old = {**there, **CONFIG.encode(CONFIG.decode(there["settings"]))}
    new = {**here, **here["settings"]}
    differing = [name for name in ("features", "graph") if old[name] != new[name]]
    named = ("random_state", "device", *here["settings"])
    differing += [f"{name} ({old[name]!r} there, {new[name]!r} here)" for name in named if old[name] != new[name]]
    if differing:
        raise ValueError(
            f"{folder} holds the checkpoint of another training; what differs: {', '.join(differing)}. "
            "Name another checkpoint_dir, or remove that folder."
        )
