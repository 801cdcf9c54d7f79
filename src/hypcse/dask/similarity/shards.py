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
from hypcse.dask.similarity.table import checked_block
from hypcse.graph.features import Scaling
from hypcse.graph.neighbors import neighbors_among, unit_rows

N_STEPS = 20
"""Steps of k-means; centroids need not be good, only apart."""


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


def read_shard(places: list[Path], shard: int) -> tuple[NDArray[np.int64], NDArray[np.float32]]:
    """Numbers of the rows of a shard, ascending, and the rows."""
    ids, rows = [], []
    for place in places:
        starts = np.load(place / "starts.npy", allow_pickle=False, mmap_mode="r")
        span = slice(int(starts[shard]), int(starts[shard + 1]))
        ids.append(np.load(place / "ids.npy", allow_pickle=False, mmap_mode="r")[span])
        rows.append(np.load(place / "rows.npy", allow_pickle=False, mmap_mode="r")[span])
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
