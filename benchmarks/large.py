"""A default fit of many points, its growth and its scores: `python -m benchmarks large`."""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import time
from typing import Any

from rich.console import Console

from benchmarks.quality.sheet import Sheet
from hypcse.experiments.synthetic import N_FEATURES, nested_gaussians

SIZES = (10_000, 100_000)
# As many as a default fit of 100,000 points has; the same for both sizes, so that growth is that of an epoch.
N_EPOCHS = 10


def add_options(parser: argparse.ArgumentParser) -> None:
    """Declare what the command takes."""
    parser.add_argument("--sizes", nargs="*", type=int, default=list(SIZES), metavar="N")


def show(options: argparse.Namespace, console: Console) -> int:
    """Measure each size in a process of its own, and print the table."""
    rows, before = [], None
    for size in options.sizes:
        answer = subprocess.run([sys.executable, "-m", "benchmarks.large", str(size)], capture_output=True, text=True)
        if answer.returncode:
            raise ValueError(f"{size} points failed: {answer.stderr.strip().splitlines()[-1]}")
        found = json.loads(answer.stdout)
        growth = "-" if before is None else f"x{found['seconds'] / before:.1f}"
        before = found["seconds"]
        scores = (f"{100 * purity:.1f} / {entropy:.3f}" for purity, entropy in (found["model"], found["average"]))
        rows.append((f"{size:,}", f"{found['seconds']:.1f}", growth, f"{found['peak_mb']:.0f}", *scores))
    sheet = Sheet(
        "A default fit of nested Gaussians",
        ("points", "seconds", "growth", "peak MB", "HypCSE", "graph-average"),
        tuple(rows),
        (f"{N_FEATURES} features, {N_EPOCHS} epochs. The last two are dendrogram purity in percent / entropy.",),
    )
    console.print(sheet.to_rich())
    for remark in sheet.remarks:
        console.print(remark, markup=False)
    return 0


def measure(n_points: int) -> dict[str, Any]:
    """Seconds of a fit after a small one that compiles, the highest memory, and scores."""
    import resource

    import hypcse

    hypcse.HypCSE(n_epochs=1, batch_size=512).fit(nested_gaussians(2_000)[0])
    X, y = nested_gaussians(n_points)
    begin = time.perf_counter()
    model = hypcse.HypCSE(n_epochs=N_EPOCHS).fit(X)
    seconds = time.perf_counter() - begin
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    plain = hypcse.graph_linkage(model.graph_)
    scores = [hypcse.score(tree, graph=model.graph_, labels=y) for tree in (model.tree_, plain)]
    pairs = [(row["dendrogram_purity"], row["structural_entropy"]) for row in scores]
    return {"seconds": seconds, "peak_mb": peak, "model": pairs[0], "average": pairs[1]}


if __name__ == "__main__":
    print(json.dumps(measure(int(sys.argv[1]))))
