"""Hierarchies to be found again: nested Gaussians, and nested groups of vertices."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import partial
from math import prod
from typing import Any

import numpy as np

from benchmarks.evidence.data import Case, Data, Floats, Labels
from hypcse import Graph
from hypcse._random import generator

N_POINTS = 1000
FINEST_STEP = 1.5
TAIL_FREEDOM = 3
COUNTS, SCALES = (5, 25, 100), (6.0, 3.0, 1.5)
"""Centers of each level of `nested`, and how far they lie from those above."""


@dataclass(frozen=True)
class Nested:
    """A hierarchy to draw points from: nested Gaussians, or a block model where there are `degrees`.

    branching    : parts of each part, level by level from the top; (3, 3, 3) are 27 Gaussians in nine groups of three.
    spread       : standard deviation of the points of a cluster. That of the centers of the finest level around their
                   parent's is 1.5 in every column, and that of each level above `step_ratio` times as much.
    size_ratio   : points of the largest cluster over those of the smallest.
    spread_ratio : spread of the widest cluster over that of the narrowest.
    n_noise      : columns that tell nothing, each one normal distribution.
    heavy_tails  : whether points are spread by Student's t of 3 degrees of freedom instead of a normal distribution.
    degrees      : expected edges of a vertex inside its block, to the other blocks of its group, and so on outwards.
    """

    name: str
    branching: tuple[int, ...]
    n_features: int = 0
    spread: float = 0.0
    step_ratio: float = 2.0
    size_ratio: float = 1.0
    spread_ratio: float = 1.0
    n_noise: int = 0
    heavy_tails: bool = False
    degrees: tuple[float, ...] = ()


_BRANCHING = {2: (5, 5), 3: (3, 3, 3), 4: (2, 3, 2, 2)}
_CLEAR, _WEAK = (10.0, 4.0, 2.0, 1.0, 0.5), (8.0, 4.0, 3.0, 2.0, 1.0)


def _gaussians(n_levels: int, n_features: int, spread: float, what: str = "gaussians", **more: Any) -> Nested:
    return Nested(f"{what}-{n_levels}x{n_features}-{spread:g}", _BRANCHING[n_levels], n_features, spread, **more)


def _graphs(n_levels: int) -> list[Nested]:
    """Groups that are clear, of unequal sizes, and hardly denser than what is around them."""
    kinds: dict[str, Any] = {"clear": {"degrees": _CLEAR}, "sizes": {"degrees": _CLEAR, "size_ratio": 8.0}}
    kinds["weak"] = {"degrees": _WEAK}
    name, branching = f"graph-{n_levels}-", {**_BRANCHING, 2: (4, 4)}[n_levels]
    return [
        Nested(name + kind, branching, **{**more, "degrees": more["degrees"][: n_levels + 1]})
        for kind, more in kinds.items()
    ]


TABLES = (
    # In the plane centers come close by chance, so that groups would overlap.
    _gaussians(2, 2, 0.25, step_ratio=4.0),
    _gaussians(3, 2, 0.25, step_ratio=4.0),
    _gaussians(2, 8, 0.65),
    _gaussians(2, 64, 2.5),
    _gaussians(3, 8, 0.25),
    _gaussians(3, 8, 0.65),
    _gaussians(3, 8, 1.0),
    _gaussians(3, 64, 1.25),
    _gaussians(4, 4, 0.5),
    _gaussians(4, 16, 1.0),
    _gaussians(3, 8, 0.65, "sizes", size_ratio=10.0),
    _gaussians(3, 8, 0.65, "densities", spread_ratio=4.0),
    _gaussians(3, 8, 0.65, "noise", n_noise=4),
    _gaussians(3, 8, 0.5, "tails", heavy_tails=True),
)
GRAPHS = tuple(case for n_levels in (2, 3, 4) for case in _graphs(n_levels))


def cases() -> Iterator[Case]:
    """Nested tables and nested graphs."""
    for kind, several in (("table", TABLES), ("graph", GRAPHS)):
        for case in several:
            yield Case(case.name, f"{kind}s, {len(case.branching)} levels", partial(draw, case), kind=kind)


def draw(case: Nested, seed: int) -> Data:
    """The data of a case under a seed; the order of the rows tells nothing."""
    rng = generator(seed, f"hierarchy {case.name}")
    n_clusters = prod(case.branching)
    clusters = rng.permutation(np.repeat(np.arange(n_clusters), _sizes(case, n_clusters, rng)))
    X = _points(case, clusters, n_clusters, rng) if case.n_features else None
    # Clusters are numbered depth first, so that what lies above one is its number divided.
    partitions = tuple(clusters // prod(case.branching[k:]) for k in range(1, len(case.branching) + 1))
    return Data(partitions, X, _block_model(case.degrees, partitions, rng) if case.degrees else None)


def _sizes(case: Nested, n_clusters: int, rng: np.random.Generator) -> Labels:
    """Points of each cluster, in geometric progression from the smallest to the largest, which is any of them."""
    shares = rng.permutation(np.geomspace(1, case.size_ratio, n_clusters))
    ends = np.rint(N_POINTS * np.cumsum(shares) / shares.sum()).astype(np.int64)
    return np.diff(ends, prepend=0)


def _points(case: Nested, clusters: Labels, n_clusters: int, rng: np.random.Generator) -> Floats:
    centers = np.zeros((1, case.n_features))
    for level, n_parts in enumerate(case.branching):
        step = FINEST_STEP * case.step_ratio ** (len(case.branching) - 1 - level)
        around = step * rng.normal(size=(len(centers), n_parts, case.n_features))
        centers = (centers[:, None] + around).reshape(-1, case.n_features)
    root = np.sqrt(case.spread_ratio)
    spreads = case.spread * rng.permutation(np.geomspace(1 / root, root, n_clusters))
    shape = (len(clusters), case.n_features)
    away = rng.standard_t(TAIL_FREEDOM, size=shape) if case.heavy_tails else rng.normal(size=shape)
    noise = rng.normal(size=(len(clusters), case.n_noise))
    return np.hstack([centers[clusters] + spreads[clusters, None] * away, noise])


def _block_model(degrees: tuple[float, ...], partitions: tuple[Labels, ...], rng: np.random.Generator) -> Graph:
    """Every two vertices are joined with a chance that depends on how many levels they share."""
    n = len(partitions[0])
    i, j = np.triu_indices(n, 1)
    shared = np.sum([labels[i] == labels[j] for labels in partitions], axis=0)
    pairs = np.bincount(shared, minlength=len(degrees))
    chance = np.array(degrees[::-1]) * n / 2 / pairs
    drawn = rng.random(len(i)) < chance[shared]
    return Graph.from_edges(i[drawn], j[drawn], n=n)


def nested(n_points: int, d: int, spread: float, seed: int) -> tuple[Floats, list[Labels]]:
    """Points of Gaussians around centers around centers of random sizes, and their labels from fine to coarse."""
    rng = np.random.default_rng(seed)
    centers, owners = rng.normal(size=(COUNTS[0], d)) * SCALES[0], []
    for count, scale in zip(COUNTS[1:], SCALES[1:], strict=True):
        owners.append(rng.integers(len(centers), size=count))
        centers = centers[owners[-1]] + rng.normal(size=(count, d)) * scale
    labels = [rng.integers(COUNTS[-1], size=n_points)]
    X = centers[labels[0]] + rng.normal(size=(n_points, d)) * spread
    for owner in reversed(owners):
        labels.append(owner[labels[-1]])
    return X, labels
