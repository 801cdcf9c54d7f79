"""The training loop: from the start or from a checkpoint, to the end or to an interruption."""

from __future__ import annotations

import os
from contextlib import nullcontext
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from hypcse._checks import Interrupted, check_count, warn
from hypcse._progress import Callback, Reporter
from hypcse.graph import Graph
from hypcse.neural.training.checkpoint import Checkpoints, describe_training
from hypcse.neural.training.config import TrainingConfig
from hypcse.neural.training.ranks import ALONE, Ranks
from hypcse.neural.training.run import Run, Trained, subgraphs_per_step
from hypcse.neural.training.state import restore, state_of
from hypcse.storage.files import check_folder, hold_folder


class TrainingInterrupted(Interrupted):
    """Ctrl-C ended training early, and the best tree so far was kept."""


def fit(
    features: NDArray[np.float32],
    graph: Graph,
    config: TrainingConfig,
    random_state: int = 0,
    callback: Callback | None = None,
    device: str = "cpu",
    *,
    checkpoint_dir: str | os.PathLike[str] | None = None,
    checkpoint_every: int = 10,
    ranks: Ranks = ALONE,
) -> Trained:
    """Train on scaled features (n, d) and their graph, and return the best tree that decoding found on the way.

    Every `evaluate_every` epochs all vertices are encoded and decoded, and the tree with the lowest structural entropy
    is kept, with a copy of the weights that made it. The untrained encoder counts as epoch 0. Weights start on the
    CPU, the same for every device; what is drawn in training is drawn on the device.

    `callback` is called with a `Progress` after every epoch: stage "training", with the loss of the epoch and the
    lowest entropy so far. Return True to stop; the best so far is returned.

    With a `checkpoint_dir`, the whole state is written there every `checkpoint_every` epochs and at the end, and a
    training of the same data and settings goes on from there, bit for bit as if it had never stopped. Ctrl-C ends
    training with the best so far and a warning.

    With several `ranks` each trains on its share of the subgraphs. Rank 0 alone evaluates, calls the callback and keeps
    checkpoints, from which another number of ranks may go on; all return the same. Where a step has one subgraph rank 0
    trains alone, as without the others. Ctrl-C then ends all ranks, without an answer.
    """
    if ranks.size > 1:
        facts = describe_training(features, graph, config, random_state, device)
        ranks.check_same({**facts.pop("settings"), **facts})
    ranks.first(lambda: check_checkpoints(checkpoint_dir, checkpoint_every))
    place = checkpoint_dir, checkpoint_every
    if subgraphs_per_step(config, graph.n_vertices, ranks) == 1:
        return ranks.first(lambda: _trained(Run(features, graph, config, random_state, device), callback, *place))
    return _trained(Run(features, graph, config, random_state, device, ranks), callback, *place)


def _trained(run: Run, callback: Callback | None, folder: str | os.PathLike[str] | None, every: int) -> Trained:
    """Train to the end, from the start or from a checkpoint."""
    ranks = run.ranks
    kept = None if folder is None or ranks.number > 0 else Checkpoints(folder, every, run)
    with nullcontext() if kept is None else hold_folder(kept.folder, again=True):
        start = ranks.first(lambda: 0 if kept is None else kept.resume())
        if start == 0:
            ranks.first(lambda: run.evaluate(0))
        if start > 0 and ranks.size > 1:
            state = ranks.first(lambda: state_of(run))
            restore(run, state)
        train_to_the_end(run, start, callback, kept)
    return ranks.first(run.result)


def check_checkpoints(folder: str | os.PathLike[str] | None, every: int) -> None:
    """Raise, before any work is done, where checkpoints cannot be kept."""
    check_count("checkpoint_every", every, 1)
    if folder is not None:
        check_folder(Path(folder))


def train_to_the_end(run: Run, start: int, callback: Callback | None, kept: Checkpoints | None) -> None:
    """The epochs after `start`, until the last, until the callback asks to stop, or the end of patience.

    Ctrl-C ends them with a warning.
    """
    if run.finished:
        return
    n_epochs, reporter = run.config.n_epochs, Reporter(callback)
    try:
        for epoch in range(start + 1, n_epochs + 1):
            run.epoch(epoch)
            run.finished = run.ranks.first(lambda: _close_epoch(run, reporter, kept))
            if run.finished:
                return
    except KeyboardInterrupt:
        if run.ranks.size > 1:
            raise
        warn(_interruption(run, kept), TrainingInterrupted)


def _close_epoch(run: Run, reporter: Reporter, kept: Checkpoints | None) -> bool:
    """Report the last epoch and keep its checkpoint; whether training ends with it."""
    epoch, n_epochs, loss = len(run.history), run.config.n_epochs, run.history[-1].losses.total
    last = run.out_of_patience() or epoch == n_epochs
    total = epoch if last else n_epochs
    asked = reporter.tell("training", epoch, total, value=run.lowest, measure="entropy", loss=loss)
    run.finished = last or asked
    if kept is not None:
        kept.keep()
    return run.finished


def _interruption(run: Run, kept: Checkpoints | None) -> str:
    trained = run.result()
    text = (
        f"training was interrupted in epoch {len(run.history) + 1} of {run.config.n_epochs}; "
        f"the tree is the best so far, that of epoch {trained.epoch}."
    )
    if kept is None:
        return f"{text} With checkpoint_dir= set, another fit could go on from there."
    if kept.latest == 0:
        return f"{text} There is no checkpoint yet; the first is due after epoch {kept.every}."
    return f"{text} Fit again with checkpoint_dir={str(kept.folder)!r} to go on after epoch {kept.latest}."
