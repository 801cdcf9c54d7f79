"""Flat clusters: data with one known partition, and methods that give one, ours and those that users know."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any, Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

import hypcse
from hypcse._random import generator
from hypcse.datasets import available, describe, load
from hypcse.graph import Graph, scale_features, similarity_graph
from hypcse.partitions.nested_levels import levels_and_main

Floats = NDArray[np.float64]
Labels = NDArray[np.int64]
GROUPS = {"public": "public tables", "made": "made tables", "planted": "planted partitions", "noise": "noise"}
"""Kinds of cases, and what a report calls them."""


@dataclass(frozen=True)
class FlatCase:
    """Data whose clusters are known; with no features there is a graph and nothing else.

    group : "public" tables with classes, "made" by the seed, "planted" partitions of graphs, or "noise", one cluster.
    """

    name: str
    group: Literal["public", "made", "planted", "noise"]
    n_points: int
    n_features: int
    n_clusters: int
    make: Callable[[int], tuple[Any, Any]]

    @property
    def drawn(self) -> bool:
        return self.group != "public"


def _public(name: str) -> FlatCase:
    known = describe(name)
    return FlatCase(name, "public", known.n_points, known.n_features, known.n_classes, lambda _: load(name))


def _scikit_learns(seed: int, maker: str, **options: Any) -> tuple[Floats, Labels]:
    from sklearn import datasets

    if maker == "load_breast_cancer":
        return datasets.load_breast_cancer(return_X_y=True)
    return getattr(datasets, maker)(1000, random_state=seed, **options)


def _curves(maker: str, **options: Any) -> FlatCase:
    make = partial(_scikit_learns, maker=f"make_{maker}", noise=0.05, **options)
    return FlatCase(maker, "made", 1000, 2, 2, make)


def _blobs(name: str, side: float, spreads: list[float], shear: Any = ((1, 0), (0, 1))) -> FlatCase:
    """Gaussians at the corners of a regular polygon around the origin."""
    angles = 2 * np.pi * np.arange(len(spreads)) / len(spreads)
    radius = side / (2 * np.sin(np.pi / len(spreads)))
    centers = radius * np.column_stack([np.cos(angles), np.sin(angles)])

    def make(seed: int) -> tuple[Floats, Labels]:
        X, y = _scikit_learns(seed, "make_blobs", centers=centers, cluster_std=spreads)
        return X @ np.array(shear), y

    return FlatCase(f"blobs-{name}", "made", 1000, 2, len(spreads), make)


def _planted(n_groups: int, size: int, inside: float, between: float) -> FlatCase:
    """A random graph with more edges inside groups than between them; the order of the vertices tells nothing."""
    name = f"partition-{n_groups}x{size}-{inside:g}-{between:g}"

    def make(seed: int) -> tuple[Graph, Labels]:
        rng = generator(seed, f"flat {name}")
        y = rng.permutation(np.repeat(np.arange(n_groups), size))
        chance = np.where(y[:, None] == y, inside, between)
        i, j = np.nonzero(np.triu(rng.random(chance.shape) < chance, 1))
        return Graph.from_edges(i, j, n=y.size), y

    return FlatCase(name, "planted", n_groups * size, 0, n_groups, make)


def _noise(n_features: int) -> FlatCase:
    name = f"noise-{n_features}d"

    def make(seed: int) -> tuple[Floats, Labels]:
        return generator(seed, f"flat {name}").uniform(size=(1000, n_features)), np.zeros(1000, np.int64)

    return FlatCase(name, "noise", 1000, n_features, 1, make)


FLAT_CASES = {
    case.name: case
    for case in (
        *map(_public, available()),
        FlatCase("breast-cancer-diagnostic", "public", 569, 30, 2, partial(_scikit_learns, maker="load_breast_cancer")),
        _curves("moons"),
        _curves("circles", factor=0.5),
        _blobs("densities", 10, [0.5, 1.0, 2.5]),
        _blobs("stretched", 6, [1.0] * 3, ((0.6, -0.6), (-0.4, 0.8))),
        _blobs("apart", 12, [1.0] * 5),
        _planted(20, 50, 0.3, 0.02),
        _planted(20, 100, 0.2, 0.05),
        _planted(10, 100, 0.15, 0.03),
        *map(_noise, (2, 8, 32)),
    )
}
"""All cases by name."""


class FlatData(NamedTuple):
    """X of shape (n, d), or None where there is the graph alone; the graph; and the true cluster of each point."""

    X: Floats | None
    graph: Graph
    y: Labels


def flat_data(case: FlatCase, seed: int) -> FlatData:
    """The data of a case under a seed; the graph of a table is its similarity graph."""
    data, y = case.make(seed)
    if isinstance(data, Graph):
        return FlatData(None, data, y)
    return FlatData(data, similarity_graph(data), np.unique(y, return_inverse=True)[1])


class Partition(NamedTuple):
    """Labels of the points, -1 where a method calls a point noise; and the levels they were chosen among, if any."""

    labels: Labels
    levels: tuple[Labels, ...] = ()


def _main_level(data: FlatData, seed: int) -> Partition:
    """Of the levels of our tree that to look at first; one cluster where nothing lies beyond chance."""
    structure = hypcse.beyond_chance(data.graph if data.X is None else data.X, random_state=seed)
    X = None if data.X is None else scale_features(data.X)
    tree = hypcse.search_tree(data.graph, data.X, random_state=seed)
    levels = levels_and_main(tree, data.graph, X, structure=structure)
    return Partition(levels.flat, levels.labels)


def _cut(data: FlatData, seed: int, *, n_clusters: int) -> Partition:
    tree = hypcse.search_tree(data.graph, data.X, random_state=seed)
    return Partition(hypcse.best_cut(tree, data.graph, n_clusters=n_clusters))


def _by_features(data: FlatData, seed: int, *, name: str, **options: Any) -> Partition:
    """By an estimator of scikit-learn, on the features as the graph was made with."""
    from sklearn import cluster

    assert data.X is not None
    if name == "KMeans":
        options["random_state"] = seed
    return Partition(getattr(cluster, name)(**options).fit_predict(scale_features(data.X)))


def _louvain(data: FlatData, seed: int) -> Partition:
    import networkx as nx

    graph = nx.from_scipy_sparse_array(data.graph.without_loops().to_scipy())
    labels = np.empty(data.graph.n_vertices, np.int64)
    for number, members in enumerate(nx.community.louvain_communities(graph, seed=seed)):
        labels[list(members)] = number
    return Partition(labels)


def _leiden(data: FlatData, seed: int) -> Partition:
    """By modularity, as Louvain, until an iteration changes nothing."""
    import igraph
    import leidenalg

    i, j, weights = data.graph.edges()
    graph = igraph.Graph(data.graph.n_vertices, np.column_stack([i, j]).tolist())
    kind = leidenalg.ModularityVertexPartition
    communities = leidenalg.find_partition(graph, kind, weights=weights.tolist(), n_iterations=-1, seed=seed)
    return Partition(np.array(communities.membership, np.int64))


FLAT_METHODS: dict[str, Callable[..., Partition]] = {
    "main-level": _main_level,
    "cut": _cut,
    "k-means": partial(_by_features, name="KMeans", n_init=10),
    "ward": partial(_by_features, name="AgglomerativeClustering", linkage="ward"),
    "hdbscan": partial(_by_features, name="HDBSCAN", copy=True),
    "louvain": _louvain,
    "leiden": _leiden,
}
NEED_NUMBER = ("cut", "k-means", "ward")
"""Methods that need the number of clusters, as `n_clusters`."""


def flat_scores(y: Labels, labels: Labels) -> dict[str, float]:
    """Agreement of labels with the true clusters; noise, labeled -1, counts as one cluster, but not in `clusters`.

    >>> flat_scores(np.array([0, 0, 1, 1]), np.array([3, 3, -1, -1]))
    {'ari': 1.0, 'ami': 1.0, 'clusters': 1}
    """
    from sklearn.metrics import adjusted_mutual_info_score, adjusted_rand_score

    return {
        "ari": float(adjusted_rand_score(y, labels)),
        "ami": float(adjusted_mutual_info_score(y, labels)),
        "clusters": int(np.unique(labels[labels >= 0]).size),
    }


def best_of_levels(levels: Sequence[dict[str, float]]) -> dict[str, float]:
    """Index and number of clusters of the level that agrees best, the coarsest of several; nothing without levels."""
    best = max(levels, key=lambda scores: scores["ari"], default=None)
    return {} if best is None else {"best_level_ari": best["ari"], "best_level_clusters": best["clusters"]}
