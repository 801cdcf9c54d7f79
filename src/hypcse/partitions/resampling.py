"""How well levels are found again when part of the edges are left out."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from hypcse._checks import check_choice, check_count, check_labels
from hypcse._choices import Metric, Scale
from hypcse._random import generator
from hypcse.graph import Graph, GraphLike, as_graph, scale_features
from hypcse.graph.features import dense_features
from hypcse.partitions.overlaps import level_fit, part_of
from hypcse.search.join import join_components
from hypcse.search.linkage import graph_linkage
from hypcse.search.run import Budget, Run
from hypcse.tree import Tree

N_RESAMPLES = 5
BUDGET = Budget(n_sweeps=1, largest=2048)
"""One sweep from every start of `refine`: more sweeps change the numbers less than resampling does."""
MAX_POINTS, MAX_EDGES = 20_000, 500_000
"""The command and the page measure stability by default up to this many points and edges."""


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
    X
        As in `join_components`, of use where the graph is not connected.
    distances
        As in `join_components`, of use where the graph is not connected.
    scale
        As in `join_components`, of use where the graph is not connected.
    metric
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
    graph = as_graph(graph)
    check_choice("metric", metric, Metric)
    partitions = [check_labels(labels, graph.n_vertices) for labels in levels]
    points = None if X is None or metric == "precomputed" else scale_features(dense_features(X), scale, metric)
    known = {"X": points, "distances": X if metric == "precomputed" and distances is None else distances}
    found = np.empty((n_resamples, len(partitions)))
    for k in range(n_resamples):
        tree = _searched_again(graph, known, metric, generator(random_state, f"resample {k}"))
        found[k] = [level_fit(tree, labels) for labels in partitions]
    return found.mean(axis=0).tolist()


def is_quick(graph: Graph) -> bool:
    """Whether the stability of levels on a graph takes only seconds."""
    return graph.n_vertices <= MAX_POINTS and graph.n_edges <= MAX_EDGES


def _searched_again(graph: Graph, known: dict[str, Any], metric: Metric, rng: np.random.Generator) -> Tree:
    """A tree found on part of the edges."""
    part = part_of(graph, rng)
    run = Run(graph_linkage(part), part, "entropy", None, None)
    if part.n_edges > 0:
        run.search([], BUDGET, 0)
    if all(value is None for value in known.values()):
        return run.best
    return join_components(run.best, part, **known, scale="none", metric=metric, bridges=True)
