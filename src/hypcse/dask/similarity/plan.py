"""The options of a similarity graph, and what follows from them and the table: shards, samples, a fingerprint."""

from __future__ import annotations

import hashlib
import json
from dataclasses import asdict, dataclass

import numpy as np
from numpy.typing import NDArray

from hypcse._checks import check_count
from hypcse._random import check_seed, generator
from hypcse.dask.similarity.blocks import MAX_RANKED, Columns
from hypcse.graph.similarity import GraphOptions

MAX_SHARD_ROWS = 200_000
SHARD_BYTES = 64_000_000
"""Rows of a shard by default are so many, or fewer if they would take more memory."""
PER_CENTROID, LEAST_SAMPLE = 64, 10_000
"""Rows of the sample that k-means sees: so many per centroid, and so many at least."""
N_MEASURED = 500
"""Rows whose true neighbors are searched to measure recall."""


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
        """Ascending numbers of the rows that centroids and quantiles are learned from."""
        size = max(LEAST_SAMPLE, PER_CENTROID * self.n_shards(n, d), MAX_RANKED if self.scale == "rank" else 0)
        return _choose(self.random_state, "sample of rows", n, size)

    def measured(self, n: int) -> NDArray[np.int64]:
        """Ascending numbers of the rows that recall is measured on."""
        return _choose(self.random_state, "recall of rows", n, N_MEASURED)

    def fingerprint(self, columns: Columns) -> str:
        """Identifies the options, and the table by its shape, its precision and all of its values."""
        table = [columns.n_rows, columns.low.size, columns.low.dtype.name, columns.checksum]
        return hashlib.sha256(json.dumps([asdict(self), table], default=str).encode()).hexdigest()[:16]


def _choose(random_state: int, purpose: str, n: int, size: int) -> NDArray[np.int64]:
    if size >= n:
        return np.arange(n)
    return np.sort(generator(random_state, purpose).choice(n, size, replace=False))
