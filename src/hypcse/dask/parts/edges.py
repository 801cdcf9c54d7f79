"""Edges in Parquet: source, target and weight, in files that are written whole."""

from __future__ import annotations

import os
import secrets
from collections.abc import Iterable
from pathlib import Path
from typing import NamedTuple

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray
from pyarrow import parquet

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
