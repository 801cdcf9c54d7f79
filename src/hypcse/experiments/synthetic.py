"""Data sets by name: the made cases, and points to measure how methods grow."""

from __future__ import annotations

from typing import TYPE_CHECKING

from hypcse.datasets import available, describe
from hypcse.experiments.flat.cases import FLAT_CASES, FlatCase
from hypcse.experiments.hierarchies.cases import CASES, Case

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

SIZES = (1_000, 2_000, 5_000, 10_000, 20_000, 50_000)
N_FEATURES = 16
_PREFIX = "nested-gaussians-"
_ALL: dict[str, Case | FlatCase] = {**CASES, **FLAT_CASES}
_MADE = {name: case for name, case in _ALL.items() if name not in available()}


def data_name(n_points: int) -> str:
    """The name under which a task asks for so many points.

    >>> size_of(data_name(1000))
    1000
    """
    return f"{_PREFIX}{n_points}"


def size_of(name: str) -> int | None:
    """Number of points of the nested Gaussians of a name, at least 2; None for any other name."""
    size = name.removeprefix(_PREFIX)
    return int(size) if size != name and size.isdecimal() and int(size) > 1 else None


def made_size(name: str) -> int | None:
    """Number of points of a data set that is made, or scikit-learn's; None for one that `load` reads."""
    return _MADE[name].n_points if name in _MADE else size_of(name)


def has_features(name: str) -> bool:
    """Whether a data set is more than a graph."""
    return name not in _MADE or _MADE[name].n_features > 0


def is_noise(name: str) -> bool:
    """Whether all points of a data set are one cluster."""
    return name in _MADE and _MADE[name].n_clusters == 1


def number_of_classes(name: str) -> int:
    """The true number of clusters of a data set."""
    return _MADE[name].n_clusters if name in _MADE else describe(name).n_classes


def nested_gaussians(n_points: int, seed: int = 0) -> tuple[NDArray[np.float64], NDArray[np.int64]]:
    """Points of 25 Gaussians, five in each of five groups, and the Gaussian of each."""
    import numpy as np

    rng = np.random.default_rng(seed)
    groups = 8 * rng.normal(size=(5, 1, N_FEATURES))
    centers = (groups + 3 * rng.normal(size=(5, 5, N_FEATURES))).reshape(25, N_FEATURES)
    y = rng.integers(0, 25, n_points)
    return centers[y] + rng.normal(size=(n_points, N_FEATURES)), y
