"""Scores and levels of a tree on a graph in files."""

from __future__ import annotations

from collections.abc import Sequence

import distributed
import numpy as np
from numpy.typing import NDArray

from hypcse._choices import SelfLoops
from hypcse.dask.engine import current_client
from hypcse.dask.graph import DistributedGraph
from hypcse.dask.trees.meeting import meeting_weights, outline_graph
from hypcse.discrete import levels as levels_in_memory
from hypcse.discrete.cutting.levels import Levels
from hypcse.entropy import entropy_from_weights
from hypcse.metrics.quality import dasgupta_from_weights
from hypcse.tree import Tree


def score(
    tree: Tree, graph: DistributedGraph, self_loops: SelfLoops = "paper", client: distributed.Client | None = None
) -> dict[str, float]:
    """Structural entropy and Dasgupta's cost of a tree, by partial sums over the parts of the graph.

    Parameters
    ----------
    tree
        The tree. Its leaf k is vertex k of the graph. Every worker holds it.
    graph
        A `DistributedGraph`.
    self_loops
        As for `hypcse.structural_entropy`.
    client
        A Dask client, the current one by default.

    Returns
    -------
    dict of float
        `structural_entropy` and `dasgupta_cost`, as `hypcse.score` has them.

    Examples
    --------
    >>> import tempfile, hypcse
    >>> path = hypcse.Graph.from_edges([0, 1, 2], [1, 2, 3])
    >>> pairs = Tree.from_linkage([[0, 1, 1, 2], [2, 3, 1, 2], [4, 5, 2, 4]])
    >>> with distributed.Client(processes=False, n_workers=1, dashboard_address=":0"):
    ...     row = score(pairs, DistributedGraph.from_graph(path, tempfile.mkdtemp(), 2))
    >>> {name: round(value, 3) for name, value in row.items()}
    {'structural_entropy': 1.252, 'dasgupta_cost': 16.0}
    """
    return scores_from_weights(tree, graph, meeting_weights(tree, graph, current_client(client)), self_loops)


def scores_from_weights(
    tree: Tree, graph: DistributedGraph, weights: NDArray[np.float64], self_loops: SelfLoops = "paper"
) -> dict[str, float]:
    """The scores, where the weight that meets at each node is known."""
    return {
        # Of the graph it reads arrays over vertices alone.
        "structural_entropy": entropy_from_weights(tree, graph, weights, self_loops),  # type: ignore[arg-type]
        "dasgupta_cost": dasgupta_from_weights(tree, weights),
    }


def levels(
    tree: Tree,
    graph: DistributedGraph,
    n_levels: int | None = None,
    *,
    n_clusters: int | Sequence[int] | None = None,
    min_children: int | None = None,
    min_size: int | None = None,
    resolution: float | None = None,
    client: distributed.Client | None = None,
) -> Levels:
    """The levels of `hypcse.levels` for a graph in files: flat labels from coarse to fine.

    The weight that meets at each node is added up part by part; all else goes by arrays over nodes, in this process.

    Parameters
    ----------
    tree
        The tree. Its leaf k is vertex k of the graph. Every worker holds it.
    graph
        A `DistributedGraph`.
    n_levels
        The levels of `compress` instead, see `hypcse.levels`.
    n_clusters
        Levels of so many clusters instead, such as [5, 25, 100].
    min_children
        Every cluster is to hold at least so many of the next finer level.
    min_size
        Every cluster is to have at least so many leaves.
    resolution
        One level instead: the cut of most modularity of this resolution.
    client
        A Dask client, the current one by default.

    Returns
    -------
    Levels
        A sequence of arrays of shape (n,): the clusters of each level, numbered from 0, coarse to fine. Where
        `n_clusters` or `min_size` leave strays, these join the largest cluster beside them; in memory,
        the one that most of the weight of their edges goes to.

    Examples
    --------
    >>> import tempfile, hypcse
    >>> g = hypcse.Graph.from_edges([0, 0, 1, 2, 3, 3, 4], [1, 2, 2, 3, 4, 5, 5])
    >>> with distributed.Client(processes=False, n_workers=1, dashboard_address=":0"):
    ...     levels(hypcse.graph_linkage(g), DistributedGraph.from_graph(g, tempfile.mkdtemp(), 2))[0].tolist()
    [0, 0, 0, 1, 1, 1]
    """
    client = current_client(client)
    outline = outline_graph(tree, graph, client, graph.components(client))
    return levels_in_memory(
        tree,
        outline,
        n_levels=n_levels,
        n_clusters=n_clusters,
        min_children=min_children,
        min_size=min_size,
        resolution=resolution,
    )
