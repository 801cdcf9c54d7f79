"""From a table to its hierarchy on a cluster, in one call."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import dask.array as da
import numpy as np
from distributed import Client

from hypcse._checks import check_choice, check_count
from hypcse._choices import Bandwidth, ClusterLinkage, Effort, Metric, NeighborSearch, Refine, Scale
from hypcse._progress import Callback, Reporter, Stopped
from hypcse.dask.engine import current_client, shared_folder
from hypcse.dask.graph import DistributedGraph
from hypcse.dask.joining import join_by_features
from hypcse.dask.linking.linkage import MEMORY_LIMIT, graph_linkage
from hypcse.dask.refining import refine as refine_parts
from hypcse.dask.scores import Outline, outline_graph, scores_from_weights
from hypcse.dask.similarity.pipeline import Build, Built
from hypcse.dask.similarity.plan import Asked
from hypcse.dask.similarity.table import as_rows
from hypcse.entropy import lca_weights
from hypcse.estimators.entropy_clustering import effort_of
from hypcse.partitions.cuts import best_cut
from hypcse.partitions.evidence import UNTESTED, Structure
from hypcse.partitions.nested_levels import Levels, levels_and_main
from hypcse.partitions.significance import beyond_chance
from hypcse.search.join import warn_of_order
from hypcse.storage.files import hold_folder
from hypcse.tree import Tree
from hypcse.tree.flat import by_size

BYTES_PER_EDGE, SHARE = 200, 0.35
"""What an edge takes while its subtree is refined, and the share of a worker's memory that edges may take."""
LEAST = 100_000
"""The smallest default of `memory_limit`: 20 MB."""


@dataclass(frozen=True, eq=False)
class Clustering:
    """What `hypcse.dask.fit` found.

    Attributes
    ----------
    tree
        The hierarchy, a `Tree`.
    labels
        The flat clusters, a dask.array with the chunks of the rows of X.
    levels
        `Levels`: nested clusters, coarse to fine, each an array of shape (n,).
    main
        Which of the levels to look at first: the one that the labels are, unless these are one cluster because nothing
        lies beyond chance. None where a number of clusters was asked for.
    graph
        The `DistributedGraph` that was clustered.
    structure
        What there is beyond chance in a sample of the rows, see `hypcse.beyond_chance`.
    scores
        `structural_entropy` and `dasgupta_cost` of the tree on the graph.

    Examples
    --------
    >>> rows = da.random.default_rng(0).random((300, 2), chunks=(100, 2))
    >>> with Client(processes=False, n_workers=1, dashboard_address=":0"):
    ...     found = fit(rows)
    >>> found.tree.n_leaves, found.labels.chunks
    (300, ((100, 100, 100),))
    """

    tree: Tree
    labels: da.Array
    levels: Levels
    main: int | None
    graph: DistributedGraph
    structure: Structure
    scores: dict[str, float]

    @property
    def entropy(self) -> float:
        """Structural entropy of the tree on the graph, in bits."""
        return self.scores["structural_entropy"]


