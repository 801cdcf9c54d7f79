"""The first round: a graph's parts in files that a worker can hold."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import distributed
import numpy as np
from numpy.typing import NDArray

from hypcse.dask.engine import run_tasks
from hypcse.dask.graph import DistributedGraph
from hypcse.dask.linking.kept import Round
from hypcse.dask.linking.tasks import count_entries, split_part
from hypcse.dask.parts.files import part_name


def cut_bounds(counts: NDArray[np.int64], n_parts: int, limit: int) -> NDArray[np.int64]:
    """Where parts begin, at least so many, of at most `limit` entries each where no vertex has more by itself.

    >>> cut_bounds(np.array([3, 1, 1, 5, 9, 1]), 1, 6).tolist()
    [0, 3, 4, 5, 6]
    """
    wanted = min(limit, -(-int(counts.sum()) // max(1, n_parts)))
    before = np.concatenate([[0], np.cumsum(counts)])
    bounds = [0]
    while bounds[-1] < counts.size:
        end = int(np.searchsorted(before, before[bounds[-1]] + wanted, side="right")) - 1
        bounds.append(max(end, bounds[-1] + 1))
    return np.array(bounds, np.int64)


def split_graph(
    graph: DistributedGraph, folder: Path, limit: int, short: bool, client: distributed.Client
) -> tuple[Round, NDArray[np.int64]]:
    """Write the parts of a graph anew, of at most `limit` entries each, and how many entries each vertex has."""
    batch, paths = max(1, limit // 4), graph.part_paths
    spans = list(zip(graph.bounds[:-1].tolist(), graph.bounds[1:].tolist(), strict=True))
    counted = list(run_tasks(client, count_entries, paths, spans, [batch] * len(paths)))
    bounds, places, ends = [0], [], []
    for (low, high), counts in zip(spans, counted, strict=True):
        inner = (low + cut_bounds(counts, 1, limit)[1:]).tolist() if high > low else []
        places.append([folder / part_name(len(bounds) - 1 + k) for k in range(len(inner))])
        ends.append(inner)
        bounds += inner
    used = [k for k, inner in enumerate(ends) if inner]
    columns: tuple[list[Any], ...] = ([paths[k] for k in used], [places[k] for k in used], [ends[k] for k in used])
    list(run_tasks(client, split_part, *columns, [batch] * len(used), [short] * len(used)))
    counts = np.concatenate(counted)
    entries = np.add.reduceat(counts, bounds[:-1])
    return Round(folder, 0, np.array(bounds, np.int64), entries, {}), counts
