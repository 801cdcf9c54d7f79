"""What a similarity graph is asked for, and what follows from it and the table: shards, samples, a fingerprint."""

from __future__ import annotations

import hashlib
import json
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from hypcse._checks import check_choice, check_count
from hypcse._choices import Bandwidth, Metric, NeighborSearch, Scale
from hypcse._random import check_seed, generator
from hypcse.dask.similarity.table import MAX_RANKED, Columns
from hypcse.graph.similarity import check_similarity
from hypcse.storage.whole import write_file

MAX_SHARD_ROWS = 200_000
SHARD_BYTES = 64_000_000
"""Rows of a shard by default are so many, or fewer where they would take more memory."""
PER_CENTROID, LEAST_SAMPLE = 64, 10_000
"""Rows of the sample that k-means sees: so many per centroid, and so many at least."""
N_MEASURED = 500
"""Rows whose true neighbours are found to measure recall."""


@dataclass(frozen=True)
class Asked:
    """The arguments of `similarity_graph` that change its answer."""

    n_neighbors: int
    bandwidth: Bandwidth
    scale: Scale
    metric: Metric
    algorithm: NeighborSearch
    n_probes: int
    shard_rows: int | None
    random_state: int

    def check(self) -> None:
        """Raise for what is wrong whatever the table."""
        check_choice("scale", self.scale, Scale)
        check_choice("metric", self.metric, Metric)
        check_choice("algorithm", self.algorithm, NeighborSearch)
        check_similarity(self.n_neighbors, self.bandwidth)
        check_count("n_probes", self.n_probes, 1)
        check_seed(self.random_state)
        if self.shard_rows is not None:
            check_count("shard_rows", self.shard_rows, 2)
        if self.metric == "precomputed":
            raise ValueError(
                "metric='precomputed' is not for tables on a cluster. Make a graph of the distances and pass it: "
                "DistributedGraph.from_parquet."
            )

    def rows_of_shard(self, d: int) -> int:
        """Rows of a shard on average."""
        return self.shard_rows or max(2, min(MAX_SHARD_ROWS, SHARD_BYTES // (4 * d)))

    def n_shards(self, n: int, d: int) -> int:
        """How many shards rows are dealt to."""
        rows = self.rows_of_shard(d)
        return 1 if n <= rows else -(-n * self.n_probes // rows)

    def sampled(self, n: int, d: int) -> NDArray[np.int64]:
        """Numbers of the rows that centroids and quantiles are learned from, ascending."""
        size = max(LEAST_SAMPLE, PER_CENTROID * self.n_shards(n, d), MAX_RANKED if self.scale == "rank" else 0)
        return _choose(self.random_state, "sample of rows", n, size)

    def measured(self, n: int) -> NDArray[np.int64]:
        """Numbers of the rows that recall is measured on, ascending."""
        return _choose(self.random_state, "recall of rows", n, N_MEASURED)

    def fingerprint(self, columns: Columns) -> str:
        """Of the arguments and of the table: its shape, its precision and all of its values."""
        table = [columns.n_rows, columns.low.size, columns.low.dtype.name, columns.checksum]
        return hashlib.sha256(json.dumps([asdict(self), table], default=str).encode()).hexdigest()[:16]


def _choose(random_state: int, purpose: str, n: int, size: int) -> NDArray[np.int64]:
    if size >= n:
        return np.arange(n)
    return np.sort(generator(random_state, purpose).choice(n, size, replace=False))


PLAN = "plan.json"


class Cuts(NamedTuple):
    """Where files of the work begin and end.

    chunks : rows of each block that is dealt to shards.
    bounds : (n_parts + 1,) the rows at which parts begin.
    """

    chunks: tuple[int, ...]
    bounds: NDArray[np.int64]


def keep_cuts(work: Path, new: Cuts, n_parts: int | None) -> Cuts:
    """The cuts that a folder keeps, or new ones, which it keeps from now on.

    Blocks are those of the first call. So are parts, unless another number of them is asked for: neighbours are then
    searched again, because their files are cut by part.
    """
    path = work / PLAN
    if not path.is_file():
        _write(path, new)
        return new
    told = json.loads(path.read_text(encoding="utf-8"))
    kept = Cuts(tuple(told["chunks"]), np.array(told["bounds"], np.int64))
    if n_parts is None or np.array_equal(kept.bounds, new.bounds):
        return kept
    for file in work.glob("near-*"):
        file.unlink()
    again = kept._replace(bounds=new.bounds)
    _write(path, again)
    return again


def _write(path: Path, cuts: Cuts) -> None:
    write_file(path, json.dumps({"chunks": list(cuts.chunks), "bounds": cuts.bounds.tolist()}))
