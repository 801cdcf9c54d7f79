"""Two ranks of torchrun beside one process: `python -m benchmarks ranks`."""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np
from rich.console import Console

from benchmarks.sheet import Sheet

N_SUBGRAPHS = 4
"""Of an epoch: two steps of two subgraphs each."""
STEP_EPOCHS, FIT_EPOCHS = 5, 6
"""Epochs of the ten steps that are compared, and of the fits that are timed."""
WAYS = {
    "1 process": (1, None),
    "1 process, two subgraphs per step": (1, 2),
    "2 ranks": (2, None),
}
"""Number of processes, and `subgraphs_per_step`."""


def add_options(parser: argparse.ArgumentParser) -> None:
    """Declare what the command takes."""
    parser.add_argument("--set", default="optical-digits", metavar="NAME", help="the data set; optical-digits")
    parser.add_argument("--seeds", type=int, default=3, metavar="S", help="fits of each, with random_state 0, 1, ...")


def show(options: argparse.Namespace, console: Console) -> int:
    """Run each way in processes of its own, and print both tables."""
    found = {way: launch(options.set, options.seeds, *how) for way, how in WAYS.items()}
    n_points = found["2 ranks"]["n_points"]
    one, two = (found[way]["steps"] for way in ("1 process, two subgraphs per step", "2 ranks"))
    title = f"Ten steps of 2 ranks beside one process that averages two subgraphs, {options.set}"
    rows = tuple((part, f"{largest:.1e}", f"{off:.1e}") for part, largest, off in differences(one, two))
    console.print(Sheet(title, ("what", "largest value", "largest difference"), rows).to_rich())
    remark = (
        f"{n_points:,} points in {N_SUBGRAPHS} subgraphs, {options.seeds} seeds: mean ± standard deviation. Seconds: "
        "the median of epochs that are not evaluated. Kernels have all cores in one process, and their share in two."
    )
    columns = ("way", "entropy of the tree", "entropy of the decoded tree", "last loss", "seconds per epoch")
    fits = tuple(fit_row(way, found[way]["fits"]) for way in WAYS)
    console.print(Sheet(f"Fits of {FIT_EPOCHS} epochs", columns, fits, (remark,)).to_rich())
    console.print(remark, markup=False)
    return 0


def differences(one: dict[str, list[float]], two: dict[str, list[float]]) -> list[tuple[str, float, float]]:
    """Of losses and weights the largest value and the largest difference.

    >>> differences({"losses": [1.0, -2.0]}, {"losses": [1.5, -2.0]})
    [('losses', 2.0, 0.5)]
    """
    pairs = {part: (np.array(values), np.array(two[part])) for part, values in one.items()}
    return [(part, float(abs(a).max()), float(abs(a - b).max())) for part, (a, b) in pairs.items()]


def fit_row(way: str, fits: list[dict[str, float]]) -> tuple[str, ...]:
    """The figures of one way as text."""
    cells = [way]
    for field in ("entropy", "decoded", "loss"):
        values = np.array([fit[field] for fit in fits])
        cells.append(f"{values.mean():.4f} ± {values.std(ddof=min(1, len(values) - 1)):.4f}")
    return (*cells, f"{np.median([fit['seconds'] for fit in fits]):.2f}")


def launch(name: str, n_seeds: int, n_processes: int, per_step: int | None) -> dict[str, Any]:
    """What so many processes find, told by the first of them."""
    with TemporaryDirectory() as folder:
        out = Path(folder) / "found.json"
        words = ["benchmarks.ranks", name, str(n_seeds), str(per_step or 0), str(out)]
        if n_processes > 1:
            words = ["torch.distributed.run", "--standalone", "--nproc-per-node", str(n_processes), "-m", *words]
        answer = subprocess.run([sys.executable, "-m", *words], capture_output=True, text=True)
        if answer.returncode:
            raise ValueError(f"{n_processes} processes failed: {answer.stderr.strip().splitlines()[-1]}")
        found: dict[str, Any] = json.loads(out.read_text())
        return found


def measure(name: str, n_seeds: int, per_step: int | None) -> dict[str, Any]:
    """Ten steps, and fits with every seed."""
    import hypcse

    X, _ = hypcse.datasets.load(name)
    batch_size = -(-len(X) // N_SUBGRAPHS)
    hypcse.HypCSE(n_epochs=1, device="cpu").fit(X[:1200])
    fits = [_fit(X, per_step, random_state=seed, device="cpu", batch_size=batch_size) for seed in range(n_seeds)]
    return {"n_points": len(X), "steps": _take_steps(X, per_step), "fits": fits}


def _take_steps(X: Any, per_step: int | None) -> dict[str, list[float]]:
    import hypcse
    from hypcse._threads import worker_threads
    from hypcse.graph import scale_features
    from hypcse.neural.training.config import Setup, TrainingConfig
    from hypcse.neural.training.ranks import join_ranks
    from hypcse.neural.training.run import Run

    batch_size = -(-len(X) // N_SUBGRAPHS)
    config = TrainingConfig(batch_size=batch_size, subgraphs_per_step=per_step, evaluate_every=1000)
    graph = hypcse.similarity_graph(X)
    # As in a fit: on more threads torch rounds otherwise.
    with worker_threads(None, len(X), trains=True), join_ranks("cpu") as (ranks, device):
        run = Run(Setup(scale_features(X), graph, config, device=device), ranks)
        losses = [run.epoch(number).losses.total for number in range(1, STEP_EPOCHS + 1)]
    weights = [value for weight in run.networks.state_dict().values() for value in weight.ravel().tolist()]
    return {"losses of epochs": losses, "weights": weights}


def _fit(X: Any, per_step: int | None, batch_size: int, **options: Any) -> dict[str, float]:
    import hypcse
    from hypcse.neural.training.config import TrainingOptions

    training = TrainingOptions(batch_size=batch_size, subgraphs_per_step=per_step, evaluate_every=FIT_EPOCHS)
    model = hypcse.HypCSE(n_epochs=FIT_EPOCHS, training=training, **options).fit(X)
    steps = model.history_
    decoded = [step.entropy for step in steps if step.entropy is not None]
    seconds = [step.seconds for step in steps if step.entropy is None]
    return {
        "entropy": model.entropy_,
        "decoded": decoded[-1],
        "loss": steps[-1].losses.total,
        "seconds": float(np.median(seconds)),
    }


def _main(name: str, n_seeds: str, per_step: str, out: str) -> None:
    from hypcse._threads import launched_place

    found = measure(name, int(n_seeds), int(per_step) or None)
    if launched_place().number == 0:
        Path(out).write_text(json.dumps(found))


if __name__ == "__main__":
    _main(*sys.argv[1:])
