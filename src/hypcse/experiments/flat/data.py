"""The data of a case: read, or drawn by a seed."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from hypcse._random import generator
from hypcse.datasets import load
from hypcse.experiments.flat.cases import FlatCase
from hypcse.graph import Graph, similarity_graph

_NOISE = 0.05
_SHEAR = ((0.6, -0.6), (-0.4, 0.8))

Floats = NDArray[np.float64]
Labels = NDArray[np.int64]


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
    if case.name in _BY_SCIKIT_LEARN:
        return _BY_SCIKIT_LEARN[case.name](case.n_points, seed)
    return load(case.name)


def _diagnostic(n_points: int, seed: int) -> tuple[Floats, Labels]:
    from sklearn.datasets import load_breast_cancer

    return load_breast_cancer(return_X_y=True)


def _moons(n_points: int, seed: int) -> tuple[Floats, Labels]:
    from sklearn.datasets import make_moons

    return make_moons(n_points, noise=_NOISE, random_state=seed)


def _circles(n_points: int, seed: int) -> tuple[Floats, Labels]:
    from sklearn.datasets import make_circles

    return make_circles(n_points, noise=_NOISE, factor=0.5, random_state=seed)


def _densities(n_points: int, seed: int) -> tuple[Floats, Labels]:
    return _blobs(n_points, seed, _corners(3, 10), [0.5, 1.0, 2.5])


def _stretched(n_points: int, seed: int) -> tuple[Floats, Labels]:
    X, y = _blobs(n_points, seed, _corners(3, 6), [1.0] * 3)
    return X @ np.array(_SHEAR), y


def _apart(n_points: int, seed: int) -> tuple[Floats, Labels]:
    return _blobs(n_points, seed, _corners(5, 12), [1.0] * 5)


_BY_SCIKIT_LEARN: dict[str, Callable[[int, int], tuple[Floats, Labels]]] = {
    "breast-cancer-diagnostic": _diagnostic,
    "moons": _moons,
    "circles": _circles,
    "blobs-densities": _densities,
    "blobs-stretched": _stretched,
    "blobs-apart": _apart,
}


def _blobs(n_points: int, seed: int, centres: Floats, spreads: list[float]) -> tuple[Floats, Labels]:
    from sklearn.datasets import make_blobs

    return make_blobs(n_points, centers=centres, cluster_std=spreads, random_state=seed)


def _corners(number: int, side: float) -> Floats:
    """Corners of a regular polygon around the origin."""
    angles = 2 * np.pi * np.arange(number) / number
    radius = side / (2 * np.sin(np.pi / number))
    return radius * np.column_stack([np.cos(angles), np.sin(angles)])


def _planted_partition(case: FlatCase, chances: tuple[float, float], rng: np.random.Generator) -> tuple[Graph, Labels]:
    """A random graph with more edges inside groups than between them; the order of the vertices tells nothing."""
    y = rng.permutation(np.repeat(np.arange(case.n_clusters), case.n_points // case.n_clusters))
    chance = np.where(y[:, None] == y, *chances)
    i, j = np.nonzero(np.triu(rng.random(chance.shape) < chance, 1))
    return Graph.from_edges(i, j, n=case.n_points), y
