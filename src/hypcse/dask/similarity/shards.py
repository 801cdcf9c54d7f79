"""Rows dealt to shards of near ones: every row goes to those of its nearest centroids."""

from __future__ import annotations

import os
import secrets
import shutil
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from hypcse._choices import Metric
from hypcse._random import generator
from hypcse._threads import openmp_threads, worker_threads
from hypcse.dask.edges.files import mix_bits
from hypcse.dask.similarity.table import checked_block
from hypcse.graph.neighbors.search import neighbors_among, unit_rows
from hypcse.graph.scales import Scaling

N_STEPS = 20
"""Steps of k-means; centroids need not be good, only apart."""
LARGEST = 4
"""A shard of more than so many times the average rows is searched in slices: copies of one row all go to one shard."""


class Shards(NamedTuple):
    """How rows are scaled, compared and dealt.

    centroids : (n_shards, d) in the coordinates that rows compare by.
    n_probes  : shards that every row goes to.
    """

    scaling: Scaling
    metric: Metric
    centroids: NDArray[Any]
    n_probes: int

    @property
    def n_shards(self) -> int:
        return len(self.centroids)


def place_centroids(points: NDArray[Any], n_shards: int, random_state: int) -> NDArray[Any]:
    """Centroids of a sample by k-means, (n_shards, d); fewer where the sample has fewer distinct points."""
    n_shards = min(n_shards, len(points))
    if n_shards == 1:
        return points.mean(axis=0, keepdims=True, dtype=np.float64).astype(points.dtype)
    from sklearn.cluster import MiniBatchKMeans

    seed = int(generator(random_state, "shards").integers(2**31))
    # One thread, so that sums are added in one order.
    with openmp_threads(1):
        fitted = MiniBatchKMeans(n_shards, n_init=1, max_iter=N_STEPS, batch_size=4096, random_state=seed).fit(points)
    return np.unique(fitted.cluster_centers_.astype(points.dtype), axis=0)


def compared(scaled: NDArray[np.float32], metric: Metric) -> NDArray[Any]:
    """Rows as they compare by Euclidean distance."""
    return unit_rows(scaled) if metric == "cosine" else scaled


def deal_block(block: Any, first: int, place: Path, shards: Shards) -> NDArray[np.int64]:
    """Write the scaled rows of a block, shard by shard, into a folder; how many each shard gets."""
    if not place.is_dir():
        scaled = shards.scaling.apply(checked_block(block, first))
        with worker_threads(1, len(scaled)):
            probes = neighbors_among(shards.centroids, compared(scaled, shards.metric), shards.n_probes).indices
        order = np.argsort(probes.ravel(), kind="stable")
        rows = order // probes.shape[1]
        starts = np.searchsorted(probes.ravel()[order], np.arange(shards.n_shards + 1))
        _write_arrays(place, {"ids": first + rows, "rows": scaled[rows], "starts": starts})
    return np.diff(np.load(place / "starts.npy", allow_pickle=False))


class Piece(NamedTuple):
    """A shard, or a slice of one that is too large: every `n_slices`-th of its rows, by numbers well mixed."""

    shard: int
    slice: int = 0
    n_slices: int = 1
    seed: int = 0

    def path(self, work: Path) -> Path:
        """The file of its neighbours."""
        return work / f"near-{self.shard:05d}-{self.slice:03d}.parquet"

    def holds(self, ids: NDArray[np.int64]) -> NDArray[np.bool_]:
        """Which rows of the shard belong here."""
        mixed = mix_bits(ids.astype(np.uint64) + np.uint64(self.seed))
        return mixed % np.uint64(self.n_slices) == self.slice


def cut_shards(sizes: NDArray[np.int64], shard_rows: int, random_state: int) -> list[Piece]:
    """The shards, and slices of those that are far larger than the average; the largest first."""
    seed = int(generator(random_state, "slices").integers(2**31))
    counts = np.where(sizes > LARGEST * shard_rows, -(-sizes // shard_rows), 1)
    pieces = [Piece(shard, k, count, seed) for shard, count in enumerate(counts.tolist()) for k in range(count)]
    # So that no worker is left alone with the largest at the end.
    return sorted(pieces, key=lambda piece: -sizes[piece.shard] / piece.n_slices)


def read_piece(places: list[Path], piece: Piece) -> tuple[NDArray[np.int64], NDArray[np.float32]]:
    """Numbers of the rows of a shard or a slice of it, ascending, and the rows."""
    ids, rows = [], []
    for place in places:
        starts = np.load(place / "starts.npy", allow_pickle=False, mmap_mode="r")
        span = slice(int(starts[piece.shard]), int(starts[piece.shard + 1]))
        numbers = np.load(place / "ids.npy", allow_pickle=False, mmap_mode="r")[span]
        own = piece.holds(numbers)
        ids.append(numbers[own])
        rows.append(np.load(place / "rows.npy", allow_pickle=False, mmap_mode="r")[span][own])
    return np.concatenate(ids), np.concatenate(rows)


def _write_arrays(place: Path, arrays: dict[str, NDArray[Any]]) -> None:
    """Write arrays into a folder, whole; another that did the same meanwhile is as good."""
    draft = place.with_name(f".{place.name}.{secrets.token_hex(4)}")
    draft.mkdir()
    for name, array in arrays.items():
        np.save(draft / f"{name}.npy", array, allow_pickle=False)
    try:
        os.rename(draft, place)
    except OSError:
        if not place.is_dir():
            raise
        shutil.rmtree(draft)
