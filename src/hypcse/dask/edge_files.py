"""Files: edges in Parquet, arrays in NPY, and the folder of a graph with the metadata that mark it as whole."""

from __future__ import annotations

import json
import os
import secrets
from collections.abc import Iterable, Iterator, Mapping
from itertools import pairwise
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray
from pyarrow import parquet
from scipy import sparse
from scipy.sparse.csgraph import connected_components

from hypcse._arrays import freeze
from hypcse.kernels.arrays import Ids, Reals
from hypcse.storage.files import write_file

COLUMNS = ("source", "target", "weight")


class Edges(NamedTuple):
    """Directed entries of a weight matrix, three arrays of one length."""

    source: Ids
    target: Ids
    weight: Reals

    def take(self, selected: NDArray[np.bool_] | Ids | slice) -> Edges:
        """The edges at these positions, or where a mask is True."""
        return Edges(self.source[selected], self.target[selected], self.weight[selected])

    def upper(self) -> Edges:
        """Those whose source is the smaller end: each edge once, without loops."""
        return self.take(self.source < self.target)

    def both_ways(self) -> Edges:
        """Every entry and its mirror image; one from a vertex to itself stays one."""
        others = self.take(self.source != self.target)
        return Edges.join([self, Edges(others.target, others.source, others.weight)])

    def merged(self) -> Edges:
        """Sorted by (source, target); entries of the same two ends added up."""
        # By weight too, so that sums depend neither on the order in which entries came nor on their direction.
        ordered = self.take(np.lexsort((self.weight, self.target, self.source)))
        if ordered.source.size == 0:
            return ordered
        new = (np.diff(ordered.source) != 0) | (np.diff(ordered.target) != 0)
        first = np.concatenate([[0], np.flatnonzero(new) + 1])
        return Edges(ordered.source[first], ordered.target[first], np.add.reduceat(ordered.weight, first))

    @staticmethod
    def join(several: Iterable[Edges]) -> Edges:
        """All of them, one after the other."""
        none = Edges(np.empty(0, np.int64), np.empty(0, np.int64), np.empty(0))
        return Edges(*map(np.concatenate, zip(none, *several, strict=True)))

    @staticmethod
    def read(path: Path, row_group: int | None = None) -> Edges:
        """Read a file, or one of its row groups."""
        with parquet.ParquetFile(path) as file:
            table = file.read(list(COLUMNS)) if row_group is None else file.read_row_group(row_group, list(COLUMNS))
        return Edges(*(table.column(name).to_numpy() for name in COLUMNS))

    @staticmethod
    def gather(paths: list[Path], row_group: int) -> Edges:
        """One row group of several files, joined."""
        return Edges.join(Edges.read(path, row_group) for path in paths)

    def write(self, path: Path, cuts: Ids | None = None) -> None:
        """Write a file whole; with `cuts`, positions that begin with 0, one row group between each two of them."""
        dtypes = (np.int64, np.int64, np.float64)
        arrays = (pa.array(np.ascontiguousarray(*pair)) for pair in zip(self, dtypes, strict=True))
        table = pa.table(dict(zip(COLUMNS, arrays, strict=True)))
        draft = path.with_name(f".{path.name}.{secrets.token_hex(4)}")
        with parquet.ParquetWriter(draft, table.schema, compression="lz4") as writer:
            for start, stop in pairwise([0, table.num_rows] if cuts is None else cuts.tolist()):
                writer.write_table(table.slice(start, stop - start), row_group_size=max(1, stop - start))
        os.replace(draft, path)

    def scatter(self, path: Path, group: Ids, n_groups: int) -> None:
        """Write one row group per group; edges of group -1 are left out."""
        order = np.argsort(group, kind="stable")
        cuts = np.searchsorted(group[order], np.arange(n_groups + 1))
        self.take(order[cuts[0] :]).write(path, cuts - cuts[0])


def mix_bits(values: NDArray[np.uint64]) -> NDArray[np.uint64]:
    """Hash values: the finisher of splitmix64."""
    mixed = values + np.uint64(0x9E3779B97F4A7C15)
    mixed ^= mixed >> np.uint64(30)
    mixed *= np.uint64(0xBF58476D1CE4E5B9)
    mixed ^= mixed >> np.uint64(27)
    mixed *= np.uint64(0x94D049BB133111EB)
    mixed ^= mixed >> np.uint64(31)
    return mixed


