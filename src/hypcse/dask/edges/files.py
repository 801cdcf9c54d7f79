"""The folder of a graph: its parts, its arrays over vertices, and the metadata that mark it as whole."""

from __future__ import annotations

import json
import os
import secrets
from collections.abc import Iterable
from pathlib import Path
from typing import NamedTuple

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray
from pyarrow import parquet

from hypcse._arrays import freeze
from hypcse.storage.whole import write_file

METADATA, UNFINISHED = "graph.json", "graph.unfinished"
VERTEX_ARRAYS = ("self_weights", "edge_degrees")


class Parts(NamedTuple):
    """What is known of a graph when the files of its parts are written; see `DistributedGraph`."""

    bounds: NDArray[np.int64]
    part_entries: NDArray[np.int64]
    self_weights: NDArray[np.float64]
    edge_degrees: NDArray[np.float64]


class About(NamedTuple):
    """How a similarity graph was made; None where it is not known.

    bandwidth   : of its weights.
    recall      : share of the true neighbours that were found, as measured on a sample.
    fingerprint : of the table and of the arguments.
    """

    bandwidth: float | None = None
    recall: float | None = None
    fingerprint: str | None = None


def part_name(part: int) -> str:
    """The name of the file of a part."""
    return f"part-{part:05d}.parquet"


def holds_graph(folder: Path) -> bool:
    """Whether a folder holds a graph that was written to its end."""
    return (folder / METADATA).is_file()


def mark_unfinished(folder: Path) -> None:
    """Mark a folder as not whole, before parts of a graph are written there in place of those that it may hold."""
    (folder / UNFINISHED).touch()
    (folder / METADATA).unlink(missing_ok=True)


def write_metadata(folder: Path, parts: Parts, about: About | None = None) -> None:
    """Write what belongs to the files of the parts; the metadata last, so that they mark a whole folder."""
    for name in VERTEX_ARRAYS:
        np.save(folder / f"{name}.npy", getattr(parts, name), allow_pickle=False)
    told = {
        "format": "hypcse graph",
        "version": 1,
        "n_vertices": parts.self_weights.size,
        "n_edges": int(parts.part_entries.sum()) // 2,
        "bounds": parts.bounds.tolist(),
        "part_entries": parts.part_entries.tolist(),
        **(about or About())._asdict(),
    }
    write_file(folder / METADATA, json.dumps(told))
    (folder / UNFINISHED).unlink(missing_ok=True)


def read_metadata(folder: Path) -> tuple[Parts, About]:
    """What `write_metadata` wrote."""
    told = json.loads((folder / METADATA).read_text(encoding="utf-8"))
    if told.get("format") != "hypcse graph" or told.get("version") != 1:
        raise ValueError(f"{folder / METADATA} does not describe a graph that this version can read.")
    arrays = [freeze(np.load(folder / f"{name}.npy", allow_pickle=False)) for name in VERTEX_ARRAYS]
    for part in range(len(told["part_entries"])):
        if not (folder / part_name(part)).is_file():
            raise FileNotFoundError(f"{folder} is not whole: {part_name(part)} is missing. Make the graph again.")
    parts = Parts(np.array(told["bounds"], np.int64), np.array(told["part_entries"], np.int64), *arrays)
    return parts, About(*(told.get(name) for name in About._fields))


COLUMNS = ("source", "target", "weight")


class Edges(NamedTuple):
    """Directed entries of a weight matrix, three arrays of one length."""

    source: NDArray[np.int64]
    target: NDArray[np.int64]
    weight: NDArray[np.float64]

    def take(self, which: NDArray[np.bool_] | NDArray[np.int64] | slice) -> Edges:
        """Some of them, by marks or positions."""
        return Edges(self.source[which], self.target[which], self.weight[which])

    def both_ways(self) -> Edges:
        """Every entry and its mirror image; one from a vertex to itself stays one."""
        mirrored = self.take(self.source != self.target)
        return Edges(
            np.concatenate([self.source, mirrored.target]),
            np.concatenate([self.target, mirrored.source]),
            np.concatenate([self.weight, mirrored.weight]),
        )

    def merged(self) -> Edges:
        """Sorted by (source, target); entries of the same two ends added up.

        They are added in the order of their weights, so that the sum depends neither on the order in which they came
        nor on the direction.
        """
        ordered = self.take(np.lexsort((self.weight, self.target, self.source)))
        if ordered.source.size == 0:
            return ordered
        new = (np.diff(ordered.source) != 0) | (np.diff(ordered.target) != 0)
        first = np.concatenate([[0], np.flatnonzero(new) + 1])
        return Edges(ordered.source[first], ordered.target[first], np.add.reduceat(ordered.weight, first))

    def checksum(self) -> int:
        """64 bits of all entries together, whatever their order: of several parts, add them up modulo 2^64."""
        mixed = mix_bits(np.ascontiguousarray(self.source, np.int64).view(np.uint64))
        for column in (np.asarray(self.target, np.int64), np.asarray(self.weight, np.float64)):
            mixed = mix_bits(mixed + np.ascontiguousarray(column).view(np.uint64))
        return int(mixed.sum(dtype=np.uint64))


def mix_bits(values: NDArray[np.uint64]) -> NDArray[np.uint64]:
    """Numbers as different as can be of different ones: the finisher of splitmix64."""
    mixed = values + np.uint64(0x9E3779B97F4A7C15)
    mixed ^= mixed >> np.uint64(30)
    mixed *= np.uint64(0xBF58476D1CE4E5B9)
    mixed ^= mixed >> np.uint64(27)
    mixed *= np.uint64(0x94D049BB133111EB)
    mixed ^= mixed >> np.uint64(31)
    return mixed


NO_EDGES = Edges(np.empty(0, np.int64), np.empty(0, np.int64), np.empty(0))


def join_edges(several: Iterable[Edges]) -> Edges:
    """All of them, one after the other."""
    columns = list(zip(*several, strict=True))
    return Edges(*(np.concatenate(column) for column in columns)) if columns else NO_EDGES


def write_edges(path: Path, edges: Edges, cuts: NDArray[np.int64] | None = None) -> None:
    """Write a file whole; with `cuts`, positions of which the first is 0, one row group between each two of them."""
    table = _table(edges)
    spans = [(0, table.num_rows)] if cuts is None else list(zip(cuts[:-1].tolist(), cuts[1:].tolist(), strict=True))
    draft = path.with_name(f".{path.name}.{secrets.token_hex(4)}")
    with parquet.ParquetWriter(draft, table.schema, compression="lz4") as writer:
        for start, stop in spans:
            writer.write_table(table.slice(start, stop - start), row_group_size=max(1, stop - start))
    os.replace(draft, path)


def read_edges(path: Path, row_group: int | None = None) -> Edges:
    """Read a file, or one of its row groups."""
    with parquet.ParquetFile(path) as file:
        table = file.read(list(COLUMNS)) if row_group is None else file.read_row_group(row_group, list(COLUMNS))
    return Edges(*(table.column(name).to_numpy() for name in COLUMNS))


def _table(edges: Edges) -> pa.Table:
    arrays = (
        pa.array(np.ascontiguousarray(edges.source, np.int64)),
        pa.array(np.ascontiguousarray(edges.target, np.int64)),
        pa.array(np.ascontiguousarray(edges.weight, np.float64)),
    )
    return pa.table(dict(zip(COLUMNS, arrays, strict=True)))
