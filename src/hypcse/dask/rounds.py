"""Average and Paris linkage in rounds: groups of clusters merge what is certain, then the graph is contracted."""

from __future__ import annotations

import hashlib
import json
import secrets
import shutil
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from itertools import pairwise
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from distributed import Client
from numpy.typing import NDArray
from scipy import sparse

from hypcse._progress import Reporter, Stopped
from hypcse._threads import worker_threads
from hypcse.dask.building import cut_bounds, cut_graph, piece_paths
from hypcse.dask.client import run_tasks, scratch_folder
from hypcse.dask.distributed_graph import DistributedGraph
from hypcse.dask.edge_files import Edges, connected, load_array, new_files, save_arrays
from hypcse.graph import Graph
from hypcse.kernels.arrays import Ids, Reals
from hypcse.kernels.linkage.chains import chain_merges
from hypcse.kernels.linkage.merges import Merges, first_ranks, order_merges, shorten
from hypcse.kernels.linkage.rounds import group_vertices, nearest_in_rows
from hypcse.storage.files import write_file

STATE = "linkage.json"
ROUNDS = "round-[0-9][0-9][0-9]-????????"
"""Folders of rounds, by the pattern of their names."""
_FORMAT = {"format": "hypcse linkage", "version": 2}

Arrays = dict[str, NDArray[Any]]
Span = tuple[int, int]


@dataclass(frozen=True)
class Round:
    """What a round leaves: a folder with edges between clusters, and arrays over clusters.

    bounds, entries : the clusters at which parts begin, whose files are named by them, and how many entries parts hold.
    """

    folder: Path
    number: int
    bounds: Ids
    entries: Ids
    arrays: Arrays

    @property
    def n_clusters(self) -> int:
        return int(self.bounds[-1])

    @property
    def paths(self) -> list[Path]:
        return piece_paths(self.folder, self.bounds)

    @property
    def spans(self) -> list[Span]:
        """The first cluster of each part, and the first of the next."""
        return list(pairwise(self.bounds.tolist()))


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
            own = set(self.folder.glob(ROUNDS))
            others = [one.name for one in self.folder.iterdir() if one not in own and not one.name.startswith(".")]
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
        for path in self.folder.glob(ROUNDS):
            if path != folder:
                shutil.rmtree(path, ignore_errors=True)


class Nearest(NamedTuple):
    """The number of neighbors of each cluster of a part, the nearest of them, and how close that is."""

    counts: Ids
    nearest: Ids
    closeness: Reals


class AverageRounds:
    """Linkage by cut(A, B) / (mass A mass B) in rounds, with `limit` entries per worker, two for every edge.

    Arrays of a round: `mass`, `rank`, a vertex of each cluster (`member`), which names it in merges, and `Nearest`.
    """

    def __init__(self, checkpoint: Checkpoint, limit: int, client: Client) -> None:
        self.checkpoint, self.limit, self.client = checkpoint, limit, client

    def merges(self, graph: Graph | DistributedGraph, reporter: Reporter) -> Merges:
        """All merges: rounds until what is left fits the limit, then in memory."""
        state = self.checkpoint.last_round() or self.begin(graph)
        while state.entries.sum() > self.limit:
            state = self.advance(state)
            n_merges, done = graph.n_vertices - 1, graph.n_vertices - state.n_clusters
            if reporter.tell("merges", done, n_merges):
                raise Stopped(f"the linkage was stopped by its callback with {done:,} of {n_merges:,} merges done.")
        merges = self.finish(state)
        reporter.tell("merges", merges[0].size, merges[0].size)
        return merges

    def begin(self, graph: Graph | DistributedGraph) -> Round:
        """The first round: every vertex is a cluster. A graph in memory is written beside it, and goes with it."""
        folder, n = self.checkpoint.new_round(0), graph.n_vertices
        if not isinstance(graph, DistributedGraph):
            graph = DistributedGraph.from_graph(graph, folder / "graph")
        bounds, counts = cut_graph(graph.part_paths, graph.bounds, folder, self.limit, self.client, short=True)
        mass = graph.degrees if self.checkpoint.identity["method"] == "paris" else np.ones(n)
        arrays: Arrays = {"mass": shorten(mass), "rank": first_ranks(n), "member": np.arange(n)}
        save_arrays(folder, **arrays)
        first = Round(folder, 0, bounds, np.add.reduceat(counts, bounds[:-1]), arrays)
        return self._save(first, run_tasks(self.client, find_nearest, first.paths, first.spans, folder=folder))

    def advance(self, state: Round) -> Round:
        """The next round: merge inside groups, then contract."""
        folder = self.checkpoint.new_round(state.number + 1)
        first, second = self._merge(state, folder)
        labels = connected(first, second, state.n_clusters)
        mass = np.bincount(labels, state.arrays["mass"])
        n, member = mass.size, state.arrays["member"]
        rank = np.full(n, np.iinfo(np.int64).min)
        np.maximum.at(rank, labels, state.arrays["rank"])
        arrays = {"mass": mass, "rank": rank, "member": member[np.unique(labels, return_index=True)[1]]}
        save_arrays(folder, **arrays, labels=labels)
        load = np.bincount(labels, state.arrays["counts"]).astype(np.int64)
        bounds = cut_bounds(load, min(state.entries.size, n), self.limit)
        parts = range(bounds.size - 1)
        new = Round(folder, state.number + 1, bounds, np.zeros(len(parts), np.int64), arrays)
        with scratch_folder(folder, "contracted") as scratch:
            chunks = new_files(scratch, state.entries.size)
            list(run_tasks(self.client, contract_part, state.paths, chunks, folder=folder, bounds=bounds))
            nearest = run_tasks(self.client, gather_part, parts, new.paths, new.spans, chunks=chunks, folder=folder)
            return self._save(new, nearest, (member[first], member[second]))

    def finish(self, state: Round) -> Merges:
        """All merges: those of the rounds, and of what is left, in memory."""
        edges = Edges.join(map(Edges.read, state.paths))
        mass, rank, member = (state.arrays[name] for name in ("mass", "rank", "member"))
        indptr = np.concatenate([[0], np.cumsum(state.arrays["counts"])])
        last = chain_merges(indptr, edges.target.astype(np.int32), edges.weight, mass, rank=rank)
        merges = [*self.checkpoint.merges(state), (member[last[0]], member[last[1]])]
        first, second = (np.concatenate(side) for side in zip(*merges, strict=True))
        return order_merges(first, second, self.checkpoint.identity["n_vertices"])

    def _merge(self, state: Round, folder: Path) -> Merges:
        """The merges of a round, group by group; the folder is that of the next round."""
        arrays = state.arrays
        # Closest pairs first; vertices without edges may have no mass.
        order = np.argsort(-arrays["closeness"] / np.where(arrays["mass"] > 0, arrays["mass"], 1.0), kind="stable")
        limit, first, second = self.limit, order[:0], order[:0]
        with scratch_folder(folder, "groups") as scratch:
            chunks = new_files(scratch, state.entries.size)
            while not first.size:
                groups = group_vertices(order, arrays["nearest"], arrays["counts"], limit)
                save_arrays(folder, groups=groups)
                parts = range(int(groups.max()) + 1)
                list(run_tasks(self.client, scatter_groups, state.paths, chunks, folder=folder, n_groups=len(parts)))
                merges = run_tasks(self.client, merge_group, parts, chunks=chunks, folder=state.folder)
                first, second = map(np.concatenate, zip((first, second), *merges, strict=True))
                # No two clusters that merge next may fit the limit with all their neighbors: a hub is one.
                limit *= 2
        return first, second

    def _save(self, state: Round, nearest: Iterable[Nearest], merges: Merges | None = None) -> Round:
        """Write a round with the nearest neighbors of its clusters."""
        columns = map(np.concatenate, zip(*nearest, strict=True))
        arrays = state.arrays | dict(zip(Nearest._fields, columns, strict=True))
        entries = np.add.reduceat(arrays["counts"], state.bounds[:-1])
        return self.checkpoint.save(replace(state, entries=entries, arrays=arrays), merges)


