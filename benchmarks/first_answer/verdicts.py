"""How often structure is found where there is none, and where there is, and the columns that it rests on."""

from __future__ import annotations

import argparse
import time
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from itertools import product
from typing import Any

import networkx as nx
import numpy as np
from numpy.typing import NDArray
from sklearn import datasets

import hypcse
from benchmarks.sheet import Sheet

N_POINTS = 1000

Table = NDArray[Any]
Draw = Callable[[int], Any]
"""Data from a seed."""


def sheets(options: argparse.Namespace) -> Iterator[Sheet]:
    """Noise, data with structure, and columns that carry it alone."""
    remark = f"`beyond_chance` on {N_POINTS:,} points or vertices, or as the row says; a seed draws the data."
    for title, cases in (
        ("Noise: nothing is to be found", NOISE),
        ("Structure: it is to be found", STRUCTURE),
        ("Columns that alone carry structure", COLUMNS),
    ):
        yield _verdicts(title, cases, options.seeds, remark)


def _verdicts(title: str, cases: Mapping[str, Draw], seeds: list[int], remark: str) -> Sheet:
    rows, all_found = [], 0
    for name, draw in cases.items():
        data = [draw(seed) for seed in seeds]
        begin = time.process_time()
        verdicts = [hypcse.beyond_chance(one, random_state=seed) for one, seed in zip(data, seeds, strict=True)]
        seconds = (time.process_time() - begin) / len(seeds)
        scores = [verdict.score for verdict in verdicts]
        found = sum(verdict.found for verdict in verdicts)
        all_found += found
        columns, times = Counter(verdict.rests_on for verdict in verdicts).most_common(1)[0]
        rests_on = f"{', '.join(map(str, columns)) or '-'} ({times})"
        number = f"{found} of {len(seeds)}"
        rows.append((name, number, f"{min(scores):.1f}", f"{max(scores):.1f}", rests_on, f"{seconds:.2f}"))
    rows.append(("all", f"{all_found} of {len(cases) * len(seeds)}", "", "", "", ""))
    columns_shown = ("data", "found", "least score", "greatest score", "rests on (times)", "CPU seconds each")
    return Sheet(title, columns_shown, tuple(rows), (remark,))


def _drawn(law: Callable[[np.random.Generator, tuple[int, int]], Table], n_columns: int, n: int = N_POINTS) -> Draw:
    return lambda seed: law(np.random.default_rng(seed), (n, n_columns))


def _sphere(rng: np.random.Generator, shape: tuple[int, int]) -> Table:
    points = rng.normal(size=shape)
    return points / np.linalg.norm(points, axis=1, keepdims=True)


def _factors(rng: np.random.Generator, shape: tuple[int, int]) -> Table:
    return rng.normal(size=(shape[0], 3)) @ rng.normal(size=(3, shape[1])) + 0.5 * rng.normal(size=shape)


def _answers(rng: np.random.Generator, shape: tuple[int, int]) -> Table:
    return np.clip(np.round(_factors(rng, shape) + 3), 1, 5)


