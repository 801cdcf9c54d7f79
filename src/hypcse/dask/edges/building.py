"""Edges from Parquet, frames or chunks, brought into parts by source: written by chunk, read by part."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import Any, NamedTuple

import distributed
import numpy as np
import pyarrow as pa
from numpy.typing import NDArray
from pyarrow import parquet
from scipy import sparse
from scipy.sparse.csgraph import connected_components

from hypcse._checks import check_count, check_finite, real_numbers
from hypcse.dask.edges.files import (
    COLUMNS,
    UNFINISHED,
    Edges,
    Parts,
    join_edges,
    mark_unfinished,
    part_name,
    read_edges,
    write_edges,
)
from hypcse.dask.engine import run_tasks
from hypcse.graph.compressed import vertex_ids
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


class RowGroup(NamedTuple):
    """One row group of a Parquet file."""

    path: Path
    number: int


def parquet_sources(path: Path) -> list[RowGroup]:
    """The row groups of a Parquet file or of all in a folder, in the order of their names."""
    files = sorted(path.glob("*.parquet")) if path.is_dir() else [path]
    if not path.exists():
        raise FileNotFoundError(f"{path} does not exist.")
    if (path / UNFINISHED).exists():
        raise ValueError(f"{path} holds part of a graph whose making was stopped. Make it again from its edges.")
    if not files:
        raise ValueError(f"{path} holds no files named *.parquet.")
    found = []
    for file in files:
        try:
            with parquet.ParquetFile(file) as opened:
                _check_columns(str(file), opened.schema_arrow.names)
                found += [RowGroup(file.absolute(), number) for number in range(opened.num_row_groups)]
        except pa.ArrowInvalid:
            raise ValueError(f"{file} is damaged or not a Parquet file.") from None
    return found


def check_apart(path: Path, sources: list[RowGroup], folder: Path) -> None:
    """Raise where parts of a new graph would lie among the files of its edges, or could replace one."""
    place = folder.resolve()
    named = [source.path for source in sources if source.path.name.startswith("part-")]
    if place == path.resolve() or any(file.resolve().parent == place for file in named):
        raise ValueError(f"the edges of {path} are in {folder}, where the parts are to be. Name another folder.")


def frame_sources(frame: Any, folder: Path, client: distributed.Client) -> list[RowGroup]:
    """The row groups of a dask.dataframe, which Dask writes to a folder first, a partition at a time."""
    if not hasattr(frame, "to_parquet") or not hasattr(frame, "npartitions"):
        raise TypeError(f"a dask.dataframe is needed, got {type(frame).__name__}. Use dask.dataframe.from_pandas.")
    names = list(frame.columns)
    _check_columns("the table", names)
    kept = frame[[name for name in COLUMNS if name in names]]
    client.compute(kept.to_parquet(str(folder), write_index=False, compute=False), sync=True)
    return parquet_sources(folder)


def read_source(source: RowGroup) -> Edges:
    """The edges of a row group, checked."""
    with parquet.ParquetFile(source.path) as file:
        names = [name for name in COLUMNS if name in file.schema_arrow.names]
        table = file.read_row_group(source.number, names)
    columns = {name: table.column(name).to_numpy() for name in names}
    first, second = vertex_ids("source", columns["source"]), vertex_ids("target", columns["target"])
    weight = real_numbers("the weights", columns["weight"]) if "weight" in columns else np.ones(first.size)
    check_finite("the weights", weight)
    if min(first.min(initial=0), second.min(initial=0)) < 0:
        raise ValueError("an edge names a vertex below 0; vertices are numbered from 0.")
    if weight.min(initial=0) < 0:
        raise ValueError(f"an edge has the weight {weight.min()}; weights must not be negative.")
    return Edges(first, second, weight)


def _check_columns(place: str, names: list[str]) -> None:
    for name in ("source", "target"):
        if name not in names:
            raise ValueError(f"{place} has no column {name!r}; edges have source, target and an optional weight.")


Pairs = tuple[NDArray[np.int64], NDArray[np.int64]]


def find_components(parts: list[Path], n: int, client: distributed.Client) -> NDArray[np.int64]:
    """Label of the component of each vertex, numbered by smallest vertex. Memory O(n) here, O(part) on a worker."""
    labels, waiting, held = np.arange(n), [], 0
    for pairs in run_tasks(client, part_forest, parts):
        waiting.append(pairs)
        held += pairs[0].size
        if held > n:
            labels, waiting, held = _join(labels, waiting), [], 0
    return _join(labels, waiting) if waiting else labels


def part_forest(path: Path) -> Pairs:
    """Pairs (vertex, smallest vertex of its component in this part), for vertices that are not the smallest."""
    edges = read_edges(path)
    # The other half of the entries says the same.
    upper = edges.source < edges.target
    ids, ends = np.unique(np.concatenate([edges.source[upper], edges.target[upper]]), return_inverse=True)
    first, second = ends.reshape(2, -1)
    smallest = ids[_smallest_of(_labels(first, second, ids.size))]
    others = ids != smallest
    return ids[others], smallest[others]


def _join(labels: NDArray[np.int64], pairs: list[Pairs]) -> NDArray[np.int64]:
    """Labels of vertices after joining pairs of them, numbered by smallest vertex."""
    first = np.concatenate([one for one, _ in pairs])
    second = np.concatenate([other for _, other in pairs])
    found = _labels(labels[first], labels[second], int(labels.max(initial=-1)) + 1)
    return found[labels]


def _labels(first: NDArray[np.int64], second: NDArray[np.int64], n: int) -> NDArray[np.int64]:
    matrix: Any = sparse.coo_array((np.ones(first.size, np.bool_), (first, second)), shape=(n, n))
    return connected_components(matrix, directed=False)[1].astype(np.int64)


def _smallest_of(labels: NDArray[np.int64]) -> NDArray[np.int64]:
    """The first position of each label, for every position."""
    return np.unique(labels, return_index=True)[1][labels] if labels.size else labels
