"""Scores and levels of a tree on a graph in files."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

import numpy as np
from distributed import Client

from hypcse._arrays import freeze
from hypcse._choices import SelfLoops
from hypcse._threads import worker_threads
from hypcse.dask.client import current_client, run_tasks, scratch_folder, work_folder
from hypcse.dask.distributed_graph import DistributedGraph
from hypcse.dask.edge_files import Edges, save_arrays
from hypcse.entropy import entropy_from_weights, lca_weights
from hypcse.entropy.volumes import check_leaves
from hypcse.graph import Graph
from hypcse.kernels.arrays import Ids, Reals
from hypcse.kernels.trees.sweep import subtree_minima
from hypcse.metrics.scores import dasgupta_from_weights
from hypcse.partitions.nested_levels import Levels
from hypcse.partitions.nested_levels import levels as levels_in_memory
from hypcse.search.binary import binary_form
from hypcse.tree import Tree


def score(
    tree: Tree, graph: DistributedGraph, self_loops: SelfLoops = "paper", client: Client | None = None
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
    >>> with Client(processes=False, n_workers=1, dashboard_address=":0"):
    ...     row = score(pairs, DistributedGraph.from_graph(path, tempfile.mkdtemp(), 2))
    >>> {name: round(value, 3) for name, value in row.items()}
    {'structural_entropy': 1.252, 'dasgupta_cost': 16.0}
    """
    return scores_from_weights(tree, graph, meeting_weights(tree, graph, current_client(client)), self_loops)


def scores_from_weights(
    tree: Tree, graph: DistributedGraph, weights: Reals, self_loops: SelfLoops = "paper"
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
    client: Client | None = None,
) -> Levels:
    """The levels of `hypcse.levels` for a graph in files: flat labels from coarse to fine.

    The weight that meets at each node is added up part by part; all else goes by arrays over nodes, in this process. So
    the stability that the main level weighs is that of a graph with fewer edges, and another level may be the main one
    than in memory.

    Parameters
    ----------
    tree
        The tree. Its leaf k is vertex k of the graph. Every worker holds it.
    graph
        A `DistributedGraph`.
    n_levels, n_clusters, min_children, min_size, resolution
        As for `hypcse.levels`.
    client
        A Dask client, the current one by default.

    Returns
    -------
    Levels
        A sequence of arrays of shape (n,): the clusters of each level, numbered from 0, coarse to fine. Strays that
        `n_clusters` or `min_size` leave join the largest cluster beside them; in memory, the one that they are linked
        to most.

    Examples
    --------
    >>> import tempfile, hypcse
    >>> g = hypcse.Graph.from_edges([0, 0, 1, 2, 3, 3, 4], [1, 2, 2, 3, 4, 5, 5])
    >>> with Client(processes=False, n_workers=1, dashboard_address=":0"):
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


def meeting_weights(tree: Tree, graph: DistributedGraph, client: Client) -> Reals:
    """`lca_weights`, (n_nodes,), by partial sums over the parts: each worker holds the tree and one part."""
    check_leaves(tree, graph.n_vertices)
    total = np.zeros(tree.n_nodes)
    # The tree goes through a file, which outlives the workers; data that are scattered over them do not.
    beside = graph.folder if os.access(graph.folder, os.W_OK) else None
    with work_folder(beside, client) as folder, scratch_folder(folder, ".tree") as place:
        save_arrays(place, parent=tree.parent, height=tree.height)
        for nodes, weights in run_tasks(client, meeting_in_part, graph.part_paths, place=place):
            total[nodes] += weights
        # Workers free the memory of the tree.
        client.run(read_tree.cache_clear, on_error="ignore")
    return total


@lru_cache(maxsize=1)
def read_tree(place: Path) -> Tree:
    """The tree in a folder; a worker holds it, with its index of ancestors, from part to part."""
    return Tree(*(np.load(place / f"{name}.npy") for name in ("parent", "height")))


def meeting_in_part(path: Path, place: Path) -> tuple[Ids, Reals]:
    """The nodes at which edges of a part meet, each edge once, and the weight that meets there."""
    tree, edges = read_tree(place), Edges.read(path).upper()
    n = tree.n_leaves
    indptr = np.searchsorted(edges.source, np.arange(n + 1)).astype(np.int64)
    target, weight = freeze(edges.target.astype(np.int32)), freeze(np.array(edges.weight))
    with worker_threads(1, n):
        weights = lca_weights(tree, Graph(freeze(indptr), target, weight, freeze(np.zeros(n))))
    nodes = np.flatnonzero(weights)
    return nodes, weights[nodes]


@dataclass(frozen=True, eq=False, repr=False)
class Outline(Graph):
    """A graph in which one edge stands for all edges of a large graph that meet at a node of a binary tree.

    Degrees, components, and `lca_weights` of this tree, also with nodes contracted, are those of the large graph.
    """

    is_outline = True
    known_degrees: Reals
    known_components: Ids

    @property
    def edge_degrees(self) -> Reals:
        return self.known_degrees

    @property
    def _components(self) -> Ids:
        return self.known_components

    def scaled(self, factor: float) -> Outline:
        """The same with every weight multiplied by a positive number."""
        scaled, degrees = super().scaled(factor), freeze(self.known_degrees * factor)
        arrays = (scaled.indptr, scaled.indices, scaled.weights, scaled.self_weights)
        return Outline(*arrays, degrees, self.known_components)


def outline_graph(tree: Tree, graph: DistributedGraph, client: Client, components: Ids) -> Outline:
    """The outline of a graph on a tree, whose multiway nodes are split as by `to_linkage`."""
    check_leaves(tree, graph.n_vertices)
    binary, n = binary_form(tree), tree.n_leaves
    meeting = meeting_weights(binary, graph, client)
    # For each internal node, a leaf under either child.
    first = subtree_minima(binary.parent, np.arange(n))
    second, other = np.zeros_like(first), np.flatnonzero(first[:-1] != first[binary.parent[:-1]])
    second[binary.parent[other]] = first[other]
    met = n + np.flatnonzero(meeting[n:])
    small = Graph.from_edges(first[met], second[met], meeting[met], n)
    return Outline(small.indptr, small.indices, small.weights, graph.self_weights, graph.edge_degrees, components)
