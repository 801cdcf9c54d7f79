"""What workers do in a round of average or Paris linkage. Each task writes its files whole, so it can be run again."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from pyarrow import parquet
from scipy import sparse

from hypcse.dask.edges.files import COLUMNS, Edges, join_edges, read_edges, write_edges
from hypcse.kernels.linkage.chains import chain_merges
from hypcse.kernels.linkage.merges import Merges, shorten
from hypcse.kernels.linkage.rounds import nearest_in_rows

Span = tuple[int, int]


class Found(NamedTuple):
    """What is known of the clusters of a part: number of neighbours, the nearest of them, and how close it is."""

    counts: NDArray[np.int64]
    nearest: NDArray[np.int64]
    closeness: NDArray[np.float64]


def stream_edges(path: Path, n_entries: int) -> Iterator[Edges]:
    """The entries of a file, so many at a time."""
    with parquet.ParquetFile(path) as file:
        for batch in file.iter_batches(n_entries, columns=list(COLUMNS)):
            yield Edges(*(batch.column(name).to_numpy() for name in COLUMNS))


def count_entries(path: Path, span: Span, n_entries: int) -> NDArray[np.int64]:
    """How many entries each source of a part has, read so many at a time."""
    counts = np.zeros(span[1] - span[0], np.int64)
    for edges in stream_edges(path, n_entries):
        counts += np.bincount(edges.source - span[0], minlength=counts.size)
    return counts


def split_part(path: Path, places: list[Path], ends: list[int], n_entries: int, short: bool) -> None:
    """Write a part, sorted by source, in several files, each up to another source; `short` cuts weights to few bits."""
    waiting: list[Edges] = []
    place = 0
    for edges in stream_edges(path, n_entries):
        while place + 1 < len(places) and edges.source.size and edges.source[-1] >= ends[place]:
            cut = int(np.searchsorted(edges.source, ends[place]))
            _write_short(places[place], [*waiting, edges.take(slice(cut))], short)
            waiting, edges, place = [], edges.take(slice(cut, None)), place + 1
        waiting.append(edges)
    for rest in places[place:]:
        _write_short(rest, waiting, short)
        waiting = []


def _write_short(path: Path, several: list[Edges], short: bool) -> None:
    edges = join_edges(several)
    write_edges(path, edges._replace(weight=shorten(edges.weight)) if short else edges)


def find_nearest(path: Path, span: Span, vertices: Path) -> Found:
    """The nearest neighbour of each cluster of a part; `vertices` is the folder of the arrays mass and rank."""
    return _nearest(read_edges(path), span, vertices)


def _nearest(edges: Edges, span: Span, vertices: Path) -> Found:
    mass, rank = (np.load(vertices / f"{name}.npy", mmap_mode="r") for name in ("mass", "rank"))
    counts = np.bincount(edges.source - span[0], minlength=span[1] - span[0])
    indptr = np.concatenate([[0], np.cumsum(counts)])
    closeness = edges.weight / mass[edges.target]
    return Found(counts, *nearest_in_rows(indptr, np.array(edges.target), closeness, rank[edges.target]))


def scatter_groups(path: Path, place: Path, groups: NDArray[np.int64], first: int, n_groups: int) -> None:
    """Write the entries of a part with one row group per group, that of their sources; -1 is no group."""
    edges = read_edges(path)
    group = groups[edges.source - first]
    order = np.argsort(group, kind="stable")
    cuts = np.searchsorted(group[order], np.arange(n_groups + 1))
    write_edges(place, edges.take(order[cuts[0] :]), cuts - cuts[0])


def merge_group(chunks: list[Path], group: int, vertices: Path) -> Merges:
    """The merges inside a group that are certain: those that no cluster outside, frozen here, can come between."""
    edges = join_edges(read_edges(chunk, group) for chunk in chunks)
    mass, rank = (np.load(vertices / f"{name}.npy", mmap_mode="r") for name in ("mass", "rank"))
    own, counts = np.unique(edges.source, return_counts=True)
    place = np.searchsorted(own, edges.target)
    outside = own[np.minimum(place, own.size - 1)] != edges.target
    others, position = np.unique(edges.target[outside], return_inverse=True)
    place[outside] = own.size + position
    ids = np.concatenate([own, others])
    indptr = np.concatenate([[0], np.cumsum(counts), np.full(others.size, edges.source.size)])
    frozen = np.arange(ids.size) >= own.size
    merges = chain_merges(indptr, place.astype(np.int32), edges.weight, mass[ids], rank=rank[ids], frozen=frozen)
    return ids[merges[0]], ids[merges[1]]


def contract_part(path: Path, place: Path, labels: Path, bounds: NDArray[np.int64]) -> int:
    """Write entries between new clusters, parallel ones added up, one row group per new part; how many there are."""
    edges, label = read_edges(path), np.load(labels, mmap_mode="r")
    named = Edges(label[edges.source], label[edges.target], edges.weight)
    merged = add_parallel(named.take(named.source != named.target), (0, int(bounds[-1])), int(bounds[-1]))
    write_edges(place, merged, np.searchsorted(merged.source, bounds))
    return merged.source.size


def add_parallel(edges: Edges, span: Span, n: int) -> Edges:
    """Entries with sources in a span and targets below n, sorted by (source, target), parallel ones added up. O(m).

    In whatever order: sums of weights that `shorten` made are exact.
    """
    ends = edges.source - span[0], edges.target
    rows = sparse.coo_array((edges.weight, ends), shape=(span[1] - span[0], n)).tocsr()
    rows.sum_duplicates()
    source = np.repeat(np.arange(*span), np.diff(rows.indptr))
    return Edges(source, rows.indices.astype(np.int64), rows.data)


def gather_contracted(chunks: list[Path], part: int, place: Path, span: Span, vertices: Path) -> Found:
    """Add up the entries of a new part over all chunks, write them, and find nearest neighbours."""
    n = np.load(vertices / "mass.npy", mmap_mode="r").size
    edges = add_parallel(join_edges(read_edges(chunk, part) for chunk in chunks), span, n)
    write_edges(place, edges)
    return _nearest(edges, span, vertices)
