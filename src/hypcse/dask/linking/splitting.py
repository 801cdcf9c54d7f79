"""The first round: a graph's parts in files that a worker can hold."""

from __future__ import annotations

import hashlib
import io
import json
import secrets
import shutil
from dataclasses import dataclass
from pathlib import Path
from typing import Any, cast

import distributed
import numpy as np
from numpy.typing import NDArray

from hypcse.dask.edges.files import part_name
from hypcse.dask.engine import run_tasks
from hypcse.dask.graph import DistributedGraph
from hypcse.dask.linking.tasks import count_entries, split_part
from hypcse.storage.whole import write_file


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


STATE = "linkage.json"
_FORMAT = "hypcse linkage"

Arrays = dict[str, NDArray[Any]]


@dataclass(frozen=True)
class Round:
    """What a round left: the edges that are still there, and arrays over clusters.

    folder  : where edges and arrays are.
    number  : how many rounds were made.
    bounds  : (n_parts + 1,) the clusters at which parts begin.
    entries : (n_parts,) how many entries each part holds.
    arrays  : over clusters, by their names.
    """

    folder: Path
    number: int
    bounds: NDArray[np.int64]
    entries: NDArray[np.int64]
    arrays: Arrays

    @property
    def paths(self) -> list[Path]:
        """The files of the edges."""
        return [self.folder / part_name(part) for part in range(self.entries.size)]

    @property
    def spans(self) -> list[tuple[int, int]]:
        """The first cluster of each part, and the first of the next."""
        return list(zip(self.bounds[:-1].tolist(), self.bounds[1:].tolist(), strict=True))


def read_history(folder: Path) -> list[int]:
    """How many edges the graph had at first, and after each round that a folder keeps."""
    return [int(n_edges) for n_edges in json.loads((folder / STATE).read_text(encoding="utf-8"))["history"]]


class Kept:
    """The folder of a linkage, and whose it is."""

    def __init__(self, folder: Path, method: str, graph: Any, checksum: int) -> None:
        self.folder = folder
        self.whose = {"method": method, "n_vertices": graph.n_vertices, "n_edges": graph.n_edges}
        self.history: list[int] = []
        self.whose["degrees"] = hashlib.sha256(np.ascontiguousarray(graph.degrees).tobytes()).hexdigest()
        self.whose["checksum"] = f"{checksum:016x}"

    def new_round(self, number: int) -> Path:
        """An empty folder for a round."""
        place = self.folder / f"round-{number:03d}-{secrets.token_hex(4)}"
        place.mkdir(parents=True)
        return place

    def save(self, state: Round, merges: Arrays) -> None:
        """Keep a round and its merges, and remove what it makes superfluous."""
        for name, array in state.arrays.items():
            np.save(state.folder / f"{name}.npy", array, allow_pickle=False)
        content = io.BytesIO()
        np.savez(content, **cast(Any, merges))
        write_file(self._merges_path(state.number), content.getvalue())
        told = {"format": _FORMAT, "version": 1, **self.whose, "round": state.number, "folder": state.folder.name}
        told |= {"bounds": state.bounds.tolist(), "entries": state.entries.tolist(), "arrays": list(state.arrays)}
        told["history"] = [*self.history[: state.number], int(state.entries.sum()) // 2]
        self.history = told["history"]
        write_file(self.folder / STATE, json.dumps(told))
        self._remove_others(state.folder)

    def last_round(self) -> Round | None:
        """The last round that is whole, None where there is none; ValueError where it is that of other work."""
        path = self.folder / STATE
        if not path.is_file():
            self._check_free()
            return None
        told = json.loads(path.read_text(encoding="utf-8"))
        if told.get("format") != _FORMAT or told.get("version") != 1:
            raise ValueError(f"{path} does not describe rounds that this version can read. Name another folder.")
        for name, value in self.whose.items():
            if told.get(name) != value:
                raise ValueError(
                    f"{self.folder} keeps the rounds of another {'method' if name == 'method' else 'graph'}: its {name}"
                    f" is {told.get(name)}, not {value}. Name another checkpoint_dir, or remove that folder."
                )
        self.history, folder = told["history"], self.folder / told["folder"]
        self._remove_others(folder)
        arrays = {name: np.load(folder / f"{name}.npy", allow_pickle=False) for name in told["arrays"]}
        sizes = np.array(told["bounds"], np.int64), np.array(told["entries"], np.int64)
        return Round(folder, told["round"], *sizes, arrays)

    def merges(self, state: Round) -> list[Arrays]:
        """The merges of all rounds up to this one."""
        found = []
        for number in range(state.number + 1):
            with np.load(self._merges_path(number), allow_pickle=False) as arrays:
                found.append(dict(arrays))
        return found

    def _merges_path(self, number: int) -> Path:
        return self.folder / f"merges-{number:03d}.npz"

    def _remove_others(self, folder: Path) -> None:
        for path in self.folder.glob("round-*"):
            if path != folder:
                shutil.rmtree(path, ignore_errors=True)

    def _check_free(self) -> None:
        """Raise where a folder without rounds holds something else; what a killed first round left may go."""
        for path in self.folder.iterdir():
            if not path.name.startswith(("round-", "merges-", ".")):
                raise ValueError(f"{self.folder} holds {path.name}, and no rounds. Name an empty folder, or a new one.")
        self._remove_others(self.folder)
