"""The state of a training: how it is written to an archive, and read from it only when it is what it should be."""

from __future__ import annotations

from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from hypcse._checks import check_count
from hypcse.neural.graphs.tensors import EdgeTensors
from hypcse.neural.training.config import HINTS, TrainingConfig
from hypcse.neural.training.epoch import Losses
from hypcse.neural.training.run import Run, TrainingStep
from hypcse.neural.training.terms import Networks
from hypcse.storage.archive import Content
from hypcse.storage.options import decode_options, encode_options
from hypcse.storage.values import NUMBER, TREE, Codec, decode_array, read_parts


def _encode_history(history: list[TrainingStep]) -> dict[str, Any]:
    """Columns; NaN for the entropy of an epoch that was not evaluated."""
    losses = [(step.losses.cse, step.losses.contrast, step.losses.centroid, step.losses.total) for step in history]
    entropy = [np.nan if step.entropy is None else step.entropy for step in history]
    return {
        "n_epochs": history[0].n_epochs if history else 0,
        "losses": np.array(losses, np.float64).reshape(-1, 4),
        "evaluated": np.flatnonzero(~np.isnan(entropy)),
        "entropy": np.array([step.entropy for step in history if step.entropy is not None], np.float64),
        "seconds": np.array([step.seconds for step in history], np.float64),
    }


def _decode_history(kept: Any) -> list[TrainingStep]:
    n_epochs, *columns = read_parts(kept, ("n_epochs", "losses", "evaluated", "entropy", "seconds"))
    kinds = ((np.float64, 2), (np.int64, 1), (np.float64, 1), (np.float64, 1))
    losses, evaluated, entropy, seconds = (
        decode_array(column, *kind) for column, kind in zip(columns, kinds, strict=True)
    )
    n_epochs = check_count("n_epochs", n_epochs, len(seconds))
    if losses.shape != (len(seconds), 4) or evaluated.shape != entropy.shape:
        raise ValueError("the columns of the history do not fit together")
    if evaluated.size and (evaluated[0] < 0 or evaluated[-1] >= len(seconds) or (np.diff(evaluated) < 1).any()):
        raise ValueError("the evaluated epochs are not among those of the history")
    found = dict(zip(evaluated.tolist(), entropy.tolist(), strict=True))
    rows = zip(losses.tolist(), seconds.tolist(), strict=True)
    return [TrainingStep(k + 1, n_epochs, Losses(*row), found.get(k), time) for k, (row, time) in enumerate(rows)]


def _encode_state(state: dict[str, Tensor]) -> dict[str, NDArray[Any]]:
    return {name: value.detach().cpu().numpy() for name, value in state.items()}


def _decode_state(kept: Any) -> dict[str, Tensor]:
    if not isinstance(kept, dict):
        raise ValueError(f"it is {kept!r:.60} instead of weights by name")
    # Cloned into memory of torch, whose alignment is always the same: sums may depend on it in the last bit.
    return {name: torch.from_numpy(_weights(value)).clone() for name, value in kept.items()}


def _weights(kept: Any) -> NDArray[np.float32]:
    return decode_array(kept, np.float32, kept.ndim if isinstance(kept, np.ndarray) else 0)


def check_state(state: dict[str, Tensor], n_features: int, config: TrainingConfig) -> None:
    """Raise unless these are the weights of the networks of this configuration, which takes no memory to tell."""
    try:
        with torch.device("meta"):
            expected = Networks(n_features, config, torch.Generator()).state_dict()
    except (RuntimeError, TypeError, OverflowError) as error:
        raise ValueError(f"there are no networks of such sizes ({str(error).splitlines()[0]})") from None
    wrong = {name for name in expected if name not in state or state[name].shape != expected[name].shape}
    wrong |= state.keys() - expected.keys()
    if wrong:
        raise ValueError(
            f"the weights {min(wrong)!r:.60} are missing, too many, or of another shape than the networks'"
        )


HISTORY = Codec(_encode_history, _decode_history)
STATE = Codec(_encode_state, _decode_state)
CONFIG = Codec(
    lambda config: encode_options(vars(config), HINTS),
    lambda kept: TrainingConfig(**decode_options(kept, HINTS)),
)


