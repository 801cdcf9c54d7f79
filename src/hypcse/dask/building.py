"""Edges from Parquet or frames, brought into parts by source: written by chunk, read by part."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Iterable, Iterator
from itertools import pairwise
from pathlib import Path
from typing import NamedTuple

import numpy as np
from distributed import Client
from pyarrow import parquet

from hypcse._checks import check_count, check_finite, real_numbers
from hypcse.dask.client import run_tasks
from hypcse.dask.edge_files import (
    COLUMNS,
    UNFINISHED,
    Edges,
    Parts,
    connected,
    mark_unfinished,
    new_files,
    parquet_files,
    part_path,
    write_metadata,
)
from hypcse.graph.compressed import vertex_ids
from hypcse.graph.graph import MAX_SPREAD, MAX_VOLUME
from hypcse.kernels.arrays import Ids, Reals
from hypcse.kernels.linkage.merges import shorten
from hypcse.storage.files import hold_folder

ENTRIES_PER_PART = 2_000_000
"""Entries of a part by default, about 50 MB in memory, and a few times that while they are sorted."""


Part = tuple[int, float, Reals, Reals]
"""The number of entries of a part, its least weight, and its share of `self_weights` and of `edge_degrees`."""


class RowGroup(NamedTuple):
    """One row group of a Parquet file."""

    path: Path
    number: int


def build_parts(
    sources: list[RowGroup], folder: Path, n_vertices: int | None, n_parts: int | None, client: Client
) -> Parts:
    """Write the folder of the graph of edges given once each, in either direction."""
    with hold_folder(folder):
        measured = list(run_tasks(client, measure_source, sources))
        least = 1 + max((largest for largest, _ in measured), default=-1)
        n = max(least, 1) if n_vertices is None else check_count("n_vertices", n_vertices, 1)
        if n < least:
            raise ValueError(f"an edge names vertex {least - 1}, but vertices are 0 .. {n - 1}.")
        bounds = part_bounds(n, 2 * sum(count for _, count in measured), n_parts, client)
        chunks = new_files(folder / "moved", len(sources))
        list(run_tasks(client, scatter_source, sources, chunks, bounds=bounds))
        parts = gather_parts(chunks, folder, bounds, client)
        shutil.rmtree(folder / "moved")
        write_metadata(folder, parts, {})
    return parts


def part_bounds(n: int, n_entries: int, n_parts: int | None, client: Client) -> Ids:
    """Where parts of equally many vertices begin: by default one per 2 million entries, and one per worker at least."""
    if n_parts is None:
        n_parts = max(-(-n_entries // ENTRIES_PER_PART), len(client.nthreads()))
    count = min(check_count("n_parts", n_parts, 1), n)
    return np.linspace(0, n, count + 1).astype(np.int64)


def measure_source(source: RowGroup) -> tuple[int, int]:
    """The largest vertex of a chunk (-1 without any) and its number of edges."""
    edges = read_source(source)
    return int(max(edges.source.max(initial=-1), edges.target.max(initial=-1))), edges.source.size


def scatter_source(source: RowGroup, path: Path, bounds: Ids) -> None:
    """Write both directions of the edges of a chunk."""
    scatter_parts(path, read_source(source).both_ways(), bounds)


def scatter_parts(path: Path, edges: Edges, bounds: Ids) -> None:
    """Write directed entries, merged, with one row group per part, that of their sources."""
    merged = edges.merged()
    merged.write(path, np.searchsorted(merged.source, bounds))


def gather_parts(
    chunks: list[Path],
    folder: Path,
    bounds: Ids,
    client: Client,
    floor: float = 0.0,
    track: Callable[[Iterator[Part]], Iterable[Part]] = iter,
) -> Parts:
    """Merge the row groups of each part over all chunks, and write the parts."""
    paths = new_files(folder, bounds.size - 1)
    mark_unfinished(folder)
    spans = pairwise(bounds.tolist())
    parts = track(run_tasks(client, gather_part, range(len(paths)), paths, spans, chunks=chunks, floor=floor))
    sizes, lightest, loops, degrees = zip(*parts, strict=True)
    self_weights, edge_degrees = np.concatenate(loops), np.concatenate(degrees)
    least, total = min(lightest), float(self_weights.sum() + edge_degrees.sum())
    if not total < MAX_VOLUME:
        raise ValueError(f"the weights add up to {total:.3g}; the limit is {MAX_VOLUME}. Divide them by a constant.")
    if least * MAX_SPREAD < total:
        raise ValueError(
            f"the lightest weight is {least:.3g}, and all add up to {total:.3g}: more than {MAX_SPREAD:.0e} times as "
            "much. Leave out such edges, or raise them."
        )
    return Parts(bounds, np.array(sizes), self_weights, edge_degrees)


def gather_part(part: int, path: Path, span: tuple[int, int], chunks: list[Path], floor: float) -> Part:
    """Merge one part and write it; loops become self-weights, and entries of weight 0 are left out."""
    low, high = span
    merged = Edges.gather(chunks, part).merged()
    merged = merged._replace(weight=np.maximum(merged.weight, floor))
    loops = merged.source == merged.target
    self_weights, degrees = np.zeros(high - low), np.zeros(high - low)
    self_weights[merged.source[loops] - low] = merged.weight[loops]
    edges = merged.take(~loops & (merged.weight > 0))
    edges.write(path)
    source, first = np.unique(edges.source, return_index=True)
    if source.size:
        # As `Graph` adds up its rows.
        degrees[source - low] = np.add.reduceat(edges.weight, first)
    return (edges.source.size, float(edges.weight.min(initial=np.inf)), self_weights, degrees)


def cut_graph(
    paths: list[Path], bounds: Ids, folder: Path, limit: int, client: Client, *, short: bool
) -> tuple[Ids, Ids]:
    """Write parts in pieces of at most `limit` entries: where they begin and end, and how many entries vertices have.

    `short` rounds weights, so that their sums are exact.
    """
    spans = pairwise(bounds.tolist())
    pieces = list(run_tasks(client, cut_part, paths, spans, folder=folder, limit=limit, short=short))
    firsts, counts = (np.concatenate(side) for side in zip(*pieces, strict=True))
    return np.append(firsts, bounds[-1]), counts


def cut_part(path: Path, span: tuple[int, int], folder: Path, limit: int, short: bool) -> tuple[Ids, Ids]:
    """Write a part in pieces; the first vertex of each, and how many entries each vertex has."""
    edges = Edges.read(path)
    if short:
        edges = edges._replace(weight=shorten(edges.weight))
    counts = np.bincount(edges.source - span[0], minlength=span[1] - span[0])
    bounds = span[0] + cut_bounds(counts, 1, limit)
    cuts = np.searchsorted(edges.source, bounds)
    for piece, start, stop in zip(piece_paths(folder, bounds), cuts[:-1], cuts[1:], strict=True):
        edges.take(slice(start, stop)).write(piece)
    return bounds[:-1], counts


def cut_bounds(counts: Ids, n_parts: int, limit: int) -> Ids:
    """Where parts begin: at least `n_parts`, of at most `limit` entries each unless one vertex has more by itself."""
    size = min(limit, -(-int(counts.sum()) // max(1, n_parts)))
    before = np.concatenate([[0], np.cumsum(counts)])
    bounds = [0]
    while bounds[-1] < counts.size:
        end = int(np.searchsorted(before, before[bounds[-1]] + size, side="right")) - 1
        bounds.append(max(end, bounds[-1] + 1))
    return np.array(bounds, np.int64)


def piece_paths(folder: Path, bounds: Ids) -> list[Path]:
    """The files of pieces, each named by its first vertex."""
    return [part_path(folder, first) for first in bounds[:-1].tolist()]


def parquet_sources(path: Path) -> list[RowGroup]:
    """The row groups of a Parquet file or of all in a folder, in the order of their names."""
    if (path / UNFINISHED).exists():
        raise ValueError(f"{path} holds part of a graph whose making was stopped. Make it again from its edges.")
    sources = []
    for file, opened in parquet_files(path):
        for name in ("source", "target"):
            if name not in opened.schema_arrow.names:
                raise ValueError(f"{file} has no column {name!r}; edges have source, target and an optional weight.")
        sources += [RowGroup(file, number) for number in range(opened.num_row_groups)]
    return sources


def check_apart(path: Path, sources: list[RowGroup], folder: Path) -> None:
    """Raise if parts of a new graph would lie among the files of its edges, or could replace one."""
    place = folder.resolve()
    parts = [source.path for source in sources if source.path.name.startswith("part-")]
    if place == path.resolve() or any(file.resolve().parent == place for file in parts):
        raise ValueError(f"the edges of {path} are in {folder}, where the parts are to be. Name another folder.")


def read_source(source: RowGroup) -> Edges:
    """The edges of a row group, checked."""
    with parquet.ParquetFile(source.path) as file:
        names = [name for name in COLUMNS if name in file.schema_arrow.names]
        table = file.read_row_group(source.number, names)
    columns = {name: table.column(name).to_numpy() for name in names}
    first, second = vertex_ids("source", columns["source"]), vertex_ids("target", columns["target"])
    weight = real_numbers("the weights", columns["weight"]) if "weight" in columns else np.ones(first.size)
    check_finite("the weights", weight)
    if weight.min(initial=0) < 0:
        raise ValueError(f"an edge has the weight {weight.min()}; weights must not be negative.")
    return Edges(first, second, weight)


Pairs = tuple[Ids, Ids]


def find_components(parts: list[Path], n: int, client: Client) -> Ids:
    """Label of the component of each vertex, numbered by smallest vertex. Memory O(n) here, O(part) on a worker."""
    labels, waiting, n_waiting = np.arange(n), [], 0
    for pairs in run_tasks(client, part_components, parts):
        waiting.append(pairs)
        n_waiting += pairs[0].size
        if n_waiting > n:
            labels, waiting, n_waiting = _join(labels, waiting), [], 0
    return _join(labels, waiting) if waiting else labels


def part_components(path: Path) -> Pairs:
    """Each vertex of a part's edges, and the smallest vertex of its component in this part."""
    # The other half of the entries says the same.
    edges = Edges.read(path).upper()
    ids, ends = np.unique(np.concatenate([edges.source, edges.target]), return_inverse=True)
    first, second = ends.reshape(2, -1)
    labels = connected(first, second, ids.size)
    return ids, ids[np.unique(labels, return_index=True)[1][labels]]


def _join(labels: Ids, pairs: list[Pairs]) -> Ids:
    """Labels of vertices after joining pairs of them, numbered by smallest vertex."""
    first, second = (np.concatenate(side) for side in zip(*pairs, strict=True))
    return connected(labels[first], labels[second], int(labels.max(initial=-1)) + 1)[labels]