def fit(
    X: Any,
    n_clusters: int | None = None,
    *,
    n_neighbors: int = 10,
    bandwidth: Bandwidth = "auto",
    scale: Scale = "minmax",
    metric: Metric = "euclidean",
    algorithm: NeighborSearch = "auto",
    n_probes: int = 2,
    shard_rows: int | None = None,
    linkage: ClusterLinkage = "average",
    refine: Refine = "fast",
    memory_limit: int | None = None,
    folder: str | Path | None = None,
    random_state: int = 0,
    callback: Callback | None = None,
    client: Client | None = None,
) -> Clustering:
    """Cluster a table that need not fit one machine: `hypcse.EntropyClustering`, step by step on Dask.

    The steps are `similarity_graph`, `graph_linkage`, `refine`, the joining of components by distance, `levels` and
    `score`. Edges and rows are on workers and in files; arrays over points and the tree are in this process.

    Parameters
    ----------
    X
        A dask.array or an array, one row per point; a dask.dataframe of numbers; or a `DistributedGraph`.
    n_clusters
        Number of flat clusters. By default `labels` is the main one of `levels`.
    n_neighbors, bandwidth, scale, metric, algorithm, n_probes, shard_rows
        As for `similarity_graph`.
    linkage
        "average", "paris" or "single", see `graph_linkage`.
    refine
        How hard to search from there: "fast" (or True), "thorough", or False for not at all.
    memory_limit
        Edges that a task on a worker, and this process in the end, may hold. By default what takes 35 % of the memory
        limit of the smallest worker, divided by its threads, at 200 bytes per edge; 50 million without such limits.
    folder
        Where edges and rounds are kept: visible to this program and to all workers under the same name. A run that was
        stopped or killed goes on there; in the end the graph stays. By default a temporary folder, which needs workers
        on this machine.
    random_state
        Seed of everything random.
    callback
        Called with a `Progress` over the parts of every step; return True to stop, which raises `Stopped`.
    client
        A Dask client, the current one by default.

    Returns
    -------
    Clustering
        Tree, labels, levels and graph.

    Examples
    --------
    >>> rows = da.random.default_rng(0).random((300, 2), chunks=(100, 2))
    >>> with Client(processes=False, n_workers=1, dashboard_address=":0"):
    ...     fit(rows, n_clusters=3).labels.max().compute()
    np.int64(2)
    """
    asked = Asked(n_neighbors, bandwidth, scale, metric, algorithm, n_probes, shard_rows, random_state)
    asked.check()
    check_choice("linkage", linkage, ClusterLinkage)
    effort = effort_of(refine)
    client = current_client(client)
    limit = edges_within(client) if memory_limit is None else check_count("memory_limit", memory_limit, 1)
    place, kept = shared_folder(folder, client)
    steps = Steps(limit, place, client, callback)
    rows = None if isinstance(X, DistributedGraph) else as_rows(X)
    if n_clusters is not None:
        check_count("n_clusters", n_clusters, 1, X.n_vertices if rows is None else rows.shape[0])
    with hold_folder(place, again=True):
        if rows is None:
            warn_of_order(X.components(client))
            tree = steps.grow(X, linkage, effort)
            outline = outline_graph(tree, X, client, X.components(client))
            return steps.describe(tree, X, outline, UNTESTED, n_clusters, tuple(np.diff(X.bounds).tolist()))
        built = steps.build(rows, asked, kept)
        tree, outline = steps.join(steps.grow(built.graph, linkage, effort), built, rows, metric)
        structure = beyond_chance(built.sample, scale="none", metric=metric, random_state=random_state)
        chunks = X.chunks[0] if isinstance(X, da.Array) and not np.isnan(X.chunks[0]).any() else rows.chunks[0]
        return steps.describe(tree, built.graph, outline, structure, n_clusters, chunks)


class Steps:
    """The steps of a fit, with what they share."""

    def __init__(self, limit: int, place: Path, client: Client, callback: Callback | None) -> None:
        self.limit, self.place, self.client, self.callback = limit, place, client, callback
        self.reporter = Reporter(callback)

    def build(self, rows: da.Array, asked: Asked, kept: Any) -> Built:
        """The similarity graph, in a folder of its own."""
        place = self.place / "graph"
        place.mkdir(exist_ok=True)
        return Build(rows, asked, place, self.client, self.reporter).run(None, kept)

    def grow(self, graph: DistributedGraph, linkage: ClusterLinkage, effort: Effort | None) -> Tree:
        """The tree of linkage, refined."""
        shared: dict[str, Any] = {"memory_limit": self.limit, "client": self.client, "callback": self.callback}
        tree = graph_linkage(graph, linkage, checkpoint_dir=self.place / "rounds", **shared)
        return tree if effort is None else refine_parts(tree, graph, effort, folder=self.place / "refining", **shared)

    def join(self, tree: Tree, built: Built, rows: da.Array, metric: Metric) -> tuple[Tree, Outline]:
        """The tree with what no edge joins joined by distance, and the outline of the graph on it."""
        with self.telling("components"):
            return join_by_features(tree, built.graph, rows, built.scaling, metric, self.client)

    def describe(
        self,
        tree: Tree,
        graph: DistributedGraph,
        outline: Outline,
        structure: Structure,
        n_clusters: int | None,
        chunks: tuple[int, ...],
    ) -> Clustering:
        """Levels, labels and scores of the tree."""
        with self.telling("levels"):
            found = levels_and_main(tree, outline, structure=structure)
            flat = by_size(found.flat if n_clusters is None else best_cut(tree, outline, n_clusters))
            scores = scores_from_weights(tree, graph, lca_weights(tree, outline))
        for name in ("rounds", "refining"):
            shutil.rmtree(self.place / name, ignore_errors=True)
        main = found.main if n_clusters is None else None
        nested = Levels(map(by_size, found), found.main, structure=structure)
        return Clustering(tree, da.from_array(flat, chunks=(chunks,)), nested, main, graph, structure, scores)

    @contextmanager
    def telling(self, stage: str) -> Iterator[None]:
        """A step that is told when it begins and when it ends."""
        for done in (0, 1):
            if self.reporter.tell(stage, done, 1):
                raise Stopped(f"the fit was stopped; what is done is kept in {self.place}.")
            if done == 0:
                yield


def edges_within(client: Client) -> int:
    """Edges that a thread of the smallest worker may hold; 50 million where workers have no limits of memory."""
    workers = client.scheduler_info(n_workers=-1)["workers"].values()
    limits = [worker["memory_limit"] / max(1, worker["nthreads"]) for worker in workers if worker["memory_limit"]]
    return max(LEAST, int(SHARE * min(limits) / BYTES_PER_EDGE)) if limits else MEMORY_LIMIT
