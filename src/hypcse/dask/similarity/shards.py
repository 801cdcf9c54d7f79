"""Rows dealt to shards of nearby rows, neighbors within each shard, and the best of these for each row."""

from __future__ import annotations

import hashlib
import json
from contextlib import suppress
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from hypcse._checks import check_count
from hypcse._choices import Metric
from hypcse._random import check_seed, generator
from hypcse._threads import openmp_threads, worker_threads
from hypcse.dask.client import scratch_folder
from hypcse.dask.edge_files import Edges, load_array, mix_bits, save_arrays
from hypcse.dask.similarity.blocks import MAX_RANKED, Columns, checked_block
from hypcse.graph.neighbors.search import nearest_neighbors, neighbors_among, unit_rows
from hypcse.graph.scaling import Scaling
from hypcse.graph.similarity import GraphOptions, weighed_neighbors
from hypcse.kernels.arrays import Ids

MAX_SHARD_ROWS = 200_000
SHARD_BYTES = 64_000_000
"""Rows of a shard by default are so many, or fewer if they would take more memory."""
PER_CENTROID, LEAST_SAMPLE = 64, 10_000
"""Rows of the sample that k-means sees: so many per centroid, and so many at least."""


@dataclass(frozen=True)
class Options(GraphOptions):
    """The arguments of `similarity_graph` that change its answer."""

    n_probes: int = 2
    shard_rows: int | None = None
    random_state: int = 0

    def __post_init__(self) -> None:
        super().__post_init__()
        check_count("n_probes", self.n_probes, 1)
        check_seed(self.random_state)
        if self.shard_rows is not None:
            check_count("shard_rows", self.shard_rows, 2)
        if self.metric == "precomputed":
            raise ValueError("metric='precomputed' is not for tables on a cluster. Pass a DistributedGraph.")

    def rows_of_shard(self, d: int) -> int:
        """Rows of a shard on average."""
        return self.shard_rows or max(2, min(MAX_SHARD_ROWS, SHARD_BYTES // (4 * d)))

    def n_shards(self, n: int, d: int) -> int:
        """How many shards rows are dealt to."""
        rows = self.rows_of_shard(d)
        return 1 if n <= rows else -(-n * self.n_probes // rows)

    def sampled(self, n: int, d: int) -> Ids:
        """Ascending numbers of the rows that centroids and quantiles are learned from."""
        size = max(LEAST_SAMPLE, PER_CENTROID * self.n_shards(n, d), MAX_RANKED if self.scale == "rank" else 0)
        if size >= n:
            return np.arange(n)
        return np.sort(generator(self.random_state, "sample of rows").choice(n, size, replace=False))

    def fingerprint(self, columns: Columns) -> str:
        """Identifies the options, and the table by its shape, its precision and all of its values."""
        table = [columns.n_rows, columns.low.size, columns.low.dtype.name, columns.checksum]
        return hashlib.sha256(json.dumps([asdict(self), table], default=str).encode()).hexdigest()[:16]


N_STEPS = 20
"""Steps of k-means; centroids need not be good, only apart."""
LARGEST = 4
"""A shard of more than so many times the average rows is searched in slices: copies of one row all go to one shard."""


class Shards(NamedTuple):
    """How rows are scaled, compared and dealt: to the `n_probes` nearest of the centroids (n_shards, d)."""

    scaling: Scaling
    metric: Metric
    centroids: NDArray[Any]
    n_probes: int


def compared(scaled: NDArray[np.float32], metric: Metric) -> NDArray[Any]:
    """Scaled rows in the coordinates in which Euclidean distance compares them."""
    return unit_rows(scaled, scaled.shape[1]) if metric == "cosine" else scaled


def place_centroids(points: NDArray[Any], n_shards: int, random_state: int) -> NDArray[Any]:
    """Centroids of a sample by k-means, (n_shards, d); fewer if the sample has fewer distinct points."""
    n_shards = min(n_shards, len(points))
    if n_shards == 1:
        return points.mean(axis=0, keepdims=True, dtype=np.float64).astype(points.dtype)
    from sklearn.cluster import MiniBatchKMeans

    seed = int(generator(random_state, "shards").integers(2**31))
    # One thread, so that sums are added in one order.
    with openmp_threads(1):
        fitted = MiniBatchKMeans(n_shards, n_init=1, max_iter=N_STEPS, batch_size=4096, random_state=seed).fit(points)
    return np.unique(fitted.cluster_centers_.astype(points.dtype), axis=0)


def deal_block(block: Any, first: int, place: Path, shards: Shards) -> Ids:
    """Write the scaled rows of a block, shard by shard, into a folder; return the number for each shard."""
    if not place.is_dir():
        scaled = shards.scaling.apply(checked_block(block, first))
        with worker_threads(1, len(scaled)):
            probes = neighbors_among(shards.centroids, compared(scaled, shards.metric), shards.n_probes).indices
        order = np.argsort(probes.ravel(), kind="stable")
        rows = order // probes.shape[1]
        starts = np.searchsorted(probes.ravel()[order], np.arange(len(shards.centroids) + 1))
        with scratch_folder(place.parent, f".{place.name}") as draft:
            save_arrays(draft, ids=first + rows, rows=scaled[rows], starts=starts)
            # Another worker may do the same meanwhile.
            with suppress(OSError):
                draft.rename(place)
    return np.diff(load_array(place, "starts"))


class Piece(NamedTuple):
    """A shard, or a slice of one that is too large: every `n_slices`-th of its rows, by numbers well mixed."""

    shard: int
    slice: int
    n_slices: int
    seed: int

    def path(self, work: Path) -> Path:
        """The file of its neighbors."""
        return work / f"neighbors-{self.shard:05d}-{self.slice:03d}.parquet"

    def read(self, places: list[Path]) -> tuple[Ids, NDArray[np.float32]]:
        """Numbers of its rows, ascending, and the rows."""
        ids, rows = [], []
        for place in places:
            span = slice(*load_array(place, "starts")[self.shard : self.shard + 2].tolist())
            numbers = load_array(place, "ids")[span]
            own = mix_bits(numbers.astype(np.uint64) + np.uint64(self.seed)) % np.uint64(self.n_slices) == self.slice
            ids.append(numbers[own])
            rows.append(load_array(place, "rows")[span][own])
        return np.concatenate(ids), np.concatenate(rows)


def cut_shards(sizes: Ids, shard_rows: int, random_state: int) -> list[Piece]:
    """The shards, and slices of those that are far larger than the average."""
    seed = int(generator(random_state, "slices").integers(2**31))
    counts = np.where(sizes > LARGEST * shard_rows, -(-sizes // shard_rows), 1)
    pieces = [Piece(shard, k, count, seed) for shard, count in enumerate(counts.tolist()) for k in range(count)]
    # The largest first, so that no worker is left alone with it at the end.
    return sorted(pieces, key=lambda piece: -sizes[piece.shard] / piece.n_slices)


def search_piece(piece: Piece, path: Path, places: list[Path], options: Options, alone: bool, bounds: Ids) -> None:
    """Write the neighbors of each row within a piece: source, target and squared distance, a row group per part."""
    if path.is_file():
        return
    ids, rows = piece.read(places)
    neighbors, squared = np.empty((len(rows), 0), np.int64), np.empty((len(rows), 0))
    how: dict[str, Any] = {"metric": options.metric, "algorithm": options.algorithm}
    with worker_threads(1, len(rows)):
        if alone:
            neighbors, squared, diagonal = weighed_neighbors(rows, options)
            np.save(path.with_suffix(".npy"), diagonal, allow_pickle=False)
        elif len(rows) > 1:
            neighbors, distances = nearest_neighbors(rows, options.n_neighbors, **how)
            squared = np.square(distances, out=distances)
    known = neighbors >= 0
    source = np.repeat(ids, known.sum(axis=1))
    Edges(source, ids[neighbors[known]], squared[known]).write(path, np.searchsorted(source, bounds))


def keep_best(part: int, path: Path, pieces: list[Path], n_neighbors: int) -> float:
    """Write the nearest distinct neighbors of each row of a part by (distance, id); the largest squared distance."""
    edges = Edges.gather(pieces, part)
    edges = edges.take(np.lexsort((edges.weight, edges.target, edges.source)))
    again = (np.diff(edges.source, prepend=-1) == 0) & (np.diff(edges.target, prepend=-1) == 0)
    edges = edges.take(~again)
    edges = edges.take(np.lexsort((edges.target, edges.weight, edges.source)))
    place = np.arange(edges.source.size) - np.searchsorted(edges.source, edges.source)
    edges = edges.take(place < n_neighbors)
    edges.write(path)
    return float(edges.weight.max(initial=0.0))
