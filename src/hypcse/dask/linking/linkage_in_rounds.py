"""Agglomerative linkage of graphs whose edges no machine holds."""

from __future__ import annotations

from pathlib import Path

import numpy as np
from distributed import Client

from hypcse._checks import check_choice, check_count
from hypcse._choices import ClusterLinkage
from hypcse._progress import Callback, Reporter, Stopped
from hypcse.dask.client import current_client, run_tasks, scratch_folder, work_folder
from hypcse.dask.distributed_graph import DistributedGraph
from hypcse.dask.edge_files import Edges
from hypcse.dask.linking.average_rounds import AverageRounds
from hypcse.dask.linking.checkpoints import Checkpoint
from hypcse.graph import GraphLike, as_graph
from hypcse.graph.convert import node_names
from hypcse.kernels.linkage.merges import Merges
from hypcse.kernels.linkage.single import heaviest_forest
from hypcse.search.linkage import graph_linkage as linkage_in_memory
from hypcse.search.linkage import tree_of_merges
from hypcse.storage.files import hold_folder
from hypcse.tree import Tree

MEMORY_LIMIT = 50_000_000
"""Edges that a worker may hold, by default: about 8 GB."""


def graph_linkage(
    graph: GraphLike | DistributedGraph,
    method: ClusterLinkage = "average",
    *,
    memory_limit: int = MEMORY_LIMIT,
    n_parts: int | None = None,
    checkpoint_dir: str | Path | None = None,
    client: Client | None = None,
    callback: Callback | None = None,
) -> Tree:
    """The tree of `hypcse.graph_linkage`, for graphs whose edges no machine holds.

    In every round, workers merge clusters of which each is the nearest of the other, while the neighbors that they do
    not hold are frozen. Then the graph is contracted. Once it has at most `memory_limit` edges, this process links it.
    The tree is that of `hypcse.graph_linkage`, whatever the number of parts and workers.

    Parameters
    ----------
    graph
        A `DistributedGraph`, or whatever `hypcse.graph_linkage` takes.
    method
        "average", "paris" or "single".
    memory_limit
        How many edges a worker, and this process in the end, may hold. An edge takes about 160 bytes on the way.
    n_parts
        Number of parts that a graph in memory is written to, by default one per 2 million entries.
    checkpoint_dir
        A folder for the last round and the merges of all, visible to all workers under the same name. A call that was
        stopped goes on there; "single", one pass over the parts, starts again. By default a temporary folder.
    client
        A Dask client, the current one by default. A graph within the limit needs none.
    callback
        Called with a `Progress` in merges after every round. Return True to stop, which raises `Stopped`.

    Returns
    -------
    Tree
        A binary tree over the vertices, as `hypcse.graph_linkage` returns it.

    Notes
    -----
    The trees are equal while all weights, and their sums between two clusters, are within a factor of 2^29 (5e8).
    Beyond it "average" and "paris" round sums, and clusters that are almost equally close may be joined otherwise.

    A cluster and its nearest are merged with all their neighbors at hand: if a vertex has more than `memory_limit`
    edges, one worker holds them, and the limit is exceeded there.

    Examples
    --------
    >>> from hypcse import Graph
    >>> path = Graph.from_edges([0, 1, 2], [1, 2, 3], [3.0, 1.0, 3.0])
    >>> graph_linkage(path, memory_limit=1000).cut(n_clusters=2).tolist()
    [0, 0, 1, 1]
    """
    check_choice("method", method, ClusterLinkage)
    check_count("memory_limit", memory_limit, 1)
    names = None if isinstance(graph, DistributedGraph) else node_names(graph)
    over = graph if isinstance(graph, DistributedGraph) else as_graph(graph)
    if over.n_edges <= memory_limit:
        small = over.to_graph() if isinstance(over, DistributedGraph) else over
        return linkage_in_memory(small, method, callback=callback).with_names(names)
    client, reporter = current_client(client), Reporter(callback)
    with work_folder(checkpoint_dir, client) as folder, hold_folder(folder):
        if method != "single":
            # Every edge is there from both ends.
            rounds = AverageRounds(Checkpoint(folder, method, over), 2 * memory_limit, client)
            merges = rounds.merges(over, n_parts, reporter)
        elif isinstance(over, DistributedGraph):
            merges = single_merges(over, client, reporter)
        else:
            with scratch_folder(folder, "graph") as scratch:
                merges = single_merges(DistributedGraph.from_graph(over, scratch, n_parts), client, reporter)
    return tree_of_merges(over.degrees, *merges).with_names(names)


def single_merges(graph: DistributedGraph, client: Client, reporter: Reporter) -> Merges:
    """All merges: the edges of the heaviest forest, in order. Memory O(n) here, O(part) on a worker."""
    # An edge that a cycle of heavier ones closes in a part is in no forest of the graph.
    n_merges, forest = graph.n_vertices - 1, Edges.join([])
    waiting: list[Edges] = []
    for edges in run_tasks(client, lambda path: heaviest_edges(Edges.read(path).upper()), graph.part_paths):
        waiting.append(edges)
        if sum(some.source.size for some in waiting) > n_merges:
            forest, waiting = heaviest_edges(Edges.join([forest, *waiting])), []
        done = forest.source.size
        if reporter.tell("merges", done, n_merges):
            raise Stopped(f"the linkage was stopped by its callback with {done:,} of {n_merges:,} merges done.")
    forest = heaviest_edges(Edges.join([forest, *waiting]))
    reporter.tell("merges", forest.source.size, forest.source.size)
    return forest.source, forest.target


def heaviest_edges(edges: Edges) -> Edges:
    """The heaviest forest of distinct edges, in order."""
    edges = edges.take(np.lexsort((edges.target, edges.source, -edges.weight)))
    ids, ends = np.unique(np.concatenate([edges.source, edges.target]), return_inverse=True)
    first, second = ends.reshape(2, -1)
    one, other = heaviest_forest(first.astype(np.int32), second.astype(np.int32), ids.size)
    pairs, place = np.unique(first * ids.size + second, return_index=True)
    return edges.take(np.sort(place[np.searchsorted(pairs, one * ids.size + other)]))
