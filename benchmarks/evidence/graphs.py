"""Peers on graphs: Leiden, Infomap, Paris and Louvain; of a table they get the graph that ours makes by default."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy.sparse import csr_matrix

import hypcse
from benchmarks.evidence.data import CHOICES, Data, Floats, Hierarchy, Labels

RESOLUTIONS = (0.125, 0.25, 0.5, 1.0, 2.0, 4.0, 8.0)


def _leiden(data: Data, seed: int, resolutions: tuple[float, ...]) -> Hierarchy:
    import igraph
    import leidenalg

    i, j, weights = data.neighbor_graph().edges()
    graph = igraph.Graph(data.y.size, np.column_stack([i, j]).tolist())
    options = {"weights": weights.tolist(), "n_iterations": -1, "seed": seed}
    kind = leidenalg.RBConfigurationVertexPartition
    parts = [leidenalg.find_partition(graph, kind, resolution_parameter=one, **options) for one in resolutions]
    return Hierarchy(tuple(np.array(part.membership, np.int64) for part in parts))


def leiden_levels(data: Data, seed: int) -> Hierarchy:
    """One partition for each resolution; they need not nest."""
    return _leiden(data, seed, RESOLUTIONS)


def leiden_labels(data: Data, seed: int) -> Labels:
    """Resolution 1 is modularity."""
    return _leiden(data, seed, (1.0,)).levels[0]


def infomap_levels(data: Data, seed: int) -> Hierarchy:
    """Modules of every depth; a vertex that lies less deep stays in its deepest."""
    import infomap

    i, j, weights = data.neighbor_graph().edges()
    work = infomap.Infomap(silent=True, seed=seed + 1, num_trials=10)
    work.add_nodes(range(data.y.size))
    work.add_links(list(zip(i.tolist(), j.tolist(), weights.tolist(), strict=True)))
    work.run()
    found = work.get_multilevel_modules()
    paths = [found[vertex] for vertex in range(data.y.size)]
    levels = [["/".join(map(str, path[: k + 1])) for path in paths] for k in range(max(map(len, paths)))]
    return Hierarchy(tuple(np.unique(level, return_inverse=True)[1] for level in levels))


def infomap_labels(data: Data, seed: int) -> Labels:
    """The modules of the top."""
    return infomap_levels(data, seed).levels[0]


def _adjacency(data: Data) -> Any:
    return csr_matrix(data.neighbor_graph().to_scipy())


def dendrogram(data: Data, _: int, *, name: str) -> Floats:
    """By a class of scikit-network; merges are put after those that they need, which it does not always do."""
    import sknetwork.hierarchy

    merges = getattr(sknetwork.hierarchy, name)().fit_predict(_adjacency(data))
    n, children = len(merges) + 1, merges[:, :2].astype(np.int64)
    height, level, before = merges[:, 2].copy(), np.zeros(n - 1), None
    while before is None or not np.array_equal(level, before):
        before = level.copy()
        below = np.where(children < n, -1, children - n)
        height = np.maximum(height, np.where(below < 0, -np.inf, height[below]).max(axis=1))
        level = 1 + np.where(below < 0, -1, level[below]).max(axis=1)
    order = np.lexsort((level, height))
    number = np.append(np.arange(n), n + np.argsort(order))
    return np.column_stack([number[children[order]], height[order], merges[order, 3]])


def paris_labels(data: Data, seed: int) -> Labels:
    """The cut of the highest modularity."""
    from sknetwork.clustering import get_modularity

    tree, adjacency = hypcse.Tree.from_linkage(dendrogram(data, seed, name="Paris")), _adjacency(data)
    cuts = (tree.cut(n_clusters=k) for k in CHOICES if k < data.y.size)
    return max(cuts, key=lambda labels: get_modularity(adjacency, labels))


def louvain(data: Data, seed: int) -> Labels:
    """By modularity."""
    from sknetwork.clustering import Louvain

    return Louvain(random_state=seed).fit_predict(_adjacency(data))
