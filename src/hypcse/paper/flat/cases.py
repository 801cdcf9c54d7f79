"""Data with one known partition: read, or drawn by a seed."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from hypcse._random import generator
from hypcse.datasets import available, describe, load
from hypcse.graph import Graph, similarity_graph

Floats = NDArray[np.float64]
Labels = NDArray[np.int64]
Group = Literal["public", "made", "planted", "noise"]
GROUPS: dict[Group, str] = {
    "public": "public tables",
    "made": "made tables",
    "planted": "planted partitions",
    "noise": "noise",
}
"""Kinds of cases, and what a report calls them."""


@dataclass(frozen=True)
class FlatCase:
    """Data whose clusters are known.

    group      : "public" tables with their classes, "made" ones that the seed draws, "planted" partitions of random
                 graphs, or "noise", which is one cluster.
    n_features : columns; with 0 there is a graph and nothing else.
    chances    : of a planted partition, the probability of an edge inside a group, and between two.
    """

    name: str
    group: Group
    n_points: int
    n_features: int
    n_clusters: int
    chances: tuple[float, float] | None = None


def _public(name: str) -> FlatCase:
    known = describe(name)
    return FlatCase(name, "public", known.n_points, known.n_features, known.n_classes)


def _planted(n_groups: int, size: int, inside: float, between: float) -> FlatCase:
    name = f"partition-{n_groups}x{size}-{inside:g}-{between:g}"
    return FlatCase(name, "planted", n_groups * size, 0, n_groups, (inside, between))


FLAT_CASES = {
    case.name: case
    for case in (
        *map(_public, available()),
        FlatCase("breast-cancer-diagnostic", "public", 569, 30, 2),
        FlatCase("moons", "made", 1000, 2, 2),
        FlatCase("circles", "made", 1000, 2, 2),
        FlatCase("blobs-densities", "made", 1000, 2, 3),
        FlatCase("blobs-stretched", "made", 1000, 2, 3),
        FlatCase("blobs-apart", "made", 1000, 2, 5),
        _planted(20, 50, 0.3, 0.02),
        _planted(20, 100, 0.2, 0.05),
        _planted(10, 100, 0.15, 0.03),
        *(FlatCase(f"noise-{n_features}d", "noise", 1000, n_features, 1) for n_features in (2, 8, 32)),
    )
}
"""All cases by name."""

ABOUT = (
    "Public tables are the nine of the paper, and `breast-cancer-diagnostic`, scikit-learn's `load_breast_cancer`, "
    "which is another table than `breast-cancer`; its iris, wine and digits are among the nine already and do not "
    "count twice. Classes stand in for clusters there, and need not be any. Made tables have 1,000 points in the "
    "plane: `moons` and `circles` with noise of 0.05; `blobs-densities`, three Gaussians 10 apart with standard "
    "deviations of 0.5, 1 and 2.5; `blobs-stretched`, three of 1, 6 apart, then sheared; `blobs-apart`, five of 1, "
    "12 apart. `partition-20x50-0.3-0.02` is a graph without features: 20 groups of 50 vertices, with an edge of "
    "probability 0.3 inside a group and 0.02 between two. `noise-8d` are 1,000 points drawn evenly from a cube of 8 "
    "dimensions, which is one cluster. Each seed draws the made data anew."
)


@dataclass(frozen=True, eq=False)
class FlatData:
    """X of shape (n, d), or None where there is the graph alone; the graph; and the true cluster of each point."""

    X: Floats | None
    graph: Graph
    y: Labels


def flat_data(case: FlatCase, seed: int) -> FlatData:
    """The data of a case under a seed; the graph of a table is its similarity graph."""
    if case.chances is not None:
        graph, y = _planted_partition(case, case.chances, generator(seed, f"flat {case.name}"))
        return FlatData(None, graph, y)
    X, y = _table(case, seed)
    return FlatData(X, similarity_graph(X), np.unique(y, return_inverse=True)[1])


def _table(case: FlatCase, seed: int) -> tuple[Floats, Any]:
    if case.group == "noise":
        X = generator(seed, f"flat {case.name}").uniform(size=(case.n_points, case.n_features))
        return X, np.zeros(case.n_points, np.int64)
    return _MADE[case.name](case.n_points, seed) if case.name in _MADE else load(case.name)


def _diagnostic(n_points: int, seed: int) -> tuple[Floats, Labels]:
    from sklearn.datasets import load_breast_cancer

    return load_breast_cancer(return_X_y=True)


def _curves(n_points: int, seed: int, maker: str, **options: float) -> tuple[Floats, Labels]:
    from sklearn import datasets

    return getattr(datasets, maker)(n_points, noise=0.05, random_state=seed, **options)


def _blobs(
    n_points: int, seed: int, side: float, spreads: list[float], shear: tuple[tuple[float, ...], ...] = ()
) -> tuple[Floats, Labels]:
    """Gaussians at the corners of a regular polygon around the origin."""
    from sklearn.datasets import make_blobs

    angles = 2 * np.pi * np.arange(len(spreads)) / len(spreads)
    radius = side / (2 * np.sin(np.pi / len(spreads)))
    centers = radius * np.column_stack([np.cos(angles), np.sin(angles)])
    X, y = make_blobs(n_points, centers=centers, cluster_std=spreads, random_state=seed)
    return (X @ np.array(shear) if shear else X), y


_MADE: dict[str, Callable[[int, int], tuple[Floats, Labels]]] = {
    "breast-cancer-diagnostic": _diagnostic,
    "moons": partial(_curves, maker="make_moons"),
    "circles": partial(_curves, maker="make_circles", factor=0.5),
    "blobs-densities": partial(_blobs, side=10, spreads=[0.5, 1.0, 2.5]),
    "blobs-stretched": partial(_blobs, side=6, spreads=[1.0] * 3, shear=((0.6, -0.6), (-0.4, 0.8))),
    "blobs-apart": partial(_blobs, side=12, spreads=[1.0] * 5),
}


def _planted_partition(case: FlatCase, chances: tuple[float, float], rng: np.random.Generator) -> tuple[Graph, Labels]:
    """A random graph with more edges inside groups than between them; the order of the vertices tells nothing."""
    y = rng.permutation(np.repeat(np.arange(case.n_clusters), case.n_points // case.n_clusters))
    chance = np.where(y[:, None] == y, *chances)
    i, j = np.nonzero(np.triu(rng.random(chance.shape) < chance, 1))
    return Graph.from_edges(i, j, n=case.n_points), y
