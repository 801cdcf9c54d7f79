"""Points and graphs drawn from a case: the same seed, the same data."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from hypcse._random import generator
from hypcse.experiments.hierarchies.cases import Case
from hypcse.graph import Graph, similarity_graph

_FINEST_STEP = 1.5
_TAIL_FREEDOM = 3

Floats = NDArray[np.float64]
Labels = NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class Planted:
    """Data with a known hierarchy.

    X          : (n, d) features, or None where there is the graph alone.
    graph      : that of the block model, or the similarity graph of X with the median bandwidth.
    partitions : labels of every true level, coarse to fine, each a refinement of the one before.
    """

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
    centres = np.zeros((1, case.n_features))
    for level, n_parts in enumerate(case.branching):
        step = _FINEST_STEP * case.step_ratio ** (len(case.branching) - 1 - level)
        around = step * rng.normal(size=(len(centres), n_parts, case.n_features))
        centres = (centres[:, None] + around).reshape(-1, case.n_features)
    root = np.sqrt(case.spread_ratio)
    spreads = case.spread * rng.permutation(np.geomspace(1 / root, root, case.n_clusters))
    shape = (len(clusters), case.n_features)
    away = rng.standard_t(_TAIL_FREEDOM, size=shape) if case.heavy_tails else rng.normal(size=shape)
    noise = rng.normal(size=(len(clusters), case.n_noise))
    return np.hstack([centres[clusters] + spreads[clusters, None] * away, noise])


def _block_model(degrees: tuple[float, ...], partitions: tuple[Labels, ...], rng: np.random.Generator) -> Graph:
    """Every two vertices are joined with a chance that depends on how many levels they share."""
    n = len(partitions[0])
    i, j = np.triu_indices(n, 1)
    shared = np.sum([labels[i] == labels[j] for labels in partitions], axis=0)
    pairs = np.bincount(shared, minlength=len(degrees))
    chance = np.array(degrees[::-1]) * n / 2 / pairs
    drawn = rng.random(len(i)) < chance[shared]
    return Graph.from_edges(i[drawn], j[drawn], n=n)
