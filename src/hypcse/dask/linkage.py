"""Agglomerative linkage of graphs whose edges no machine holds."""

from __future__ import annotations

from pathlib import Path

from distributed import Client

from hypcse._checks import check_choice, check_count
from hypcse._choices import ClusterLinkage
from hypcse._progress import Callback, Reporter
from hypcse.dask.client import current_client, work_folder
from hypcse.dask.distributed_graph import DistributedGraph
from hypcse.dask.rounds import AverageRounds, Checkpoint
from hypcse.graph import GraphLike, as_graph
from hypcse.graph.convert import node_names
from hypcse.search.binary import tree_of_merges
from hypcse.search.linkage import graph_linkage as linkage_in_memory
from hypcse.storage.files import hold_folder
from hypcse.tree import Tree

MEMORY_LIMIT = 50_000_000
"""Edges that a worker may hold, by default: about 8 GB."""


def graph_linkage(
    graph: GraphLike | DistributedGraph,
    method: ClusterLinkage = "average",
    *,
    memory_limit: int = MEMORY_LIMIT,
    checkpoint_dir: str | Path | None = None,
    client: Client | None = None,
    callback: Callback | None = None,
) -> Tree:
    """The tree of `hypcse.graph_linkage`, for graphs whose edges no machine holds.

    In every round, workers merge clusters of which each is the nearest of the other, while the neighbors that they do
    not hold are frozen. Then the graph is contracted. Once it has at most `memory_limit` edges, this process links it.
    The tree is that of `hypcse.graph_linkage`, whatever the number of parts and workers, while all weights, and their
    sums between two clusters, are within a factor of 2^29 (5e8).

    Parameters
    ----------
    graph
        A `DistributedGraph`, or whatever `hypcse.graph_linkage` takes.
    method
        "average" or "paris".
    memory_limit
        How many edges a worker, and this process in the end, may hold. An edge takes about 160 bytes on the way.
    checkpoint_dir
        A folder for the last round and the merges of all, visible to all workers under the same name. A call that was
        stopped goes on there. By default a temporary folder.
    client
        A Dask client, the current one by default. A graph within the limit needs none.
    callback
        Called with a `Progress` in merges after every round. Return True to stop, which raises `Stopped`.

    Returns
    -------
    Tree
        A binary tree over the vertices, as `hypcse.graph_linkage` returns it.

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
        # Every edge is there from both ends.
        merges = AverageRounds(Checkpoint(folder, method, over), 2 * memory_limit, client).merges(over, reporter)
    return tree_of_merges(over.degrees, *merges).with_names(names)
