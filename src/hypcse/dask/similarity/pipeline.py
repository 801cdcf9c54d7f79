"""The similarity graph in shards, step by step; every step leaves files that the next one reads."""

from __future__ import annotations

import json
import shutil
from collections.abc import Iterable, Iterator
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

import dask.array as da
import numpy as np
from distributed import Client
from numpy.typing import NDArray

from hypcse._choices import Bandwidth, Metric, NeighborSearch, Scale
from hypcse._progress import Callback, Reporter, Stopped
from hypcse.dask.building import gather_parts, part_bounds, scatter_parts
from hypcse.dask.client import current_client, run_blocks, run_tasks, shared_folder
from hypcse.dask.distributed_graph import DistributedGraph
from hypcse.dask.edge_files import Edges, Parts, holds_graph, read_metadata, write_metadata
from hypcse.dask.similarity.blocks import as_rows, choose_width, column_facts, join_columns, learn_scaling, sample_rows
from hypcse.dask.similarity.shards import (
    Options,
    Shards,
    compared,
    cut_shards,
    deal_block,
    keep_best,
    place_centroids,
    search_piece,
)
from hypcse.graph.scaling import Scaling
from hypcse.graph.similarity import MIN_WEIGHT, gaussian_weights
from hypcse.kernels.arrays import Ids
from hypcse.storage.files import hold_folder, write_file


def similarity_graph(
    X: Any,
    n_neighbors: int = 10,
    bandwidth: Bandwidth = 1.0,
    scale: Scale = "minmax",
    *,
    metric: Metric = "euclidean",
    algorithm: NeighborSearch = "auto",
    n_probes: int = 2,
    shard_rows: int | None = None,
    n_parts: int | None = None,
    folder: str | Path | None = None,
    random_state: int = 0,
    callback: Callback | None = None,
    client: Client | None = None,
) -> DistributedGraph:
    """`hypcse.similarity_graph` of a table that need not fit one machine: edges in Parquet.

    Centroids of a sample cut the table into shards of nearby rows. Every row goes to the shards of its `n_probes`
    nearest centroids. Its neighbors are the nearest `n_neighbors` distinct rows of all these. Scales and weights are
    those of `hypcse.similarity_graph`; a table of one shard gives the same graph.

    Parameters
    ----------
    X
        A dask.array or an array, one row per point; or a dask.dataframe of numbers.
    n_neighbors, bandwidth, scale, metric
        As for `hypcse.similarity_graph`. Quantiles of "rank" are those of at most 100,000 rows.
    algorithm
        How a shard is searched, see `hypcse.graph.nearest_neighbors`: "auto" is exact up to 50,000 rows.
    n_probes
        Shards that every row goes to. More of them find more of the true neighbors, and take longer.
    shard_rows
        Rows of a shard on average: 200,000 by default, or what takes 64 MB. A shard of more than four times as many is
        searched in random slices.
    n_parts
        Parts of the graph, by default one per 2 million entries, and one per worker at least.
    folder
        Where edges and shards are: visible to this program and to all workers under the same name. A call that was
        stopped goes on there. By default a temporary folder (workers on this machine).
    random_state
        Seed of the samples.
    callback
        Called with a `Progress` after every shard and part; return True to stop, which raises `Stopped`.
    client
        A Dask client, the current one by default.

    Returns
    -------
    DistributedGraph
        Vertex k is row k of X.

    Examples
    --------
    >>> import dask.array as da
    >>> with Client(processes=False, n_workers=1, dashboard_address=":0"):
    ...     similarity_graph(da.random.default_rng(0).random((1000, 4), chunks=(250, 4)), n_parts=1).n_vertices
    1000
    """
    options = Options(n_neighbors, bandwidth, scale, metric, algorithm, n_probes, shard_rows, random_state)
    client = current_client(client)
    place, temporary = shared_folder(folder, client)
    return Pipeline(as_rows(X), options, place, client, Reporter(callback)).run(n_parts, temporary).graph


class Built(NamedTuple):
    """A graph, the scale of the columns of its table, and a sample of its rows on that scale."""

    graph: DistributedGraph
    scaling: Scaling
    sample: NDArray[np.float32]


