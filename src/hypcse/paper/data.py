"""Data of experiments: names, sizes, and made points."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from hypcse.datasets import available
from hypcse.paper.flat import FLAT_CASES, FlatCase
from hypcse.paper.hierarchies import CASES, Case

N_FEATURES = 16
PREFIX = "nested-gaussians-"
"""Before the number of points, the name of nested Gaussians."""
_ALL: dict[str, Case | FlatCase] = {**CASES, **FLAT_CASES}
MADE = {name: case for name, case in _ALL.items() if name not in available()}
"""Data sets that are made, or scikit-learn's, by name."""


def size_of(name: str) -> int | None:
    """Number of points of the nested Gaussians of a name, at least 2; None for any other name.

    >>> size_of("nested-gaussians-1000"), size_of("iris")
    (1000, None)
    """
    size = name.removeprefix(PREFIX)
    return int(size) if size != name and size.isdecimal() and int(size) > 1 else None


def made_size(name: str) -> int | None:
    """Number of points of a data set that is made, or scikit-learn's; None for one that `load` reads."""
    return MADE[name].n_points if name in MADE else size_of(name)


def nested_gaussians(n_points: int, seed: int = 0) -> tuple[NDArray[np.float64], NDArray[np.int64]]:
    """Points of 25 Gaussians, five in each of five groups, and the Gaussian of each."""
    rng = np.random.default_rng(seed)
    groups = 8 * rng.normal(size=(5, 1, N_FEATURES))
    centers = (groups + 3 * rng.normal(size=(5, 5, N_FEATURES))).reshape(25, N_FEATURES)
    y = rng.integers(0, 25, n_points)
    return centers[y] + rng.normal(size=(n_points, N_FEATURES)), y
