"""A million points on a machine with a GPU: from features to levels by the engine, and a default `HypCSE`."""

from __future__ import annotations

import time
from collections.abc import Iterator

from benchmarks.million import _steps, grouped
from benchmarks.sheet import Sheet


def sheets(device: str, small: bool) -> Iterator[Sheet]:
    """Steps of the engine first, for they tell where the time of a fit goes."""
    import hypcse

    n_points = 20_000 if small else 1_000_000
    began = time.perf_counter()
    _steps(grouped(5_000)[0])
    warm = time.perf_counter() - began
    X = grouped(n_points)[0]
    steps, tree, graph, _ = _steps(X)
    total = sum(seconds for _, seconds, _ in steps)
    rows = [(name, f"{seconds:.1f}", f"{peak:.0f}") for name, seconds, peak in steps]
    rows.append(("all", f"{total:.1f}", ""))
    remarks = (
        f"5,000 points before that, kernels of the CPU compiled where they were not: {warm:.1f} s",
        f"structural entropy {hypcse.structural_entropy(tree, graph):.4f}",
    )
    title = f"{n_points:,} x {X.shape[1]} from features to levels by the engine"
    yield Sheet(title, ("step", "seconds", "peak MB so far"), tuple(rows), remarks)
    hypcse.HypCSE(device=device).fit(X[:5_000])
    began = time.perf_counter()
    model = hypcse.HypCSE(device=device).fit(X)
    seconds = time.perf_counter() - began
    training = sum(step.seconds for step in model.history_)
    cells = (f"{n_points:,}", f"{seconds:.1f}", f"{training:.1f}", f"{len(model.history_)}", f"{model.entropy_:.4f}")
    columns = ("points", "fit, s", "epochs with evaluation, s", "epochs", "entropy")
    yield Sheet(f"A default HypCSE on {device}", columns, (cells,))
