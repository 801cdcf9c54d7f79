"""All that a training has changed since its start, as the content of an archive and back."""

from __future__ import annotations

import numpy as np
import torch
from torch import Tensor

from hypcse._archive import Content
from hypcse._checks import check_count
from hypcse._forms import NUMBER, TREE, parts_of, take_array
from hypcse.graph.tensors import EdgeTensors
from hypcse.training.forms import HISTORY, STATE, check_state
from hypcse.training.run import Run


def state_of(run: Run) -> Content:
    """All that a training has changed since its start."""
    assert run.best is not None
    entropy, epoch, tree, leaves, state, anchor = run.best
    return {
        "finished": run.finished,
        "networks": STATE.put(run.networks.state_dict()),
        "optimizers": {str(k): _put_optimizer(optimizer) for k, optimizer in enumerate(run.optimizers)},
        "draws": run.draws.get_state().numpy(),
        "sampling": run.sampling.bit_generator.state,
        "anchor": _put_anchor(run.anchor),
        "best": {
            "entropy": float(entropy),
            "epoch": epoch,
            "tree": TREE.put(tree),
            "leaves": leaves,
            "state": STATE.put(state),
            "anchor": _put_anchor(anchor),
        },
        "since_best": run.since_best,
        "history": HISTORY.put(run.history),
    }


def restore(run: Run, content: Content) -> None:
    """Bring a training that has just been made to a state that `state_of` gave."""
    n_features, n_vertices = run.features.shape[1], run.graph.n_vertices
    networks = STATE.take(content["networks"])
    check_state(networks, n_features, run.config)
    run.networks.load_state_dict(networks)
    for number, optimizer in enumerate(run.optimizers):
        _take_optimizer(optimizer, content["optimizers"][str(number)])
    run.draws.set_state(torch.from_numpy(take_array(content["draws"], np.uint8, 1)).clone())
    run.sampling.bit_generator.state = content["sampling"]
    run.anchor = _take_anchor(content["anchor"], n_vertices).to(run.device)
    names = ("entropy", "epoch", "tree", "leaves", "state", "anchor")
    entropy, epoch, tree, leaves, state, anchor = parts_of(content["best"], names)
    state = STATE.take(state)
    check_state(state, n_features, run.config)
    found = TREE.take(tree), take_array(leaves, np.float64, 2)
    then = _take_anchor(anchor, n_vertices).to(run.device)
    run.best = NUMBER.take(entropy), check_count("the best epoch", epoch, 0), *found, state, then
    run.since_best = check_count("since_best", content["since_best"], 0)
    run.history = HISTORY.take(content["history"])
    run.finished = content["finished"] is True


def _put_optimizer(optimizer: torch.optim.Optimizer) -> Content:
    """Steps and moments by the number of the parameter, for those that have been moved."""
    return {
        str(number): {
            "step": int(state["step"]),
            "exp_avg": state["exp_avg"].cpu().numpy(),
            "exp_avg_sq": state["exp_avg_sq"].cpu().numpy(),
        }
        for number, state in optimizer.state_dict()["state"].items()
    }


def _take_optimizer(optimizer: torch.optim.Optimizer, content: Content) -> None:
    """Set the states one by one: Adam counts its steps in a tensor, geoopt's in a whole number."""
    parameters: list[Tensor] = [parameter for group in optimizer.param_groups for parameter in group["params"]]
    optimizer.state.clear()
    for number, kept in content.items():
        parameter = parameters[int(number)]
        step, *moments = parts_of(kept, ("step", "exp_avg", "exp_avg_sq"))
        check_count("step", step, 1)
        first, second = (moment.to(parameter.device) for moment in STATE.take(dict(enumerate(moments))).values())
        if first.shape != parameter.shape or second.shape != parameter.shape:
            raise ValueError("the optimizer's moments are not of the shape of their parameter")
        counted = torch.tensor(float(step)) if type(optimizer) is torch.optim.Adam else step
        optimizer.state[parameter] = {"step": counted, "exp_avg": first, "exp_avg_sq": second}


def _put_anchor(anchor: EdgeTensors) -> Content:
    return {"index": anchor.index.cpu().numpy(), "weight": anchor.weight.cpu().numpy()}


def _take_anchor(content: Content, n_vertices: int) -> EdgeTensors:
    index, weight = parts_of(content, ("index", "weight"))
    index, weight = take_array(index, np.int64, 2), take_array(weight, np.float32, 1)
    keys = index[0] * n_vertices + index[1]
    if index.size and (index.min() < 0 or index.max() >= n_vertices or (np.diff(keys) < 1).any()):
        raise ValueError("the anchor's edges are not those of a graph")
    return EdgeTensors(torch.from_numpy(index).clone(), torch.from_numpy(weight).clone(), n_vertices)
