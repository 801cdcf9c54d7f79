"""Agglomerative linkage of graphs whose edges no machine holds."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import distributed
import numpy as np

from hypcse._checks import check_choice, check_count
from hypcse._choices import ClusterLinkage
from hypcse._progress import Callback, Reporter, Stopped
from hypcse.dask.edges.files import Edges, read_edges
from hypcse.dask.engine import current_client, run_tasks, shared_folder
from hypcse.dask.graph import DistributedGraph
from hypcse.dask.linking.chains import ChainRounds
from hypcse.dask.linking.spanning import SpanningRounds
from hypcse.dask.linking.splitting import Kept, Round
from hypcse.graph import Graph, GraphLike, as_graph
from hypcse.graph.convert import node_names
from hypcse.kernels.linkage.merges import Merges
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
    client: distributed.Client | None = None,
    callback: Callback | None = None,
) -> Tree:
    """The tree of `hypcse.graph_linkage`, for graphs whose edges no machine holds.

    In every round, workers merge what is certain: two clusters of which each is the nearest of the other, while the
    neighbours that they do not hold are frozen. Then the graph is contracted. When what is left has at most
    `memory_limit` edges, this process links it in memory. The tree is the one that `hypcse.graph_linkage` finds,
    whatever the number of parts and workers.

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
        A folder that keeps the last round, and the merges of all. Called again with it, the linkage goes on from there.
        It must be visible to all workers under the same name. By default a temporary folder, removed in the end.
    client
        A Dask client, the current one by default. A graph within the limit needs none.
    callback
        Called with a `Progress` in merges after every round. Return True to stop: `Stopped` is raised, and a
        `checkpoint_dir` keeps what was done.

    Returns
    -------
    Tree
        A binary tree over the vertices, as `hypcse.graph_linkage` returns it.

    Notes
    -----
    The tree equals that of `hypcse.graph_linkage` while all weights, and their sums between two clusters, are within a
    factor of 2^29 (5e8) of each other. Beyond it "average" and "paris" round sums, and clusters that are almost equally
    near may be joined in another order.

    A cluster and its nearest must fit the limit with all their neighbours: a graph with a vertex that is joined to
    more others than that raises ValueError.

    Examples
    --------
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
    client = current_client(client)
    with _work_folder(checkpoint_dir, client) as folder:
        work = _Linkage(Kept(folder, method, over, checksum_of(over, client)), memory_limit, client, Reporter(callback))
        merges = work.merges(over, n_parts)
    return tree_of_merges(over.degrees, *merges).with_names(names)


@contextmanager
def _work_folder(checkpoint_dir: str | Path | None, client: distributed.Client) -> Iterator[Path]:
    """A folder for the rounds that nobody else writes into."""
    folder, kept = shared_folder(checkpoint_dir, client)
    try:
        with hold_folder(folder):
            yield folder
    finally:
        if kept is not None:
            kept.cleanup()


def checksum_of(graph: Graph | DistributedGraph, client: distributed.Client) -> int:
    """64 bits of the edges of a graph, each once, whatever its parts."""
    if isinstance(graph, DistributedGraph):
        return sum(run_tasks(client, checksum_part, graph.part_paths)) % 2**64
    first, second, weight = graph.edges()
    return Edges(np.minimum(first, second), np.maximum(first, second), weight).checksum()


def checksum_part(path: Path) -> int:
    """Those of the entries of a part whose source is the smaller end."""
    edges = read_edges(path)
    return edges.take(edges.source < edges.target).checksum()


class _Linkage:
    """One linkage under way."""

    def __init__(self, kept: Kept, memory_limit: int, client: distributed.Client, reporter: Reporter) -> None:
        self.kept, self.memory_limit, self.client, self.reporter = kept, memory_limit, client, reporter
        kind = SpanningRounds if kept.whose["method"] == "single" else ChainRounds
        # Every edge is there from both ends.
        self.rounds = kind(kept, 2 * memory_limit, client)

    def merges(self, graph: Graph | DistributedGraph, n_parts: int | None) -> Merges:
        """All merges: rounds until what is left fits the limit, then in memory."""
        state = self.kept.last_round() or self._begin(graph, n_parts)
        while state.entries.sum() > 2 * self.memory_limit:
            state = self.rounds.go_on(state)
            self._tell(state)
        merges = self.rounds.finish(state)
        self.reporter.tell("merges", merges[0].size, merges[0].size)
        return merges

    def _begin(self, graph: Graph | DistributedGraph, n_parts: int | None) -> Round:
        """The first round; a graph in memory is written first."""
        mass = graph.degrees if self.kept.whose["method"] == "paris" else np.ones(graph.n_vertices)
        if isinstance(graph, DistributedGraph):
            return self.rounds.begin(graph, mass)
        given = self.kept.new_round(0) / "given"
        return self.rounds.begin(DistributedGraph.from_graph(graph, given, n_parts), mass)

    def _tell(self, state: Round) -> None:
        n = self.kept.whose["n_vertices"]
        arrays = state.arrays
        done = n - (arrays["mass"].size if "mass" in arrays else int(arrays["labels"].max()) + 1)
        if self.reporter.tell("merges", done, n - 1):
            raise Stopped(f"the linkage was stopped by its callback with {done:,} of {n - 1:,} merges done.")