def connected(first: Ids, second: Ids, n: int) -> Ids:
    """Label of the component of each of n vertices that pairs of them join, numbered by smallest vertex."""
    pairs = sparse.coo_array((np.ones(first.size, np.bool_), (first, second)), shape=(n, n))
    return connected_components(pairs, directed=False)[1].astype(np.int64)


def part_path(folder: Path, part: int) -> Path:
    """The file of a part."""
    return folder / f"part-{part:05d}.parquet"


def new_files(folder: Path, count: int) -> list[Path]:
    """Paths for so many files of edges in a folder, which is created if missing."""
    folder.mkdir(parents=True, exist_ok=True)
    return [part_path(folder, number) for number in range(count)]


def parquet_files(path: Path) -> Iterator[tuple[Path, parquet.ParquetFile]]:
    """The Parquet file at a path, or all in a folder in the order of their names, opened one after the other."""
    if not path.exists():
        raise FileNotFoundError(f"{path} does not exist.")
    files = sorted(path.glob("*.parquet")) if path.is_dir() else [path]
    if not files:
        raise ValueError(f"{path} holds no files named *.parquet.")
    for file in files:
        try:
            with parquet.ParquetFile(file) as opened:
                yield file.absolute(), opened
        except pa.ArrowInvalid:
            raise ValueError(f"{file} is damaged or not a Parquet file.") from None


def save_arrays(folder: Path, **arrays: NDArray[Any]) -> None:
    """Write arrays, which all workers may read, into a folder."""
    folder.mkdir(parents=True, exist_ok=True)
    for name, array in arrays.items():
        np.save(folder / f"{name}.npy", array)


def load_array(folder: Path, name: str) -> NDArray[Any]:
    """An array that `save_arrays` wrote, mapped into memory."""
    array: NDArray[Any] = np.load(folder / f"{name}.npy", mmap_mode="r")
    return array


METADATA, UNFINISHED = "graph.json", "graph.unfinished"
VERTEX_ARRAYS = ("self_weights", "edge_degrees")
ABOUT = ("bandwidth", "fingerprint")
"""Facts about a similarity graph."""


class Parts(NamedTuple):
    """The arrays of a `DistributedGraph`."""

    bounds: Ids
    part_entries: Ids
    self_weights: Reals
    edge_degrees: Reals


def holds_graph(folder: Path) -> bool:
    """Whether a folder holds a graph that was written to its end."""
    return (folder / METADATA).is_file()


def mark_unfinished(folder: Path) -> None:
    """Mark a folder as not whole, before parts of a graph replace those that it may hold."""
    (folder / UNFINISHED).touch()
    (folder / METADATA).unlink(missing_ok=True)


def write_metadata(folder: Path, parts: Parts, about: Mapping[str, Any]) -> None:
    """Write arrays and, last, the metadata, which mark a folder as whole."""
    save_arrays(folder, **{name: getattr(parts, name) for name in VERTEX_ARRAYS})
    sizes = {"bounds": parts.bounds.tolist(), "part_entries": parts.part_entries.tolist()}
    content = {"format": "hypcse graph", "version": 1, **sizes, **about}
    write_file(folder / METADATA, json.dumps(content))
    (folder / UNFINISHED).unlink(missing_ok=True)


def read_metadata(folder: Path) -> tuple[Parts, dict[str, Any]]:
    """The arrays and facts that `write_metadata` wrote."""
    content = json.loads((folder / METADATA).read_text(encoding="utf-8"))
    if content.get("format") != "hypcse graph" or content.get("version") != 1:
        raise ValueError(f"{folder / METADATA} does not describe a graph that this version can read.")
    for part in range(len(content["part_entries"])):
        if not part_path(folder, part).is_file():
            raise FileNotFoundError(f"{folder} is not whole: {part_path(folder, part).name} is missing. Make it again.")
    bounds, part_entries = (np.array(content[name], np.int64) for name in ("bounds", "part_entries"))
    arrays = [freeze(np.load(folder / f"{name}.npy")) for name in VERTEX_ARRAYS]
    return Parts(bounds, part_entries, *arrays), {name: content.get(name) for name in ABOUT}