def state_of(run: Run) -> Content:
    """All that a training has changed since its start."""
    assert run.best is not None
    entropy, epoch, tree, leaves, state, anchor = run.best
    return {
        "finished": run.finished,
        "networks": STATE.encode(run.networks.state_dict()),
        "optimizers": {str(k): _encode_optimizer(optimizer) for k, optimizer in enumerate(run.optimizers)},
        "draws": run.draws.get_state().numpy(),
        "sampling": run.sampling.bit_generator.state,
        "anchor": _encode_anchor(run.anchor),
        "best": {
            "entropy": float(entropy),
            "epoch": epoch,
            "tree": TREE.encode(tree),
            "leaves": leaves,
            "state": STATE.encode(state),
            "anchor": _encode_anchor(anchor),
        },
        "since_best": run.since_best,
        "history": HISTORY.encode(run.history),
    }


def restore(run: Run, content: Content) -> None:
    """Bring a training that has just been made to a state that `state_of` gave."""
    n_features, n_vertices = run.features.shape[1], run.graph.n_vertices
    networks = STATE.decode(content["networks"])
    check_state(networks, n_features, run.config)
    run.networks.load_state_dict(networks)
    for number, optimizer in enumerate(run.optimizers):
        _decode_optimizer(optimizer, content["optimizers"][str(number)])
    run.draws.set_state(torch.from_numpy(decode_array(content["draws"], np.uint8, 1)).clone())
    run.sampling.bit_generator.state = content["sampling"]
    run.anchor = _decode_anchor(content["anchor"], n_vertices).to(run.device)
    names = ("entropy", "epoch", "tree", "leaves", "state", "anchor")
    entropy, epoch, tree, leaves, state, anchor = read_parts(content["best"], names)
    state = STATE.decode(state)
    check_state(state, n_features, run.config)
    found = TREE.decode(tree), decode_array(leaves, np.float64, 2)
    then = _decode_anchor(anchor, n_vertices).to(run.device)
    run.best = NUMBER.decode(entropy), check_count("the best epoch", epoch, 0), *found, state, then
    run.since_best = check_count("since_best", content["since_best"], 0)
    run.history = HISTORY.decode(content["history"])
    run.finished = content["finished"] is True


def _encode_optimizer(optimizer: torch.optim.Optimizer) -> Content:
    """Steps and moments by the number of the parameter, for those that have been moved."""
    return {
        str(number): {
            "step": int(state["step"]),
            "exp_avg": state["exp_avg"].cpu().numpy(),
            "exp_avg_sq": state["exp_avg_sq"].cpu().numpy(),
        }
        for number, state in optimizer.state_dict()["state"].items()
    }


def _decode_optimizer(optimizer: torch.optim.Optimizer, content: Content) -> None:
    """Set the states one by one: Adam counts its steps in a tensor, geoopt's in a whole number."""
    parameters: list[Tensor] = [parameter for group in optimizer.param_groups for parameter in group["params"]]
    optimizer.state.clear()
    for number, kept in content.items():
        parameter = parameters[int(number)]
        step, *moments = read_parts(kept, ("step", "exp_avg", "exp_avg_sq"))
        check_count("step", step, 1)
        first, second = (moment.to(parameter.device) for moment in STATE.decode(dict(enumerate(moments))).values())
        if first.shape != parameter.shape or second.shape != parameter.shape:
            raise ValueError("the optimizer's moments are not of the shape of their parameter")
        counted = step
        if type(optimizer) is torch.optim.Adam:
            # The fused form counts where its parameters are.
            counted = torch.tensor(float(step), device=parameter.device if optimizer.defaults["fused"] else "cpu")
        optimizer.state[parameter] = {"step": counted, "exp_avg": first, "exp_avg_sq": second}


def _encode_anchor(anchor: EdgeTensors) -> Content:
    return {"index": anchor.index.cpu().numpy(), "weight": anchor.weight.cpu().numpy()}


def _decode_anchor(content: Content, n_vertices: int) -> EdgeTensors:
    index, weight = read_parts(content, ("index", "weight"))
    index, weight = decode_array(index, np.int64, 2), decode_array(weight, np.float32, 1)
    keys = index[0] * n_vertices + index[1]
    if index.size and (index.min() < 0 or index.max() >= n_vertices or (np.diff(keys) < 1).any()):
        raise ValueError("the anchor's edges are not those of a graph")
    return EdgeTensors(torch.from_numpy(index).clone(), torch.from_numpy(weight).clone(), n_vertices)
