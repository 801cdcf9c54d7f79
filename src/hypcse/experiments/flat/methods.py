"""Methods that give one partition, by name: ours, and those that users know."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from hypcse.experiments.flat.data import FlatData

if TYPE_CHECKING:
    from hypcse.tree import Tree

Labels = NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class Partition:
    """Labels of the points, -1 where a method calls a point noise; and the levels they were chosen among, if any."""

    labels: Labels
    levels: tuple[Labels, ...] = ()


def partition(method: str, data: FlatData, seed: int, **options: Any) -> Partition:
    """The partition by a method of `FLAT_METHODS`.

    Ours and Louvain's and Leiden's see the graph, the others the features on the scale that the graph was made with.
    """
    if method not in FLAT_METHODS:
        raise ValueError(f"{method!r} is not known. Choose one of {', '.join(FLAT_METHODS)}.")
    return FLAT_METHODS[method](data, seed, **options)


def _main_level(data: FlatData, seed: int) -> Partition:
    """Of the levels of the tree that to look at first; one cluster where nothing lies beyond chance."""
    import hypcse
    from hypcse.discrete.cutting.levels import levels_and_main

    structure = hypcse.beyond_chance(data.graph if data.X is None else data.X, random_state=seed)
    X = None if data.X is None else _features(data)
    found = levels_and_main(_tree(data, seed), data.graph, X, structured=structure.found)
    return Partition(found.flat, tuple(found.labels))


def _cut(data: FlatData, seed: int, *, n_clusters: int) -> Partition:
    import hypcse

    return Partition(hypcse.best_cut(_tree(data, seed), data.graph, n_clusters=n_clusters))


def _tree(data: FlatData, seed: int) -> Tree:
    """Our tree without training."""
    import hypcse

    tree = hypcse.refine(hypcse.graph_linkage(data.graph), data.graph, random_state=seed)
    return tree if data.X is None else hypcse.join_components(tree, data.graph, data.X, bridges=True)


def _kmeans(data: FlatData, seed: int, *, n_clusters: int) -> Partition:
    from sklearn.cluster import KMeans

    return Partition(KMeans(n_clusters, n_init=10, random_state=seed).fit_predict(_features(data)))


def _ward(data: FlatData, seed: int, *, n_clusters: int) -> Partition:
    from sklearn.cluster import AgglomerativeClustering

    return Partition(AgglomerativeClustering(n_clusters, linkage="ward").fit_predict(_features(data)))


def _hdbscan(data: FlatData, seed: int) -> Partition:
    from sklearn.cluster import HDBSCAN

    return Partition(HDBSCAN(copy=True).fit_predict(_features(data)))


def _features(data: FlatData) -> NDArray[np.float32]:
    from hypcse.graph import scale_features

    if data.X is None:
        raise ValueError("the method needs features, but there is only a graph. Choose a method for graphs.")
    return scale_features(data.X)


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
    found = leidenalg.find_partition(graph, kind, weights=weights.tolist(), n_iterations=-1, seed=seed)
    return Partition(np.array(found.membership, np.int64))


FLAT_METHODS: dict[str, Callable[..., Partition]] = {
    "main-level": _main_level,
    "cut": _cut,
    "k-means": _kmeans,
    "ward": _ward,
    "hdbscan": _hdbscan,
    "louvain": _louvain,
    "leiden": _leiden,
}
TOLD = ("cut", "k-means", "ward")
"""Methods that are told the number of clusters, as `n_clusters`."""
