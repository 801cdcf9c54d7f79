"""Trees of the paper's mode by device: structural entropy and purity over seeds."""

from __future__ import annotations

import time
from collections.abc import Iterator

import numpy as np

from benchmarks.sheet import Sheet

SETS = ("zoo", "iris", "wine", "breast-cancer", "optical-digits")
N_SEEDS = 5


def sheets(device: str, small: bool) -> Iterator[Sheet]:
    """One table for the device; run the part again for another."""
    names, seeds = (SETS[:1], range(2)) if small else (SETS, range(N_SEEDS))
    rows = tuple(row_of(name, device, seeds) for name in names)
    columns = ("data set", "structural entropy", "dendrogram purity, %", "seconds a fit")
    title = f"The paper's mode on {device}: mean and standard deviation over {len(seeds)} seeds"
    yield Sheet(title, columns, rows)


def row_of(name: str, device: str, seeds: range) -> tuple[str, str, str, str]:
    """Entropy on the graph that was clustered, and purity."""
    import hypcse

    X, y = hypcse.datasets.load(name)
    entropies, purities, began = [], [], time.perf_counter()
    for seed in seeds:
        settings = hypcse.paper.paper_settings(name)
        model = hypcse.HypCSE(preset="paper", device=device, random_state=seed, **settings).fit(X)
        entropies.append(model.entropy_)
        purities.append(100 * hypcse.metrics.dendrogram_purity(model.tree_, y))
    seconds = (time.perf_counter() - began) / len(seeds)
    return name, _spread(entropies, 4), _spread(purities, 2), f"{seconds:.1f}"


def _spread(values: list[float], digits: int) -> str:
    return f"{np.mean(values):.{digits}f} ± {np.std(values):.{digits}f}"
