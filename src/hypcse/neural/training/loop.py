"""The training loop: from the start or from a checkpoint, to the end or to an interruption."""

from __future__ import annotations

import os
from contextlib import nullcontext
from pathlib import Path

from hypcse._checks import Interrupted, check_count, warn
from hypcse._progress import Callback, Reporter
from hypcse.neural.training.checkpoint import Checkpoints, describe_training, restore, state_of
from hypcse.neural.training.config import Setup
from hypcse.neural.training.ranks import ALONE, Ranks
from hypcse.neural.training.run import Run, Trained, subgraphs_per_step
from hypcse.storage.files import check_folder, hold_folder


def fit(
    setup: Setup,
    callback: Callback | None = None,
    *,
    checkpoint_dir: str | os.PathLike[str] | None = None,
    checkpoint_every: int = 10,
    ranks: Ranks = ALONE,
) -> Trained:
    """Train on features and their graph, and return the best tree that decoding found on the way, the start included.

    The `callback` is called with a `Progress`; return True to stop. It and Ctrl-C end training with the best so far;
    from a `checkpoint_dir` it goes on, bit for bit. Of several `ranks` 0 alone evaluates, calls the callback and writes
    checkpoints, and trains alone if a step has one subgraph; all return the same.
    """
    if ranks.size > 1:
        description = describe_training(setup)
        ranks.check_same({**description.pop("settings"), **description})
    ranks.first(lambda: check_checkpoints(checkpoint_dir, checkpoint_every))
    if ranks.size > 1 and subgraphs_per_step(setup, ranks) == 1:
        return ranks.first(
            lambda: fit(setup, callback, checkpoint_dir=checkpoint_dir, checkpoint_every=checkpoint_every)
        )
    run = Run(setup, ranks)
    checkpoints = None
    if checkpoint_dir is not None and ranks.number == 0:
        checkpoints = Checkpoints(checkpoint_dir, checkpoint_every, run)
    with nullcontext() if checkpoints is None else hold_folder(checkpoints.folder, again=True):
        start = ranks.first(lambda: 0 if checkpoints is None else checkpoints.resume())
        if start == 0:
            ranks.first(lambda: run.evaluate(0))
        elif ranks.size > 1:
            restore(run, ranks.first(lambda: state_of(run)))
        train_epochs(run, start, callback, checkpoints)
    return ranks.first(run.result)


def check_checkpoints(folder: str | os.PathLike[str] | None, every: int) -> None:
    """Raise, before any work is done, if checkpoints cannot be written."""
    check_count("checkpoint_every", every, 1)
    if folder is not None:
        check_folder(Path(folder))


def train_epochs(run: Run, start: int, callback: Callback | None, checkpoints: Checkpoints | None) -> None:
    """The epochs after `start`, until the last one, the end of patience, a callback that stops, or Ctrl-C."""
    reporter = Reporter(callback)
    try:
        for epoch in range(start + 1, run.config.n_epochs + 1):
            if run.finished:
                break
            run.epoch(epoch)
            run.finished = run.ranks.first(lambda: _close_epoch(run, reporter, checkpoints))
    except KeyboardInterrupt:
        if run.ranks.size > 1:
            raise
        warn(_interruption(run, checkpoints), Interrupted)


def _close_epoch(run: Run, reporter: Reporter, checkpoints: Checkpoints | None) -> bool:
    """Report the last epoch and write its checkpoint; whether training ends with it."""
    epoch, n_epochs, loss = len(run.history), run.config.n_epochs, run.history[-1].losses.total
    last = epoch == n_epochs or (run.config.patience is not None and run.since_best >= run.config.patience)
    lowest, total = run.best and run.best.entropy, epoch if last else n_epochs
    run.finished = reporter.tell("training", epoch, total, value=lowest, measure="entropy", loss=loss) or last
    if checkpoints is not None:
        checkpoints.write()
    return run.finished


def _interruption(run: Run, checkpoints: Checkpoints | None) -> str:
    if checkpoints is None:
        way = "With training=TrainingOptions(checkpoint_dir=...), another fit could go on from there."
    elif checkpoints.latest == 0:
        way = f"There is no checkpoint yet; the first is due after epoch {checkpoints.every}."
    else:
        there = f"TrainingOptions(checkpoint_dir={str(checkpoints.folder)!r})"
        way = f"Fit again with {there} to go on after epoch {checkpoints.latest}."
    return (
        f"training was interrupted in epoch {len(run.history) + 1} of {run.config.n_epochs}; "
        f"the tree is the best so far, that of epoch {run.best_epoch}. {way}"
    )
