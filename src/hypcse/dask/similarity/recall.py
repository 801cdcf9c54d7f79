"""How many of the true neighbours were found, measured on a sample of rows."""

from __future__ import annotations

from typing import Any

import dask.array as da
import distributed
import numpy as np
from numpy.typing import NDArray

from hypcse._threads import worker_threads
from hypcse.dask.engine import run_blocks
from hypcse.dask.similarity.search import Kept
from hypcse.dask.similarity.shards import Shards, compared
from hypcse.dask.similarity.table import checked_block
from hypcse.graph.neighbors import neighbors_among

LEAST = 0.95
"""A warning is given below."""


def measure_recall(
    client: distributed.Client, rows: da.Array, shards: Shards, points: NDArray[Any], kept: list[Kept], k: int
) -> float:
    """Share of the k neighbours of sampled rows that are no farther than the true ones, between 0 and 1.

    points : the sampled rows, as they compare, in the order in which `kept` has them.
    """
    found = np.concatenate([one.squared[:, :k] for one in kept])
    sure = np.full((len(points), k + 1), np.inf)
    blocks = [(shards, points, k + 1)] * rows.numblocks[0]
    for squared in run_blocks(client, nearest_in_block, rows, *zip(*blocks, strict=True)):
        sure = np.sort(np.concatenate([sure, squared], axis=1), axis=1)[:, : k + 1]
    # The first of all is the row itself. Distances of one pair may differ by rounding.
    true = sure[:, 1:]
    limit = np.where(np.isfinite(true), true, -np.inf).max(axis=1, initial=0.0) * (1 + 1e-6) + 1e-12
    n_true = np.isfinite(true).sum()
    return float((found <= limit[:, None]).sum() / n_true) if n_true else 1.0


def nearest_in_block(block: Any, first: int, shards: Shards, points: NDArray[Any], count: int) -> NDArray[np.float64]:
    """Squared distances of points, as they compare, to their nearest rows of a block, (m, count) or fewer."""
    others = compared(shards.scaling.apply(checked_block(block, first)), shards.metric)
    with worker_threads(1, len(others)):
        squared = np.square(neighbors_among(others, points, count).distances)
    return np.square(squared / 2) if shards.metric == "cosine" else squared
