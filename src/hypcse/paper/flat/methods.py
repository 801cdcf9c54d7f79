"""Methods that give one partition, ours and those that users know, and how far it agrees with the true one."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

import hypcse
from hypcse.graph import scale_features
from hypcse.paper.flat.cases import FlatData
from hypcse.partitions.nested_levels import levels_and_main

Labels = NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class Partition:
    """Labels of the points, -1 where a method calls a point noise; and the levels they were chosen among, if any."""

    labels: Labels
    levels: tuple[Labels, ...] = ()


def _main_level(data: FlatData, seed: int) -> Partition:
    """Of the levels of the tree that to look at first; one cluster where nothing lies beyond chance."""
    structure = hypcse.beyond_chance(data.graph if data.X is None else data.X, random_state=seed)
    X = None if data.X is None else scale_features(data.X)
    levels = levels_and_main(_tree(data, seed), data.graph, X, structure=structure)
    return Partition(levels.flat, levels.labels)


def _cut(data: FlatData, seed: int, *, n_clusters: int) -> Partition:
    return Partition(hypcse.best_cut(_tree(data, seed), data.graph, n_clusters=n_clusters))


def _tree(data: FlatData, seed: int) -> hypcse.Tree:
    """Our tree without training."""
    return hypcse.search_tree(data.graph, data.X, random_state=seed)


def _by_features(data: FlatData, seed: int, *, name: str, seeded: bool = False, **options: Any) -> Partition:
    """By an estimator of scikit-learn, on the features as the graph was made with."""
    from sklearn import cluster

    assert data.X is not None
    more = {"random_state": seed} if seeded else {}
    return Partition(getattr(cluster, name)(**options, **more).fit_predict(scale_features(data.X)))


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
    "k-means": partial(_by_features, name="KMeans", n_init=10, seeded=True),
    "ward": partial(_by_features, name="AgglomerativeClustering", linkage="ward"),
    "hdbscan": partial(_by_features, name="HDBSCAN", copy=True),
    "louvain": _louvain,
    "leiden": _leiden,
}
TOLD = ("cut", "k-means", "ward")
"""Methods that are told the number of clusters, as `n_clusters`."""


def flat_scores(y: Labels, labels: Labels) -> dict[str, float]:
    """Agreement of labels with the true clusters.

    ari, ami : adjusted Rand index and adjusted mutual information; points labelled -1, noise, count as one cluster.
    clusters : number of clusters, noise not among them.

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
    if not levels:
        return {}
    best = max(levels, key=lambda scores: scores["ari"])
    return {"best_level_ari": best["ari"], "best_level_clusters": best["clusters"]}
