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
from numpy.typing import NDArray

from hypcse._checks import check_choice, check_count
from hypcse._choices import Bandwidth, ClusterLinkage, Metric, NeighborSearch, Refine, Scale
from hypcse._progress import Callback, Reporter, Stopped
from hypcse.dask.client import current_client, first_rows, run_blocks, shared_folder
from hypcse.dask.distributed_graph import DistributedGraph
from hypcse.dask.linkage import MEMORY_LIMIT, graph_linkage
from hypcse.dask.similarity.blocks import as_rows, checked_block
from hypcse.dask.similarity.pipeline import Pipeline
from hypcse.dask.similarity.shards import Options, compared
from hypcse.dask.subtree_search import refine as refine_parts
from hypcse.dask.tree_scores import Outline, outline_graph, score, scores_from_weights
from hypcse.entropy import lca_weights
from hypcse.estimators.entropy_clustering import effort_of
from hypcse.graph.scaling import Scaling
from hypcse.kernels.arrays import Ids
from hypcse.partitions.cuts import best_cut
from hypcse.partitions.evidence import UNTESTED, Structure
from hypcse.partitions.nested_levels import Levels, levels_and_main
from hypcse.partitions.significance import beyond_chance
from hypcse.search.join import (
    Parts,
    gather_parts,
    gather_points,
    join_across_bridges,
    tree_of_parts,
    warn_of_order,
    with_top,
)
from hypcse.storage.files import hold_folder
from hypcse.tree import Tree
from hypcse.tree.flat import by_size

BYTES_PER_EDGE, SHARE = 200, 0.35
"""What an edge takes while its subtree is refined, and the share of a worker's memory that edges may take."""
LEAST = 100_000
"""The smallest default of `memory_limit`: 20 MB."""


