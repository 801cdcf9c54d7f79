"""How well the clusters of a level are found again: in another tree, or on part of the edges."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from hypcse._random import generator
from hypcse.graph import Graph
from hypcse.graph.convert import with_edges
from hypcse.kernels.trees.comparison import induced_forest
from hypcse.kernels.trees.sweep import subtree_minima, subtree_sums
from hypcse.search.linkage import graph_linkage
from hypcse.search.multilevel import multilevel_tree
from hypcse.tree import Tree

KEPT = 0.8
"""Share of the edges that a resample keeps."""
N_QUICK, MANY, MOST = 2, 10_000, 100_000
"""Number of resamples of the quick stability; one is enough of `MANY` points, and one linkage of it of `MOST`."""


def part_of(graph: Graph, rng: np.random.Generator) -> Graph:
    """The graph with every edge kept with probability `KEPT`."""
    i, j, weights = graph.edges()
    stays = rng.random(i.size) < KEPT
    return with_edges(graph, i[stays], j[stays], weights[stays])


def quick_trees(graph: Graph) -> list[list[Tree]]:
    """Average linkage and multilevel groups, each on the same part of the edges, `N_QUICK` times or once."""
    n_parts = 1 if graph.n_vertices >= MANY else N_QUICK
    parts = [part_of(graph, generator(0, f"quick resample {k}")) for k in range(n_parts)]
    ways = (graph_linkage,) if graph.n_vertices >= MOST else (graph_linkage, multilevel_tree)
    return [[way(part) for way in ways] for part in parts]


def quick_stability(trees: list[list[Tree]], labels: NDArray[np.int64]) -> float:
    """The `stability` of a level without a search: each cluster as in the best of the quick trees.

    trees  : as from `quick_trees`.
    labels : -1 for leaves that are in no cluster.
    """
    inside = labels >= 0
    alone = np.where(inside, labels, labels.max() + np.cumsum(~inside))
    overlaps = (np.max([best_overlaps(tree, alone) for tree in several], axis=0) for several in trees)
    return float(np.mean([mean_fit(one, np.bincount(alone), labels.size) for one in overlaps]))


def level_fit(tree: Tree, labels: NDArray[np.int64]) -> float:
    """How well a tree contains the clusters of a level, from 0 to 1; see `stability`."""
    return mean_fit(best_overlaps(tree, labels), np.bincount(labels), labels.size)


def mean_fit(overlaps: NDArray[np.float64], sizes: NDArray[np.int64], n_leaves: int) -> float:
    """Mean over clusters of their overlaps beyond what every tree reaches, weighted by size."""
    trivial = np.maximum(sizes / n_leaves, 1 / sizes)
    telling = trivial < 1
    if not telling.any():
        return 1.0
    fits = np.maximum(overlaps - trivial, 0.0)[telling] / (1 - trivial[telling])
    return float(np.average(fits, weights=sizes[telling]))


def best_overlaps(tree: Tree, labels: NDArray[np.int64]) -> NDArray[np.float64]:
    """Jaccard index of each cluster and the node of the tree that fits it best. Labels from 0, none empty.

    Only nodes where leaves of the cluster meet can fit best, and there are fewer of these than leaves: O(n log n).
    """
    n = tree.n_leaves
    order = np.lexsort((tree.first_positions[:n], labels))
    parent, origin, roots = induced_forest(order, labels, tree.lca(order[:-1], order[1:]))
    # Children before parents, and one node above all roots.
    nodes = np.concatenate([np.arange(n), n + np.argsort(origin[n:], kind="stable")])
    place = np.empty(parent.size, np.int64)
    place[nodes] = np.arange(parent.size)
    parent[roots] = 0
    above = np.append(place[parent[nodes]], -1)
    above[place[roots]] = parent.size
    held = subtree_sums(above, np.where(np.arange(above.size) < n, 1.0, 0.0))[:-1]
    cluster = subtree_minima(above, labels)[:-1]
    sizes = np.bincount(labels)
    overlap = held / (sizes[cluster] + tree.sizes[origin[nodes]] - held)
    best = np.zeros(sizes.size)
    np.maximum.at(best, cluster, overlap)
    return best