def find_nearest(path: Path, span: Span, folder: Path) -> Nearest:
    """The nearest neighbor of each cluster of a part; the folder has the arrays of the round."""
    edges = Edges.read(path)
    mass, rank = load_array(folder, "mass"), load_array(folder, "rank")
    counts = np.bincount(edges.source - span[0], minlength=span[1] - span[0])
    indptr = np.concatenate([[0], np.cumsum(counts)])
    closeness = edges.weight / mass[edges.target]
    return Nearest(counts, *nearest_in_rows(indptr, np.array(edges.target), closeness, rank[edges.target]))


def scatter_groups(path: Path, chunk: Path, folder: Path, n_groups: int) -> None:
    """Write the entries of a part by the group of their sources."""
    edges = Edges.read(path)
    edges.scatter(chunk, load_array(folder, "groups")[edges.source], n_groups)


def merge_group(group: int, chunks: list[Path], folder: Path) -> Merges:
    """The merges inside a group that are certain, whatever the clusters outside, which are frozen here, do."""
    edges = Edges.gather(chunks, group)
    mass, rank = load_array(folder, "mass"), load_array(folder, "rank")
    own, counts = np.unique(edges.source, return_counts=True)
    place = np.searchsorted(own, edges.target)
    outside = own[np.minimum(place, own.size - 1)] != edges.target
    others, position = np.unique(edges.target[outside], return_inverse=True)
    place[outside] = own.size + position
    ids = np.concatenate([own, others])
    indptr = np.concatenate([[0], np.cumsum(counts), np.full(others.size, edges.source.size)])
    frozen = np.arange(ids.size) >= own.size
    with worker_threads(1, ids.size):
        merges = chain_merges(indptr, place.astype(np.int32), edges.weight, mass[ids], rank=rank[ids], frozen=frozen)
    return ids[merges[0]], ids[merges[1]]


def contract_part(path: Path, chunk: Path, folder: Path, bounds: Ids) -> int:
    """Write entries between new clusters, parallel ones added up, one row group per new part; return their number."""
    edges, label = Edges.read(path), load_array(folder, "labels")
    between = Edges(label[edges.source], label[edges.target], edges.weight)
    n = int(bounds[-1])
    merged = add_parallel(between.take(between.source != between.target), (0, n), n)
    merged.write(chunk, np.searchsorted(merged.source, bounds))
    return merged.source.size


def add_parallel(edges: Edges, span: Span, n: int) -> Edges:
    """Entries with sources in a span and targets below n, sorted by (source, target), parallel ones added up. O(m)."""
    # In whatever order: sums of weights that `shorten` made are exact.
    ends = edges.source - span[0], edges.target
    rows = sparse.coo_array((edges.weight, ends), shape=(span[1] - span[0], n)).tocsr()
    rows.sum_duplicates()
    source = np.repeat(np.arange(*span), np.diff(rows.indptr))
    return Edges(source, rows.indices.astype(np.int64), rows.data)


def gather_part(part: int, path: Path, span: Span, chunks: list[Path], folder: Path) -> Nearest:
    """Add up the entries of a new part over all chunks, write them, and find nearest neighbors."""
    add_parallel(Edges.gather(chunks, part), span, load_array(folder, "mass").size).write(path)
    return find_nearest(path, span, folder)
