"""The sharded similarity graph, step by step; every step leaves files that the next one reads."""

from __future__ import annotations

import shutil
from collections.abc import Iterable, Iterator
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

import dask.array as da
import numpy as np
from distributed import Client
from numpy.typing import NDArray

from hypcse._checks import warn
from hypcse._choices import Bandwidth, Metric, NeighborSearch, Scale
from hypcse._progress import Callback, Reporter, Stopped
from hypcse.dask.edges.building import gather_parts, part_bounds, scatter_edges
from hypcse.dask.edges.files import About, Edges, Parts, holds_graph, read_edges, read_metadata, write_metadata
from hypcse.dask.engine import current_client, run_blocks, run_tasks, shared_folder
from hypcse.dask.graph import DistributedGraph
from hypcse.dask.similarity.plan import Asked, Cuts, keep_cuts
from hypcse.dask.similarity.search import LEAST, Kept, Search, keep_best, measure_recall, search_piece
from hypcse.dask.similarity.shards import Shards, compared, cut_shards, deal_block, place_centroids
from hypcse.dask.similarity.table import as_rows, column_facts, join_columns, learn_scaling, sample_rows
from hypcse.dask.similarity.widths import choose_width
from hypcse.graph.neighbors.search import MAX_EXACT
from hypcse.graph.scales import Scaling
from hypcse.graph.similarity import MIN_WEIGHT, gaussian_weights, width_on_scale
from hypcse.storage.files import hold_folder


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

    Centroids of a sample cut the table into shards of near rows. Every row goes to the shards of its `n_probes` nearest
    centroids, neighbours are searched in each shard, and of all that are found the nearest `n_neighbors` distinct ones
    are kept. Scales and weights are those of `hypcse.similarity_graph`; a table of one shard gives the same graph.

    Parameters
    ----------
    X
        A dask.array or an array, one row per point; or a dask.dataframe of numbers.
    n_neighbors
        Neighbours of each point.
    bandwidth
        A positive number, "auto" or "median", as for `hypcse.similarity_graph`.
    scale
        "minmax", "standard", "rank" or "none". Quantiles of "rank" are those of at most 100,000 rows.
    metric
        "euclidean" or "cosine".
    algorithm
        How a shard is searched, see `hypcse.graph.nearest_neighbors`: "auto" is exact up to 50,000 rows.
    n_probes
        Shards that every row goes to. More of them find more of the true neighbours, and take longer.
    shard_rows
        Rows of a shard on average: 200,000 by default, or fewer where these take more than 64 MB. A shard of more than
        four times as many, as copies of one row make it, is searched in random slices.
    n_parts
        Parts of the graph, by default one per 2 million entries, and one per worker at least.
    folder
        Where edges and shards are kept: visible to this program and to all workers under the same name. By default a
        temporary folder, which needs workers on this machine. A call that was stopped goes on there; one that ended is
        not repeated.
    random_state
        Seed of the samples.
    callback
        Called with a `Progress` after every shard and part; return True to stop, which raises `Stopped`.
    client
        A Dask client, the current one by default.

    Returns
    -------
    DistributedGraph
        Vertex k is row k of X. Its `recall` is the share of the true neighbours that were found, measured on 500 rows.
        Below 0.95 there is a warning.

    Examples
    --------
    >>> import dask.array as da
    >>> with Client(processes=False, n_workers=1, dashboard_address=":0"):
    ...     similarity_graph(da.random.default_rng(0).random((1000, 4), chunks=(250, 4)), n_parts=1).n_vertices
    1000
    """
    asked = Asked(n_neighbors, bandwidth, scale, metric, algorithm, n_probes, shard_rows, random_state)
    asked.check()
    client = current_client(client)
    place, kept = shared_folder(folder, client)
    return Build(as_rows(X), asked, place, client, Reporter(callback)).run(n_parts, kept).graph


class Built(NamedTuple):
    """A graph, the scale of the columns of its table, and a sample of its rows on that scale."""

    graph: DistributedGraph
    scaling: Scaling
    sample: NDArray[np.float32]


class Build:
    """One graph in the making."""

    def __init__(self, rows: da.Array, asked: Asked, place: Path, client: Client, reporter: Reporter) -> None:
        self.rows, self.asked, self.place, self.client, self.reporter = rows, asked, place, client, reporter

    def run(self, n_parts: int | None, kept: Any) -> Built:
        """The graph, which is made unless the folder holds it already; no other run may write there meanwhile."""
        with hold_folder(self.place):
            return self._run(n_parts, kept)

    def _run(self, n_parts: int | None, kept: Any) -> Built:
        n, d = self.rows.shape
        columns = join_columns(self.track("scaling", run_blocks(self.client, column_facts, self.rows), self.n_blocks))
        sample = sample_rows(self.client, self.rows, self.asked.sampled(n, d))
        fingerprint = self.asked.fingerprint(columns)
        scaling = learn_scaling(self.client, self.rows, self.asked.scale, self.asked.metric, columns, sample)
        scaled = scaling.apply(sample)
        if holds_graph(self.place):
            return Built(self._made_before(fingerprint, kept), scaling, scaled)
        return Built(self._make(n_parts, kept, scaling, scaled, fingerprint), scaling, scaled)

    def _make(
        self, n_parts: int | None, kept: Any, scaling: Scaling, sample: NDArray[np.float32], fingerprint: str
    ) -> DistributedGraph:
        """All steps; those whose files are there already are not repeated."""
        n, d = self.rows.shape
        work = self.place / f"work-{fingerprint}"
        work.mkdir(exist_ok=True)
        new = Cuts(self.rows.chunks[0], part_bounds(n, 2 * n * self.asked.n_neighbors, n_parts, self.client))
        chunks, bounds = keep_cuts(work, new, n_parts)
        self.rows = self.rows.rechunk({0: chunks})
        points = compared(sample, self.asked.metric)
        centroids = place_centroids(points, self.asked.n_shards(n, d), self.asked.random_state)
        shards = Shards(scaling, self.asked.metric, centroids, self.asked.n_probes)
        found = self._search(shards, bounds, work)
        best, near = self._keep(found, bounds, work)
        recall = self._recall(shards, best, len(found) == 1)
        asked = width_on_scale(self.asked.bandwidth, self.asked.scale, self.asked.metric)
        width = choose_width(self.client, near, asked, max(one.largest for one in best))
        parts = self._weigh(near, bounds, width, work)
        one = np.load(found[0].with_suffix(".npy"), allow_pickle=False) if len(found) == 1 else np.ones(n)
        parts, about = parts._replace(self_weights=one), About(width, recall, fingerprint)
        write_metadata(self.place, parts, about)
        shutil.rmtree(work)
        return DistributedGraph(self.place, *parts, about, kept)

    @property
    def n_blocks(self) -> int:
        return self.rows.numblocks[0]

    def track(self, stage: str, answers: Iterable[Any], total: int) -> Iterator[Any]:
        """The answers, told one by one."""
        for done, answer in enumerate(answers, 1):
            if self.reporter.tell(stage, done, total):
                raise Stopped(f"the similarity graph was stopped; what is done is kept in {self.place}.")
            yield answer

    def _made_before(self, fingerprint: str, kept: Any) -> DistributedGraph:
        parts, about = read_metadata(self.place)
        if about.fingerprint != fingerprint:
            raise ValueError(
                f"{self.place} holds the graph of another table or of other arguments. Name another folder, or open "
                "it with DistributedGraph.from_parquet."
            )
        return DistributedGraph(self.place, *parts, about, kept)

    def _search(self, shards: Shards, bounds: NDArray[np.int64], work: Path) -> list[Path]:
        """Deal rows to shards and search each; the files of their neighbours."""
        places = [work / f"rows-{block:05d}" for block in range(self.n_blocks)]
        dealt = run_blocks(self.client, deal_block, self.rows, places, [shards] * self.n_blocks)
        sizes = sum(self.track("shards", dealt, self.n_blocks))
        pieces = cut_shards(np.asarray(sizes), self.asked.rows_of_shard(self.rows.shape[1]), self.asked.random_state)
        found = [piece.path(work) for piece in pieces]
        search = Search(self.asked.n_neighbors, self.asked.metric, self.asked.algorithm, len(found) == 1, bounds)
        tasks = [(places, piece, path, search) for piece, path in zip(pieces, found, strict=True)]
        searched = run_tasks(self.client, search_piece, *zip(*tasks, strict=True))
        for _ in self.track("neighbours", searched, len(found)):
            pass
        return found

    def _keep(self, found: list[Path], bounds: NDArray[np.int64], work: Path) -> tuple[list[Kept], list[Path]]:
        """The best neighbours of the rows of each part, and what is known of them."""
        near = [work / f"best-{part:05d}.parquet" for part in range(bounds.size - 1)]
        measured = self.asked.measured(self.rows.shape[0])
        cuts = np.searchsorted(measured, bounds)
        # A row that its copies push from its own list has one neighbour more where a shard is alone.
        most = self.asked.n_neighbors + (len(found) == 1)
        tasks = [(found, part, path, most, measured[cuts[part] : cuts[part + 1]]) for part, path in enumerate(near)]
        kept = run_tasks(self.client, keep_best, *zip(*tasks, strict=True))
        return list(self.track("best neighbours", kept, len(near))), near

    def _recall(self, shards: Shards, best: list[Kept], alone: bool) -> float:
        """Measured where something can be missed; told, with a warning where it is low."""
        ids = np.concatenate([one.ids for one in best])
        if (alone and self.rows.shape[0] <= MAX_EXACT) or ids.size == 0:
            return 1.0
        points = compared(shards.scaling.apply(sample_rows(self.client, self.rows, ids)), shards.metric)
        recall = measure_recall(self.client, self.rows, shards, points, best, self.asked.n_neighbors)
        self.reporter.tell("recall", 1, 1, value=recall, measure="recall")
        if recall < LEAST:
            warn(
                f"only {recall:.3f} of the true neighbours were found, as measured on {ids.size} rows. Pass a larger "
                f"n_probes (now {shards.n_probes}) or larger shards (shard_rows)."
            )
        return recall

    def _weigh(self, near: list[Path], bounds: NDArray[np.int64], width: float, work: Path) -> Parts:
        """The parts of the graph: weights of neighbours, averaged both ways."""
        moved = [work / f"moved-{part:05d}.parquet" for part in range(len(near))]
        tasks = [(path, place, bounds, width) for path, place in zip(near, moved, strict=True)]
        for _ in self.track("weights", run_tasks(self.client, weigh_part, *zip(*tasks, strict=True)), len(near)):
            pass
        track = partial(self.track, "edges", total=len(near))
        return gather_parts(moved, self.place, bounds, self.client, halve_weights, track)


def weigh_part(path: Path, place: Path, bounds: NDArray[np.int64], width: float) -> None:
    """Write the weights of the neighbours of a part, from both ends, a row group per part."""
    near = read_edges(path)
    edges = Edges(near.source, near.target, gaussian_weights(near.weight, width))
    scatter_edges(edges.both_ways(), place, bounds)


def halve_weights(weights: NDArray[np.float64]) -> NDArray[np.float64]:
    """Half of the sum of both ways; halving can go below the least weight once more."""
    return np.maximum(weights / 2, MIN_WEIGHT)
