"""Rounds of a linkage: the pieces that a graph is cut into at first, and the folder with the last round."""

from __future__ import annotations

import hashlib
import json
import secrets
import shutil
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
from distributed import Client
from numpy.typing import NDArray

from hypcse.dask.client import run_tasks
from hypcse.dask.distributed_graph import DistributedGraph
from hypcse.dask.edge_files import Edges, part_path, save_arrays
from hypcse.graph import Graph
from hypcse.kernels.arrays import Ids
from hypcse.kernels.linkage.merges import Merges, shorten
from hypcse.storage.whole import write_file

STATE = "linkage.json"
_FORMAT = {"format": "hypcse linkage", "version": 2}

Arrays = dict[str, NDArray[Any]]


@dataclass(frozen=True)
class Round:
    """What a round leaves: a folder with edges between clusters, and arrays over clusters.

    number  : how many rounds were made.
    bounds  : (n_parts + 1,) the clusters at which parts begin; the file of a part is named by its first.
    entries : (n_parts,) how many entries each part holds.
    """

    folder: Path
    number: int
    bounds: Ids
    entries: Ids
    arrays: Arrays

    @property
    def n_clusters(self) -> int:
        """How many clusters are left."""
        return int(self.bounds[-1])

    @property
    def paths(self) -> list[Path]:
        """The files of the edges."""
        return [part_path(self.folder, first) for first in self.bounds[:-1].tolist()]

    @property
    def spans(self) -> list[tuple[int, int]]:
        """The first cluster of each part, and the first of the next."""
        return list(pairwise(self.bounds.tolist()))


def cut_bounds(counts: Ids, n_parts: int, limit: int) -> Ids:
    """Where parts begin: at least `n_parts`, of at most `limit` entries each unless one vertex has more by itself."""
    size = min(limit, -(-int(counts.sum()) // max(1, n_parts)))
    before = np.concatenate([[0], np.cumsum(counts)])
    bounds = [0]
    while bounds[-1] < counts.size:
        end = int(np.searchsorted(before, before[bounds[-1]] + size, side="right")) - 1
        bounds.append(max(end, bounds[-1] + 1))
    return np.array(bounds, np.int64)


def split_graph(graph: DistributedGraph, folder: Path, limit: int, short: bool, client: Client) -> tuple[Round, Ids]:
    """Write a graph in pieces of at most `limit` entries; `short` rounds weights, so that their sums are exact."""
    spans = pairwise(graph.bounds.tolist())
    pieces = list(run_tasks(client, split_part, graph.part_paths, spans, folder=folder, limit=limit, short=short))
    bounds = np.concatenate([*(firsts for firsts, _ in pieces), [graph.n_vertices]])
    counts = np.concatenate([own for _, own in pieces])
    return Round(folder, 0, bounds, np.add.reduceat(counts, bounds[:-1]), {}), counts


def split_part(path: Path, span: tuple[int, int], folder: Path, limit: int, short: bool) -> tuple[Ids, Ids]:
    """Write a part in pieces; the first vertex of each, and how many entries each vertex has."""
    edges = Edges.read(path)
    if short:
        edges = edges._replace(weight=shorten(edges.weight))
    counts = np.bincount(edges.source - span[0], minlength=span[1] - span[0])
    bounds = span[0] + cut_bounds(counts, 1, limit)
    cuts = np.searchsorted(edges.source, bounds)
    for first, start, stop in zip(bounds[:-1].tolist(), cuts[:-1], cuts[1:], strict=True):
        edges.take(slice(start, stop)).write(part_path(folder, first))
    return bounds[:-1], counts


class Checkpoint:
    """The folder of a linkage: its last round, the merges of all, and to which graph and method they belong."""

    def __init__(self, folder: Path, method: str, graph: Graph | DistributedGraph) -> None:
        self.folder = folder
        self.identity: dict[str, Any] = {
            "method": method,
            "n_vertices": graph.n_vertices,
            "n_edges": graph.n_edges,
            "degrees": hashlib.sha256(np.ascontiguousarray(graph.degrees).tobytes()).hexdigest(),
        }

    def new_round(self, number: int) -> Path:
        """An empty folder for a round."""
        place = self.folder / f"round-{number:03d}-{secrets.token_hex(4)}"
        place.mkdir(parents=True)
        return place

    def save(self, state: Round, merges: Merges | None = None) -> Round:
        """Write a round and its merges, and remove the rounds before."""
        save_arrays(state.folder, **state.arrays)
        if merges is not None:
            np.savez(self._merges_path(state.number), first=merges[0], second=merges[1])
        description = {"round": state.number, "folder": state.folder.name, "arrays": list(state.arrays)}
        description |= {"bounds": state.bounds.tolist(), "entries": state.entries.tolist()}
        write_file(self.folder / STATE, json.dumps({**_FORMAT, **self.identity, **description}))
        self._remove_others(state.folder)
        return state

    def last_round(self) -> Round | None:
        """The last round that is whole, None if there is none; raises if the folder holds something else."""
        path = self.folder / STATE
        if not path.is_file():
            others = [one.name for one in self.folder.iterdir() if not one.name.startswith(("round-", "merges-", "."))]
            if others:
                raise ValueError(f"{self.folder} holds {others[0]}, and no rounds. Name an empty folder, or a new one.")
            # A first round that was killed.
            self._remove_others(self.folder)
            return None
        state = json.loads(path.read_text(encoding="utf-8"))
        if not _FORMAT.items() <= state.items():
            raise ValueError(f"{path} does not describe rounds that this version can read. Name another folder.")
        for name, value in self.identity.items():
            if state.get(name) != value:
                raise ValueError(
                    f"{self.folder} holds the rounds of another {'method' if name == 'method' else 'graph'}: its {name}"
                    f" is {state.get(name)}, not {value}. Name another checkpoint_dir, or remove that folder."
                )
        folder = self.folder / state["folder"]
        self._remove_others(folder)
        sizes = np.array(state["bounds"], np.int64), np.array(state["entries"], np.int64)
        arrays = {name: np.load(folder / f"{name}.npy") for name in state["arrays"]}
        return Round(folder, state["round"], *sizes, arrays)

    def merges(self, state: Round) -> Iterator[Merges]:
        """The merges of each round up to this one."""
        for number in range(1, state.number + 1):
            with np.load(self._merges_path(number)) as arrays:
                yield arrays["first"], arrays["second"]

    def _merges_path(self, number: int) -> Path:
        return self.folder / f"merges-{number:03d}.npz"

    def _remove_others(self, folder: Path) -> None:
        for path in self.folder.glob("round-*"):
            if path != folder:
                shutil.rmtree(path, ignore_errors=True)