class Pipeline:
    """The steps from a table to its graph, in a folder."""

    def __init__(self, rows: da.Array, options: Options, place: Path, client: Client, reporter: Reporter) -> None:
        self.rows, self.options, self.place, self.client, self.reporter = rows, options, place, client, reporter

    def run(self, n_parts: int | None, temporary: Any) -> Built:
        """The graph, unless the folder holds it already."""
        options, (n, d) = self.options, self.rows.shape
        with hold_folder(self.place):
            blocks = run_blocks(self.client, column_facts, self.rows)
            columns = join_columns(self.track("scaling", blocks, self.rows.numblocks[0]))
            sample = sample_rows(self.client, self.rows, options.sampled(n, d))
            scaling = learn_scaling(self.client, self.rows, options.scale, options.metric, columns, sample)
            scaled, fingerprint = scaling.apply(sample), options.fingerprint(columns)
            if not holds_graph(self.place):
                parts, about = self._make(n_parts, scaling, scaled, fingerprint)
            else:
                parts, about = read_metadata(self.place)
                if about["fingerprint"] != fingerprint:
                    raise ValueError(f"{self.place} holds the graph of another table or options. Name another folder.")
            return Built(DistributedGraph(self.place, *parts, about, temporary), scaling, scaled)

    def track(self, stage: str, results: Iterable[Any], total: int) -> Iterator[Any]:
        """The results, reported one by one."""
        for done, result in enumerate(results, 1):
            if self.reporter.tell(stage, done, total):
                raise Stopped(f"the similarity graph was stopped; what is done is kept in {self.place}.")
            yield result

    def _make(
        self, n_parts: int | None, scaling: Scaling, sample: NDArray[np.float32], fingerprint: str
    ) -> tuple[Parts, dict[str, Any]]:
        """All steps; those whose files are there already are not repeated."""
        options, (n, d) = self.options, self.rows.shape
        work = self.place / f"work-{fingerprint}"
        work.mkdir(exist_ok=True)
        bounds = self._plan_cuts(work, n_parts)
        centroids = place_centroids(compared(sample, options.metric), options.n_shards(n, d), options.random_state)
        shards = Shards(scaling, options.metric, centroids, options.n_probes)
        pieces = self._search(shards, bounds, work)
        alone = len(pieces) == 1
        best, largest = self._best(pieces, bounds, work)
        width = choose_width(self.client, best, options.width, largest)
        diagonal = np.load(pieces[0].with_suffix(".npy")) if alone else np.ones(n)
        parts = self._weigh(best, bounds, width, work)._replace(self_weights=diagonal)
        about = {"bandwidth": width, "fingerprint": fingerprint}
        write_metadata(self.place, parts, about)
        shutil.rmtree(work)
        return parts, about

    def _plan_cuts(self, work: Path, n_parts: int | None) -> Ids:
        """The rows at which parts begin; they and the blocks of rows are those of an earlier call, if there was one."""
        path, n = work / "plan.json", self.rows.shape[0]
        if not path.is_file():
            bounds = part_bounds(n, 2 * n * self.options.n_neighbors, n_parts, self.client).tolist()
            write_file(path, json.dumps({"chunks": self.rows.chunks[0], "bounds": bounds}))
        plan = json.loads(path.read_text(encoding="utf-8"))
        self.rows = self.rows.rechunk({0: tuple(plan["chunks"])})
        return np.array(plan["bounds"], np.int64)

    def _search(self, shards: Shards, bounds: Ids, work: Path) -> list[Path]:
        """Deal rows to shards and search each; the files of their neighbors."""
        options, n_blocks = self.options, self.rows.numblocks[0]
        places = [work / f"rows-{block:05d}" for block in range(n_blocks)]
        dealt = run_blocks(self.client, deal_block, self.rows, places, shards=shards)
        sizes = np.asarray(sum(self.track("shards", dealt, n_blocks)))
        pieces = cut_shards(sizes, options.rows_of_shard(self.rows.shape[1]), options.random_state)
        paths = [piece.path(work) for piece in pieces]
        shared: dict[str, Any] = {"places": places, "options": options, "alone": len(pieces) == 1, "bounds": bounds}
        searched = run_tasks(self.client, search_piece, pieces, paths, **shared)
        list(self.track("neighbors", searched, len(pieces)))
        return paths

    def _best(self, pieces: list[Path], bounds: Ids, work: Path) -> tuple[list[Path], float]:
        """Files of the best neighbors by part, and the largest squared distance."""
        paths = [work / f"best-{part:05d}.parquet" for part in range(bounds.size - 1)]
        # A row that its copies push from its own list has one neighbor more if there is one shard.
        most = self.options.n_neighbors + (len(pieces) == 1)
        numbers = range(len(paths))
        best = run_tasks(self.client, keep_best, numbers, paths, pieces=pieces, n_neighbors=most)
        return paths, max(self.track("best neighbors", best, len(paths)))

    def _weigh(self, best: list[Path], bounds: Ids, width: float, work: Path) -> Parts:
        """The parts of the graph: weights of neighbors, averaged both ways."""
        moved = [work / f"moved-{part:05d}.parquet" for part in range(len(best))]
        weighed = run_tasks(self.client, weigh_part, best, moved, bounds=bounds, width=width)
        list(self.track("weights", weighed, len(best)))
        track = partial(self.track, "edges", total=len(best))
        return gather_parts(moved, self.place, bounds, self.client, MIN_WEIGHT, track)


def weigh_part(path: Path, place: Path, bounds: Ids, width: float) -> None:
    """Write half of the weights of the neighbors of a part, from both ends, a row group per part."""
    edges = Edges.read(path)
    weights = gaussian_weights(edges.weight, width) / 2
    scatter_parts(place, Edges(edges.source, edges.target, weights).both_ways(), bounds)
