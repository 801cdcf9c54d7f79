"""How a thorough search falls with time."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

import hypcse
from benchmarks.quality.data import Points
from benchmarks.quality.entropy import warm_up
from benchmarks.quality.sheet import Sheet, seconds_text
from hypcse._progress import Progress

N_POINTS = 12


def trace(points: Points, n_points: int = N_POINTS) -> list[Progress]:
    """What the callback of a thorough search from graph-average is told, at about `n_points` times."""
    warm_up()
    steps: list[Progress] = []
    # `append` returns None, which does not stop the search.
    hypcse.refine(hypcse.graph_linkage(points.graph), points.graph, effort="thorough", callback=steps.append)
    return milestones(steps, n_points)


def milestones(steps: Sequence[Progress], n_points: int) -> list[Progress]:
    """The first step, the last one before annealing, and steps at even distances in time from there to the end."""
    seconds = np.array([step.seconds for step in steps])
    annealing = [k for k, step in enumerate(steps) if step.stage == "annealing"]
    turn = max(annealing[0] - 1, 0) if annealing else 0
    times = np.linspace(seconds[turn], seconds[-1], n_points - 1)
    chosen = np.unique([0, turn, *np.searchsorted(seconds, times)])
    return [steps[k] for k in chosen]


def trace_sheet(name: str, steps: Sequence[Progress]) -> Sheet:
    """The steps as text."""
    return Sheet(
        f"Thorough search on {name}",
        ("stage", "s", "done", "lowest SE so far"),
        tuple((step.stage, seconds_text(step.seconds), f"{step.share:.0%}", f"{step.value:.4f}") for step in steps),
        ("From graph-average, as the callback is told.",),
    )
