"""Made data with a known hierarchy, one more line of `CASES` each, and how far a tree finds it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import prod
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from hypcse._random import generator
from hypcse.graph import Graph, similarity_graph

if TYPE_CHECKING:
    from hypcse.tree import Tree

Floats = NDArray[np.float64]
Labels = NDArray[np.int64]
HIT = 0.9
"""The adjusted Rand index from which a level counts as a planted partition."""
MAX_DEPTH = 4
"""Planted levels of the deepest case."""
PREFIX = "nested-gaussians-"
"""Before the number of points, the name of nested Gaussians."""
_FINEST_STEP = 1.5
_TAIL_FREEDOM = 3


@dataclass(frozen=True)
class Case:
    """A hierarchy to draw points from: nested Gaussians, or a block model where there are `degrees`.

    branching    : parts of each part, level by level from the top; (3, 3, 3) are 27 Gaussians in nine groups of three.
    n_features   : columns that tell clusters apart; with 0 there is a graph and nothing else.
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
    n_features: int
    spread: float
    n_points: int = 1000
    step_ratio: float = 2.0
    size_ratio: float = 1.0
    spread_ratio: float = 1.0
    n_noise: int = 0
    heavy_tails: bool = False
    degrees: tuple[float, ...] = ()
    drawn = True

    @property
    def n_clusters(self) -> int:
        """Clusters of the finest level."""
        return prod(self.branching)


_BRANCHING = {2: (5, 5), 3: (3, 3, 3), 4: (2, 3, 2, 2)}
_DEGREES = (10.0, 4.0, 2.0)


def _gaussians(n_levels: int, n_features: int, spread: float, what: str = "gaussians", **more: Any) -> Case:
    return Case(f"{what}-{n_levels}x{n_features}-{spread:g}", _BRANCHING[n_levels], n_features, spread, **more)


CASES = {
    case.name: case
    for case in (
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
        Case("blocks-4x4", (4, 4), 8, 2.0, degrees=_DEGREES),
        Case("blocks-4x4-graph", (4, 4), 0, 0.0, degrees=_DEGREES),
    )
}
"""All cases by name."""


class Planted(NamedTuple):
    """Features (n, d), or None; the graph; and the labels of every true level, coarse to fine."""

    X: Floats | None
    graph: Graph
    partitions: tuple[Labels, ...]


def make(case: Case, seed: int) -> Planted:
    """The data of a case under a seed; the order of the rows tells nothing."""
    rng = generator(seed, f"hierarchy {case.name}")
    clusters = rng.permutation(np.repeat(np.arange(case.n_clusters), _sizes(case, rng)))
    X = _points(case, clusters, rng) if case.n_features else None
    # Clusters are numbered depth first, so that what lies above one is its number divided.
    partitions = tuple(clusters // int(np.prod(case.branching[k:])) for k in range(1, len(case.branching) + 1))
    if case.degrees:
        return Planted(X, _block_model(case.degrees, partitions, rng), partitions)
    return Planted(X, similarity_graph(X, bandwidth="median"), partitions)


def _sizes(case: Case, rng: np.random.Generator) -> Labels:
    """Points of each cluster, in geometric progression from the smallest to the largest, which is any of them."""
    shares = rng.permutation(np.geomspace(1, case.size_ratio, case.n_clusters))
    ends = np.rint(case.n_points * np.cumsum(shares) / shares.sum()).astype(np.int64)
    return np.diff(ends, prepend=0)


def _points(case: Case, clusters: Labels, rng: np.random.Generator) -> Floats:
    centers = np.zeros((1, case.n_features))
    for level, n_parts in enumerate(case.branching):
        step = _FINEST_STEP * case.step_ratio ** (len(case.branching) - 1 - level)
        around = step * rng.normal(size=(len(centers), n_parts, case.n_features))
        centers = (centers[:, None] + around).reshape(-1, case.n_features)
    root = np.sqrt(case.spread_ratio)
    spreads = case.spread * rng.permutation(np.geomspace(1 / root, root, case.n_clusters))
    shape = (len(clusters), case.n_features)
    away = rng.standard_t(_TAIL_FREEDOM, size=shape) if case.heavy_tails else rng.normal(size=shape)
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


def size_of(name: str) -> int | None:
    """Number of points of the nested Gaussians of a name, at least 2; None for any other name."""
    size = name.removeprefix(PREFIX)
    return int(size) if size != name and size.isdecimal() and int(size) > 1 else None


def nested_gaussians(n_points: int, seed: int = 0) -> tuple[Floats, Labels]:
    """Points of 25 Gaussians in 16 columns, five in each of five groups, and the Gaussian of each."""
    rng = np.random.default_rng(seed)
    groups = 8 * rng.normal(size=(5, 1, 16))
    centers = (groups + 3 * rng.normal(size=(5, 5, 16))).reshape(25, 16)
    y = rng.integers(0, 25, n_points)
    return centers[y] + rng.normal(size=(n_points, 16)), y


def level_score(name: str, level: int) -> str:
    """The name of a score at one planted level, 1 being the coarsest."""
    return f"{name}_{level}"


def planted_scores(tree: Tree, graph: Graph, partitions: Sequence[Any]) -> dict[str, float]:
    """Scores of a tree beside planted partitions, coarse to fine: those of each, and their means.

    The main level can be one partition alone, so `main_ari` is the best. A partition is hit from an index of `HIT`.
    """
    from sklearn.metrics import adjusted_rand_score

    import hypcse

    levels, main = hypcse.levels(tree, graph), hypcse.main_level(tree, graph)
    agreement = np.array([[adjusted_rand_score(labels, level) for level in levels] for labels in partitions])
    by_level = {
        "purity": [hypcse.dendrogram_purity(tree, labels) for labels in partitions],
        "best_ari": agreement.max(axis=1).tolist(),
        "main_ari": agreement[:, main].tolist(),
    }
    return {
        "mean_purity": float(np.mean(by_level["purity"])),
        "partitions_hit": float(np.mean(agreement.max(axis=1) >= HIT)),
        "best_ari": float(np.mean(by_level["best_ari"])),
        "main_ari": max(by_level["main_ari"]),
        "structural_entropy": float(hypcse.structural_entropy(tree, graph)),
        **{level_score(name, k): value for name, values in by_level.items() for k, value in enumerate(values, 1)},
    }
