"""Neighbours within shards, and for each row the best of all shards that it went to."""

from __future__ import annotations

from pathlib import Path
from typing import Any, NamedTuple

import dask.array as da
import distributed
import numpy as np
from numpy.typing import NDArray

from hypcse._choices import Metric, NeighborSearch
from hypcse._threads import worker_threads
from hypcse.dask.edges.files import Edges, join_edges, read_edges, write_edges
from hypcse.dask.engine import run_blocks
from hypcse.dask.similarity.shards import Piece, Shards, compared, read_piece
from hypcse.dask.similarity.table import checked_block
from hypcse.graph.neighbors.search import nearest_neighbors, neighbors_among
from hypcse.graph.similarity import weighed_neighbors


class Search(NamedTuple):
    """What is looked for and how; whether there is one shard alone, and where parts begin."""

    n_neighbors: int
    metric: Metric
    algorithm: NeighborSearch
    alone: bool
    bounds: NDArray[np.int64]


class Kept(NamedTuple):
    """What is known of the neighbours of the rows of a part: the largest squared distance, and those of a sample.

    ids     : (m,) rows of the sample that the part holds.
    squared : (m, k) squared distances to their neighbours, padded with infinity.
    """

    largest: float
    ids: NDArray[np.int64]
    squared: NDArray[np.float64]


def search_piece(places: list[Path], piece: Piece, path: Path, search: Search) -> None:
    """Write the neighbours of each row within a piece: source, target and squared distance, a row group per part.

    One shard alone is searched as a table in memory is, its diagonal is written beside.
    """
    if path.is_file():
        return
    ids, rows = read_piece(places, piece)
    how: dict[str, Any] = {"metric": search.metric, "algorithm": search.algorithm}
    with worker_threads(1, len(rows)):
        if search.alone:
            near, squared, diagonal = weighed_neighbors(rows, search.n_neighbors, **how)
            np.save(path.with_suffix(".npy"), diagonal, allow_pickle=False)
        elif len(rows) > 1:
            near, distances = nearest_neighbors(rows, search.n_neighbors, **how)
            squared = np.square(distances, out=distances)
        else:
            near, squared = np.empty((len(rows), 0), np.int64), np.empty((len(rows), 0))
    known = near >= 0
    source = np.repeat(ids, known.sum(axis=1))
    edges = Edges(source, ids[near[known]], squared[known])
    write_edges(path, edges, np.searchsorted(source, search.bounds))


def keep_best(found: list[Path], part: int, path: Path, n_neighbors: int, sample: NDArray[np.int64]) -> Kept:
    """Write the nearest distinct neighbours of each row of a part by (distance, id)."""
    edges = _best(join_edges(read_edges(file, part) for file in found), n_neighbors)
    write_edges(path, edges)
    squared = np.full((sample.size, n_neighbors), np.inf)
    starts = np.searchsorted(edges.source, sample)
    stops = np.searchsorted(edges.source, sample, side="right")
    for row, (start, stop) in enumerate(zip(starts, stops, strict=True)):
        squared[row, : stop - start] = edges.weight[start:stop]
    return Kept(float(edges.weight.max(initial=0.0)), sample, squared)


def _best(edges: Edges, n_neighbors: int) -> Edges:
    """The first `n_neighbors` distinct targets of each source by (distance, id), sorted by source."""
    ordered = edges.take(np.lexsort((edges.weight, edges.target, edges.source)))
    again = (np.diff(ordered.source, prepend=-1) == 0) & (np.diff(ordered.target, prepend=-1) == 0)
    single = ordered.take(~again)
    single = single.take(np.lexsort((single.target, single.weight, single.source)))
    firsts = np.searchsorted(single.source, single.source)
    return single.take(np.arange(single.source.size) - firsts < n_neighbors)


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
