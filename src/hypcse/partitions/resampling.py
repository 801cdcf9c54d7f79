"""How well clusters are found again when part of the edges are left out."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from hypcse._checks import check_choice, check_count, check_labels
from hypcse._choices import Metric, Scale
from hypcse._random import generator
from hypcse.graph import Graph, GraphLike, as_graph, scale_features
from hypcse.graph.convert import in_range, some_edges
from hypcse.kernels.arrays import Ids, Reals
from hypcse.kernels.trees.classes import induced_forest
from hypcse.kernels.trees.sweep import subtree_minima, subtree_sums
from hypcse.search.join import join_components
from hypcse.search.linkage import graph_linkage
from hypcse.search.multilevel import multilevel_tree
from hypcse.search.run import Budget, Run
from hypcse.tree import Tree
from hypcse.tree.nodes import leaves_by_label

KEPT = 0.8
"""Share of the edges that a resample keeps."""
N_RESAMPLES = 5
BUDGET = Budget(n_sweeps=1, largest=2048)
"""One sweep from every start of `refine`: more sweeps change the numbers less than resampling does."""
MAX_POINTS, MAX_EDGES = 20_000, 500_000
"""The command and the page measure stability by default up to this many points and edges."""
N_QUICK, MANY, MOST = 2, 10_000, 100_000
"""Number of resamples of the quick stability; one is enough of `MANY` points, and one linkage of it of `MOST`."""


def stability(
    levels: Sequence[ArrayLike],
    graph: GraphLike,
    X: ArrayLike | None = None,
    distances: Any = None,
    *,
    scale: Scale = "minmax",
    metric: Metric = "euclidean",
    n_resamples: int = N_RESAMPLES,
    random_state: int = 0,
) -> list[float]:
    """How well each level is found again when a fifth of the edges are left out: from 0 to 1.

    Edges are resampled, not points: every edge is kept with probability 0.8. A new tree is found on the remaining
    edges, and each cluster is compared with the node that fits it best, by the Jaccard index (size of the intersection
    over size of the union). Every tree has a node of all points and one per point; what these would reach counts as 0,
    an exact fit as 1. A level's value is the mean over its clusters, weighted by size, and over the resamples. Clusters
    of all points, or of one, are left out; a level with only such clusters has 1.

    Clear clusters are above 0.9. Clusters of noise are below 0.3 in many dimensions, and up to 0.8 in two, where nearby
    points stay together in any tree. Use `beyond_chance` to test for structure, and this to choose a level.

    Parameters
    ----------
    levels
        Flat clusters, one array per level, as from `hypcse.levels`.
    graph
        A `Graph`, a networkx graph or a symmetric matrix.
    X, distances, scale, metric
        As in `join_components`, of use where the graph is not connected.
    n_resamples
        Number of resamples.
    random_state
        Seed of the draws.

    Returns
    -------
    list of float
        One number per level.

    Notes
    -----
    O(n_resamples) searches of one sweep each: a second or two each at 20,000 points.

    Examples
    --------
    >>> import numpy as np
    >>> from hypcse import similarity_graph
    >>> line = np.arange(20.0)
    >>> X = np.concatenate([line, line + 100])[:, None]
    >>> stability([np.repeat([0, 1], 20)], similarity_graph(X))
    [1.0]
    """
    check_count("n_resamples", n_resamples, 1)
    check_choice("metric", metric, Metric)
    graph = as_graph(graph)
    partitions = [check_labels(labels, graph.n_vertices) for labels in levels]
    points = X if X is None or metric == "precomputed" else scale_features(X, scale, metric)
    fits = np.empty((n_resamples, len(partitions)))
    for k in range(n_resamples):
        part = part_of(graph, generator(random_state, f"resample {k}"))
        run = Run(graph_linkage(part), part, "entropy", None, None)
        if part.n_edges > 0:
            run.search([], BUDGET, 0)
        tree = run.best
        if X is not None or distances is not None:
            tree = join_components(tree, part, points, distances, scale="none", metric=metric, bridges=True)
        fits[k] = [level_fit(tree, labels) for labels in partitions]
    return fits.mean(axis=0).tolist()


def is_quick(graph: Graph) -> bool:
    """Whether the stability of levels on a graph takes only seconds."""
    return graph.n_vertices <= MAX_POINTS and graph.n_edges <= MAX_EDGES


def part_of(graph: Graph, rng: np.random.Generator) -> Graph:
    """The graph with every edge kept with probability `KEPT`."""
    return some_edges(graph, rng.random(graph.n_edges) < KEPT)


def quick_trees(graph: Graph) -> list[list[Tree]]:
    """Average linkage and multilevel groups, each on the same part of the edges, `N_QUICK` times or once."""
    n_parts = 1 if graph.n_vertices >= MANY else N_QUICK
    # In the range that linkages work in, so that they need no copy.
    parts = [in_range(part_of(graph, generator(0, f"quick resample {k}"))) for k in range(n_parts)]
    ways = (graph_linkage,) if graph.n_vertices >= MOST else (graph_linkage, multilevel_tree)
    return [[way(part) for way in ways] for part in parts]


def quick_stability(trees: list[list[Tree]], labels: Ids) -> float:
    """The `stability` of a level by `quick_trees`: each cluster as in the best of them; -1 for leaves in no cluster."""
    inside = labels >= 0
    alone = np.where(inside, labels, labels.max() + np.cumsum(~inside))
    fits = [mean_fit(one, np.bincount(alone), labels.size) for one in quick_overlaps(trees, alone)]
    return float(np.mean(fits))


def quick_overlaps(trees: list[list[Tree]], labels: Ids) -> list[Reals]:
    """The `best_overlaps` of clusters, each as in the best of the quick trees of one part of the edges."""
    return [np.max([best_overlaps(tree, labels) for tree in several], axis=0) for several in trees]


def level_fit(tree: Tree, labels: Ids) -> float:
    """How well a tree contains the clusters of a level, from 0 to 1; see `stability`."""
    return mean_fit(best_overlaps(tree, labels), np.bincount(labels), labels.size)


def mean_fit(overlaps: Reals, sizes: Ids, n_leaves: int) -> float:
    """Mean over clusters of their overlaps beyond what every tree reaches, weighted by size."""
    trivial = np.maximum(sizes / n_leaves, 1 / sizes)
    telling = trivial < 1
    if not telling.any():
        return 1.0
    fits = np.maximum(overlaps - trivial, 0.0)[telling] / (1 - trivial[telling])
    return float(np.average(fits, weights=sizes[telling]))


def best_overlaps(tree: Tree, labels: Ids) -> Reals:
    """Jaccard index of each cluster (from 0, none empty) and the node of the tree that fits it best. O(n log n)."""
    n = tree.n_leaves
    order = leaves_by_label(tree, labels)
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