def _twice(rng: np.random.Generator, shape: tuple[int, int]) -> Table:
    return np.repeat(rng.normal(size=(shape[0] // 2, shape[1])), 2, axis=0)


def _regular(degree: int) -> Draw:
    return lambda seed: hypcse.Graph.from_networkx(nx.random_regular_graph(degree, N_POINTS, seed=seed))


LAWS: dict[str, Callable[[np.random.Generator, tuple[int, int]], Table]] = {
    "uniform": lambda rng, shape: rng.uniform(size=shape),
    "normal": lambda rng, shape: rng.normal(size=shape),
    "t of 2 degrees": lambda rng, shape: rng.standard_t(2, size=shape),
    "lognormal": lambda rng, shape: np.exp(rng.normal(size=shape)),
    "exponential": lambda rng, shape: rng.exponential(size=shape),
    "Cauchy": lambda rng, shape: rng.standard_cauchy(size=shape),
}
NOISE: dict[str, Draw] = {
    **{f"{name}, {d} columns": _drawn(law, d) for (name, law), d in product(LAWS.items(), (1, 2, 8, 32))},
    **{f"sphere in {d} dimensions": _drawn(_sphere, d) for d in (2, 3, 5, 10)},
    **{f"three factors, {d} columns": _drawn(_factors, d) for d in (8, 20)},
    **{
        f"Likert, {d} independent items": _drawn(lambda rng, shape: rng.integers(1, 6, size=shape) * 1.0, d)
        for d in (3, 5, 20)
    },
    **{f"Likert, {d} items of three factors": _drawn(_answers, d) for d in (5, 20)},
    **{f"normal, every row twice, {d} columns": _drawn(_twice, d) for d in (1, 2, 8)},
    "rounded normal, 3 columns": _drawn(lambda rng, shape: np.round(5 * rng.normal(size=shape)), 3),
    "200 normal points, 4 columns": _drawn(LAWS["normal"], 4, 200),
    "5,000 uniform points, 4 columns": _drawn(LAWS["uniform"], 4, 5000),
    "random 3-regular graph": _regular(3),
    "random 10-regular graph": _regular(10),
}


def _planted(size: int, p_in: float, p_out: float, seed: int) -> hypcse.Graph:
    """20 groups of so many vertices, and the probabilities of an edge inside a group and between two."""
    y = np.repeat(np.arange(20), size)
    chance = np.where(y[:, None] == y, p_in, p_out)
    i, j = np.nonzero(np.triu(np.random.default_rng(seed).random(chance.shape) < chance, 1))
    return hypcse.Graph.from_edges(i, j, None, y.size)


def _blobs(n_blobs: int, n_columns: int, spread: float) -> Draw:
    def drawn(seed: int) -> Table:
        rng = np.random.default_rng(seed)
        centers = spread * rng.normal(size=(n_blobs, n_columns))
        return centers[rng.integers(n_blobs, size=N_POINTS)] + rng.normal(size=(N_POINTS, n_columns))

    return drawn


STRUCTURE: dict[str, Draw] = {
    "5 blobs in 5 columns, centers drawn with deviation 5": _blobs(5, 5, 5.0),
    "10 blobs in 8 columns, centers drawn with deviation 1": _blobs(10, 8, 1.0),
    "30 blobs in 16 columns, centers drawn with deviation 1": _blobs(30, 16, 1.0),
    "two moons": lambda seed: datasets.make_moons(N_POINTS, noise=0.05, random_state=seed)[0],
    "two circles": lambda seed: datasets.make_circles(N_POINTS, noise=0.05, factor=0.5, random_state=seed)[0],
    "iris": lambda seed: datasets.load_iris().data,
    "wine": lambda seed: datasets.load_wine().data,
    "digits": lambda seed: datasets.load_digits().data,
    "breast cancer (diagnostic)": lambda seed: datasets.load_breast_cancer().data,
    "planted 20 x 50, .3 / .02": lambda seed: _planted(50, 0.3, 0.02, seed),
    "planted 20 x 100, .2 / .05": lambda seed: _planted(100, 0.2, 0.05, seed),
}


def _beside_noise(column: Callable[[np.random.Generator], Table], n_columns: int) -> Draw:
    """Normal columns, and others after them."""

    def drawn(seed: int) -> Table:
        rng = np.random.default_rng(seed)
        return np.column_stack([rng.normal(size=(N_POINTS, n_columns)), column(rng)])

    return drawn


def _two_modes(rng: np.random.Generator) -> Table:
    return rng.normal(size=N_POINTS) + 10 * (rng.random(N_POINTS) < 0.4)


def _agreeing(seed: int) -> Table:
    """Twelve coins that nine times in ten show the side of the row."""
    rng = np.random.default_rng(seed)
    side = rng.integers(2, size=(N_POINTS, 1))
    return np.where(rng.random((N_POINTS, 12)) < 0.9, side, 1 - side).astype(float)


COLUMNS: dict[str, Draw] = {
    "20 normal columns and a coin": _beside_noise(lambda rng: rng.integers(2, size=N_POINTS), 20),
    "4 normal columns and a sex of 1 or 2": _beside_noise(lambda rng: rng.integers(1, 3, size=N_POINTS), 4),
    "5 normal columns and three years": _beside_noise(lambda rng: rng.integers(2007, 2010, size=N_POINTS), 5),
    "6 normal columns and two coins": _beside_noise(lambda rng: rng.integers(2, size=(N_POINTS, 2)), 6),
    "4 normal columns and one of three texts": _beside_noise(lambda rng: np.eye(3)[rng.integers(3, size=N_POINTS)], 4),
    "5 normal columns and one of two modes": _beside_noise(_two_modes, 5),
    "one column of two modes": _beside_noise(_two_modes, 0),
    "a coin beside 3 normal columns and one of two modes": _beside_noise(
        lambda rng: np.column_stack([_two_modes(rng), rng.integers(2, size=N_POINTS)]), 3
    ),
    "12 coins that mostly agree": _agreeing,
}
