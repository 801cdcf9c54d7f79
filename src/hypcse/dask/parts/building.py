"""Edges that come in chunks, brought into parts by source: written by chunk, read by part."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import NamedTuple

import distributed
import numpy as np
from numpy.typing import NDArray

from hypcse._checks import check_count
from hypcse.dask.engine import run_tasks
from hypcse.dask.parts.edges import Edges, join_edges, read_edges, write_edges
from hypcse.dask.parts.files import Parts, mark_unfinished, part_name
from hypcse.dask.parts.sources import RowGroup, read_source
from hypcse.graph.graph import MAX_SPREAD, MAX_VOLUME

ENTRIES_PER_PART = 2_000_000
"""Entries of a part by default, about 50 MB in memory, and a few times that while they are sorted."""


class Part(NamedTuple):
    """What is known of one part when its file is written."""

    n_entries: int
    least: float
    self_weights: NDArray[np.float64]
    edge_degrees: NDArray[np.float64]


def build_parts(
    sources: list[RowGroup], folder: Path, n_vertices: int | None, n_parts: int | None, client: distributed.Client
) -> Parts:
    """Write the parts of the graph of edges given once each, in either direction."""
    told = list(run_tasks(client, measure_source, sources))
    least = 1 + max((largest for largest, _ in told), default=-1)
    n = max(least, 1) if n_vertices is None else check_count("n_vertices", n_vertices, 1)
    if n < least:
        raise ValueError(f"an edge names vertex {least - 1}, but vertices are 0 .. {n - 1}.")
    bounds = part_bounds(n, 2 * sum(count for _, count in told), n_parts, client)
    moved = folder / "moved"
    moved.mkdir(exist_ok=True)
    chunks = [moved / f"chunk-{number:05d}.parquet" for number in range(len(sources))]
    list(run_tasks(client, scatter_source, sources, chunks, [bounds] * len(chunks)))
    parts = gather_parts(chunks, folder, bounds, client)
    shutil.rmtree(moved)
    return parts


def part_bounds(n: int, n_entries: int, n_parts: int | None, client: distributed.Client) -> NDArray[np.int64]:
    """Where parts of equally many vertices begin: by default one per 2 million entries, and one per worker at least."""
    if n_parts is None:
        n_parts = max(-(-n_entries // ENTRIES_PER_PART), len(client.nthreads()))
    count = min(check_count("n_parts", n_parts, 1), n)
    return np.linspace(0, n, count + 1).astype(np.int64)


def measure_source(source: RowGroup) -> tuple[int, int]:
    """The largest vertex of a chunk (-1 without any) and how many edges it holds."""
    edges = read_source(source)
    return int(max(edges.source.max(initial=-1), edges.target.max(initial=-1))), edges.source.size


def scatter_source(source: RowGroup, path: Path, bounds: NDArray[np.int64]) -> None:
    """Write both directions of the edges of a chunk, one row group per part."""
    scatter_edges(read_source(source).both_ways(), path, bounds)


def scatter_edges(edges: Edges, path: Path, bounds: NDArray[np.int64]) -> None:
    """Write directed entries to a file with one row group per part, that of their sources."""
    merged = edges.merged()
    write_edges(path, merged, np.searchsorted(merged.source, bounds))


def gather_parts(
    chunks: list[Path],
    folder: Path,
    bounds: NDArray[np.int64],
    client: distributed.Client,
    finish: Callable[[NDArray[np.float64]], NDArray[np.float64]] | None = None,
    track: Callable[[Iterator[Part]], Iterable[Part]] = iter,
) -> Parts:
    """Merge the row groups of each part over all chunks, and write the parts.

    finish : applied to merged weights.
    track  : through which what is known of the parts passes one by one, to be told.
    """
    numbers = range(bounds.size - 1)
    places = [folder / part_name(part) for part in numbers]
    spans = [(int(bounds[part]), int(bounds[part + 1])) for part in numbers]
    mark_unfinished(folder)
    tasks = [(chunks, part, places[part], spans[part], finish) for part in numbers]
    told = list(track(run_tasks(client, gather_part, *zip(*tasks, strict=True))))
    self_weights = np.concatenate([part.self_weights for part in told])
    edge_degrees = np.concatenate([part.edge_degrees for part in told])
    _check_weights(min(part.least for part in told), float(self_weights.sum() + edge_degrees.sum()))
    return Parts(bounds, np.array([part.n_entries for part in told]), self_weights, edge_degrees)


def _check_weights(least: float, total: float) -> None:
    """Raise for weights that no graph in memory may have either."""
    if not total < MAX_VOLUME:
        raise ValueError(f"the weights add up to {total:.3g}; the limit is {MAX_VOLUME}. Divide them by a constant.")
    if least * MAX_SPREAD < total:
        raise ValueError(
            f"the lightest weight is {least:.3g}, and all add up to {total:.3g}: more than {MAX_SPREAD:.0e} times as "
            "much. Leave out such edges, or raise them."
        )


def gather_part(
    chunks: list[Path],
    part: int,
    place: Path,
    span: tuple[int, int],
    finish: Callable[[NDArray[np.float64]], NDArray[np.float64]] | None = None,
) -> Part:
    """Merge one part and write it; loops become self-weights, and entries of no weight are no edges."""
    low, high = span
    merged = join_edges(read_edges(chunk, part) for chunk in chunks).merged()
    if finish is not None:
        merged = merged._replace(weight=finish(merged.weight))
    loops = merged.source == merged.target
    self_weights = np.zeros(high - low)
    self_weights[merged.source[loops] - low] = merged.weight[loops]
    edges = merged.take(~loops & (merged.weight > 0))
    write_edges(place, edges)
    return Part(edges.source.size, float(edges.weight.min(initial=np.inf)), self_weights, row_sums(edges, low, high))


def row_sums(edges: Edges, low: int, high: int) -> NDArray[np.float64]:
    """Sum of the weights of each source from `low` to below `high`, of entries sorted by source."""
    counts = np.bincount(edges.source - low, minlength=high - low)
    starts, filled = np.cumsum(counts) - counts, counts > 0
    sums = np.zeros(high - low)
    if edges.source.size:
        sums[filled] = np.add.reduceat(edges.weight, starts[filled])
    return sums