@dataclass(frozen=True, eq=False)
class Clustering:
    """The result of `hypcse.dask.fit`.

    Attributes
    ----------
    tree
        The hierarchy, a `Tree`.
    labels
        The flat clusters, a dask.array with the chunks of the rows of X.
    levels
        `Levels`: nested clusters, coarse to fine, each an array of shape (n,).
    main
        The level to look at first, that of the labels unless nothing lies beyond chance; None if you pass `n_clusters`.
    graph
        The `DistributedGraph` that was clustered.
    structure
        The structure beyond chance in a sample of the rows, see `hypcse.beyond_chance`.
    scores
        `structural_entropy` and `dasgupta_cost` of the tree on the graph.

    Examples
    --------
    >>> rows = da.random.default_rng(0).random((300, 2), chunks=(100, 2))
    >>> with Client(processes=False, n_workers=1, dashboard_address=":0"):
    ...     clustering = fit(rows)
    >>> clustering.tree.n_leaves, clustering.labels.chunks
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

    The steps are `similarity_graph`, `graph_linkage`, `refine`, joining components by distance, `levels` and `score`.
    Edges and rows are on workers and in files; arrays over points and the tree are in this process.

    Parameters
    ----------
    X
        A dask.array or an array, one row per point; a dask.dataframe of numbers; or a `DistributedGraph`.
    n_clusters
        Number of flat clusters. By default `labels` is the main one of `levels`, which the edges alone choose here.
    n_neighbors, bandwidth, scale, metric, algorithm, n_probes, shard_rows
        As for `similarity_graph`.
    linkage
        "average" or "paris", see `graph_linkage`.
    refine
        Effort of the refinement: "fast" (or True), "thorough", or False for none.
    memory_limit
        Edges that a task on a worker, and this process in the end, may hold. By default 35 % of the memory limit of the
        smallest worker, divided by its threads, at 200 bytes per edge; 50 million without such limits.
    folder
        Where edges and rounds are: visible to this program and to all workers under the same name. A run that was
        stopped or killed goes on there; the graph stays. By default a temporary folder (workers on this machine).
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
    options = Options(n_neighbors, bandwidth, scale, metric, algorithm, n_probes, shard_rows, random_state)
    check_choice("linkage", linkage, ClusterLinkage)
    effort = effort_of(refine)
    client = current_client(client)
    limit = edges_within(client) if memory_limit is None else check_count("memory_limit", memory_limit, 1)
    place, temporary = shared_folder(folder, client)
    rows = None if isinstance(X, DistributedGraph) else as_rows(X)
    if n_clusters is not None:
        check_count("n_clusters", n_clusters, 1, X.n_vertices if rows is None else rows.shape[0])
    reporter = Reporter(callback)
    shared: dict[str, Any] = {"memory_limit": limit, "client": client, "callback": callback}

    def grow(graph: DistributedGraph) -> Tree:
        tree = graph_linkage(graph, linkage, checkpoint_dir=place / "rounds", **shared)
        return tree if effort is None else refine_parts(tree, graph, effort, folder=place / "refining", **shared)

    with hold_folder(place, again=True):
        if rows is None:
            graph, structure, chunks = X, UNTESTED, tuple(np.diff(X.bounds).tolist())
            components = graph.components(client)
            warn_of_order(components)
            tree = grow(graph)
            outline = outline_graph(tree, graph, client, components)
        else:
            (place / "graph").mkdir(exist_ok=True)
            built = Pipeline(rows, options, place / "graph", client, reporter).run(None, temporary)
            graph = built.graph
            tree = grow(graph)
            with _step(reporter, "components", place):
                tree, outline = join_by_features(tree, graph, rows, built.scaling, metric, client)
            structure = beyond_chance(built.sample, scale="none", metric=metric, random_state=random_state)
            chunks = X.chunks[0] if isinstance(X, da.Array) and not np.isnan(X.chunks[0]).any() else rows.chunks[0]
        with _step(reporter, "levels", place):
            nested = levels_and_main(tree, outline, structure=structure)
            flat = by_size(nested.flat if n_clusters is None else best_cut(tree, outline, n_clusters))
            scores = scores_from_weights(tree, graph, lca_weights(tree, outline))
        for name in ("rounds", "refining"):
            shutil.rmtree(place / name, ignore_errors=True)
    main, labels = nested.main if n_clusters is None else None, da.from_array(flat, chunks=(chunks,))
    levels = Levels([by_size(labels) for labels in nested], nested.main, structure=structure)
    return Clustering(tree, labels, levels, main, graph, structure, scores)


@contextmanager
def _step(reporter: Reporter, stage: str, place: Path) -> Iterator[None]:
    """Report a step when it begins and when it ends."""
    for done in (0, 1):
        if reporter.tell(stage, done, 1):
            raise Stopped(f"the fit was stopped; what is done is kept in {place}.")
        if done == 0:
            yield


def edges_within(client: Client) -> int:
    """Edges that a thread of the smallest worker may hold; 50 million if workers have no limits of memory."""
    workers = client.scheduler_info(n_workers=-1)["workers"].values()
    limits = [worker["memory_limit"] / max(1, worker["nthreads"]) for worker in workers if worker["memory_limit"]]
    return max(LEAST, int(SHARE * min(limits) / BYTES_PER_EDGE)) if limits else MEMORY_LIMIT


def join_by_features(
    tree: Tree, graph: DistributedGraph, rows: da.Array, scaling: Scaling, metric: Metric, client: Client
) -> tuple[Tree, Outline]:
    """The tree with components and weakly connected parts joined as `join_components` does, and the outline on it."""
    components = graph.components(client)

    def above(parts: Ids) -> Tree:
        return tree_of_parts(gather_blocks(client, rows, parts, scaling, metric))

    if components.max() > 0:
        outline = outline_graph(tree, graph, client, components)
        tree = with_top(tree, outline, components, above(components))
    outline = outline_graph(tree, graph, client, components)
    joined = join_across_bridges(
        tree, outline, above, lambda other, _: score(other, graph, client=client)["structural_entropy"]
    )
    return joined, outline if joined is tree else outline_graph(joined, graph, client, components)


def gather_blocks(client: Client, rows: da.Array, groups: Ids, scaling: Scaling, metric: Metric) -> Parts:
    """Sizes, means and squares of groups of rows, block by block, then of all."""
    own = np.split(groups, first_rows(rows)[1:])
    answers = run_blocks(client, gather_block, rows, own, scaling=scaling, metric=metric)
    ids, *columns = map(np.concatenate, zip(*answers, strict=True))
    return gather_parts(Parts(*columns), ids)


def gather_block(block: Any, first: int, groups: Ids, scaling: Scaling, metric: Metric) -> tuple[NDArray[Any], ...]:
    """The groups that a block has rows of, and their sizes, means and squares."""
    ids, own = np.unique(groups, return_inverse=True)
    parts = gather_points(compared(scaling.apply(checked_block(block, first)), metric), own)
    return ids, parts.sizes, parts.means, parts.squares
