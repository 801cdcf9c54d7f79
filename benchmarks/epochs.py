"""Seconds and memory of an epoch with its evaluation, with the authors' settings: `python -m benchmarks epochs`."""

from __future__ import annotations

import argparse
import json
import subprocess
import sys

import numpy as np
from rich.console import Console

from benchmarks.quality.data import KNOWN
from benchmarks.quality.sheet import Sheet

# Seconds of an epoch on 2 CPU cores with the authors' released code, measured once.
AUTHORS = {"zoo": 0.4, "iris": 0.2, "optical-digits": 33.0, "pen-digits": 125.0}
N_EPOCHS = 12


def add_options(parser: argparse.ArgumentParser) -> None:
    """Declare what the command takes."""
    parser.add_argument("--sets", nargs="*", default=list(KNOWN), metavar="NAME", help="the paper's seven by default")


def show(options: argparse.Namespace, console: Console) -> int:
    """Measure each data set in a process of its own, and print the table."""
    rows = []
    for name in options.sets:
        answer = subprocess.run([sys.executable, "-m", "benchmarks.epochs", name], capture_output=True, text=True)
        if answer.returncode:
            raise ValueError(f"{name} failed: {answer.stderr.strip().splitlines()[-1]}")
        found = json.loads(answer.stdout)
        theirs = AUTHORS.get(name)
        ratio = "-" if theirs is None else f"{theirs / found['seconds']:.0f}x"
        rows.append((name, f"{found['seconds']:.3f}", f"{found['peak_mb']:.0f}", ratio))
    sheet = Sheet(
        "Epochs",
        ("data set", "seconds", "peak MB", "authors' code took"),
        tuple(rows),
        (f"Median of epochs 3 to {N_EPOCHS}, each with its evaluation; resident memory at its highest.",),
    )
    console.print(sheet.to_rich())
    for remark in sheet.remarks:
        console.print(remark, markup=False)
    return 0


def measure(name: str) -> dict[str, float]:
    """Seconds of an epoch and the highest resident memory of the whole fit, in MB."""
    import resource

    import hypcse

    X, _ = hypcse.datasets.load(name)
    settings = {**hypcse.experiments.paper_settings(name), "n_epochs": N_EPOCHS}
    model = hypcse.HypCSE(preset="paper", **settings).fit(X)
    seconds = [step.seconds for step in model.history_[2:]]
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    return {"seconds": float(np.median(seconds)), "peak_mb": peak}


if __name__ == "__main__":
    print(json.dumps(measure(sys.argv[1])))
