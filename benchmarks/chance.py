"""How often structure is found where there is none, and where there is: `python -m benchmarks chance`."""

from __future__ import annotations

import argparse
import time
from collections.abc import Callable
from typing import Any

import numpy as np
from rich.console import Console

import hypcse
from benchmarks.planted import planted
from benchmarks.quality.sheet import Sheet

SEEDS = tuple(range(10))
N_POINTS = 1000


def _uniform(n_columns: int) -> Callable[[int], Any]:
    return lambda seed: np.random.default_rng(seed).uniform(size=(N_POINTS, n_columns))


def _normal(n_columns: int) -> Callable[[int], Any]:
    return lambda seed: np.random.default_rng(seed).normal(size=(N_POINTS, n_columns))


def _blobs(seed: int) -> Any:
    """Five groups of standard deviation 1, at the corners of a simplex 10 apart."""
    rng = np.random.default_rng(seed)
    return np.repeat(10 / np.sqrt(2) * np.eye(5), N_POINTS // 5, axis=0) + rng.normal(size=(N_POINTS, 5))


def _moons(seed: int) -> Any:
    from sklearn.datasets import make_moons

    return make_moons(N_POINTS, noise=0.05, random_state=seed)[0]


def _regular(degree: int) -> Callable[[int], Any]:
    def made(seed: int) -> Any:
        import networkx as nx

        return hypcse.Graph.from_networkx(nx.random_regular_graph(degree, N_POINTS, seed=seed))

    return made


CASES: dict[str, Callable[[int], Any]] = {
    **{f"uniform noise, {d} dimensions": _uniform(d) for d in (2, 8, 32)},
    **{f"one normal cloud, {d} dimensions": _normal(d) for d in (2, 8, 32)},
    "random 3-regular graph": _regular(3),
    "random 10-regular graph": _regular(10),
    "blobs well apart": _blobs,
    "two moons": _moons,
    "planted 20 x 50, .3 / .02": lambda seed: planted(20, 50, 0.3, 0.02, seed)[0],
    "planted 20 x 100, .2 / .05": lambda seed: planted(20, 100, 0.2, 0.05, seed)[0],
}


def add_options(parser: argparse.ArgumentParser) -> None:
    """Declare what the command takes."""
    parser.add_argument("--seeds", nargs="*", type=int, default=list(SEEDS), metavar="S")


def show(options: argparse.Namespace, console: Console) -> int:
    """One row per kind of data."""
    hypcse.beyond_chance(_uniform(2)(0))
    hypcse.beyond_chance(_regular(3)(0))
    sheet = Sheet(
        "Structure beyond chance",
        ("data", "found", "least score", "greatest score", "seconds each"),
        tuple(_row(name, made, options.seeds) for name, made in CASES.items()),
        (f"`beyond_chance` on {N_POINTS:,} points or vertices (the planted: as named); a seed draws data and chance.",),
    )
    console.print(sheet.to_rich())
    for remark in sheet.remarks:
        console.print(remark, markup=False)
    return 0


def _row(name: str, made: Callable[[int], Any], seeds: list[int]) -> tuple[str, ...]:
    data = [made(seed) for seed in seeds]
    begin = time.perf_counter()
    found = [hypcse.beyond_chance(one, random_state=seed) for one, seed in zip(data, seeds, strict=True)]
    seconds = (time.perf_counter() - begin) / len(seeds)
    scores = [one.score for one in found]
    number = f"{sum(one.found for one in found)} of {len(found)}"
    return name, number, f"{min(scores):.1f}", f"{max(scores):.1f}", f"{seconds:.2f}"
