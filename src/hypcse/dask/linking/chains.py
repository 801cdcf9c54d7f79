"""Rounds of average and Paris linkage: groups of clusters merge what is certain, then the graph is contracted."""

from __future__ import annotations

import shutil
from collections.abc import Iterable
from pathlib import Path

import distributed
import numpy as np
from numpy.typing import NDArray
from scipy import sparse
from scipy.sparse.csgraph import connected_components

from hypcse.dask.edges.files import join_edges, part_name, read_edges
from hypcse.dask.engine import run_tasks
from hypcse.dask.graph import DistributedGraph
from hypcse.dask.linking.splitting import Arrays, Kept, Round, cut_bounds, split_graph
from hypcse.dask.linking.tasks import Found, contract_part, find_nearest, gather_contracted, merge_group, scatter_groups
from hypcse.kernels.linkage.chains import chain_merges
from hypcse.kernels.linkage.merges import Merges, first_ranks, order_merges, shorten
from hypcse.kernels.linkage.rounds import group_vertices


class ChainRounds:
    """Linkage by cut(A, B) / (mass A mass B) in rounds.

    Clusters of a round are numbered from 0. Arrays over them: their mass and rank, one vertex of each (`member`), the
    number of neighbours, the nearest of them and how close it is. Merges name clusters by a vertex.
    """

    def __init__(self, kept: Kept, limit: int, client: distributed.Client) -> None:
        self.kept, self.limit, self.client = kept, limit, client

    def begin(self, graph: DistributedGraph, mass: NDArray[np.float64]) -> Round:
        """The graph with every vertex a cluster."""
        folder = self.kept.new_round(0)
        split, _ = split_graph(graph, folder, self.limit, True, self.client)
        arrays: Arrays = {"mass": shorten(mass), "rank": first_ranks(mass.size), "member": np.arange(mass.size)}
        _save_shared(folder, arrays)
        found = run_tasks(self.client, find_nearest, split.paths, split.spans, [folder] * split.entries.size)
        return self._keep(Round(folder, 0, split.bounds, split.entries, arrays), found, [])

    def go_on(self, state: Round) -> Round:
        """The next round: merge inside groups, then contract."""
        number = state.number + 1
        folder = self.kept.new_round(number)
        merges = self._merge(state, folder)
        labels, arrays = _joined(state.arrays, merges)
        _save_shared(folder, arrays | {"labels": labels})
        load = np.bincount(labels, state.arrays["counts"]).astype(np.int64)
        bounds = cut_bounds(load, min(state.entries.size, load.size), self.limit)
        chunks = _chunks(folder / "contracted", state.entries.size)
        parts = range(bounds.size - 1)
        label_path, several = folder / "labels.npy", len(chunks)
        list(run_tasks(self.client, contract_part, state.paths, chunks, [label_path] * several, [bounds] * several))
        new = Round(folder, number, bounds, np.zeros(bounds.size - 1, np.int64), arrays)
        found = run_tasks(
            self.client, gather_contracted, [chunks] * len(parts), parts, new.paths, new.spans, [folder] * len(parts)
        )
        return self._keep(new, found, merges, state.arrays["member"])

    def finish(self, state: Round) -> Merges:
        """All merges: those of the rounds, and of what is left, in memory."""
        edges = join_edges(map(read_edges, state.paths))
        mass, rank, member = (state.arrays[name] for name in ("mass", "rank", "member"))
        indptr = np.concatenate([[0], np.cumsum(state.arrays["counts"])])
        last = chain_merges(indptr, edges.target.astype(np.int32), edges.weight, mass, rank=rank)
        made = self.kept.merges(state)
        first = np.concatenate([*(merges["first"] for merges in made), member[last[0]]])
        second = np.concatenate([*(merges["second"] for merges in made), member[last[1]]])
        return order_merges(first, second, self.kept.whose["n_vertices"])

    def _merge(self, state: Round, folder: Path) -> list[Merges]:
        """The merges of a round, group by group; the folder is that of the next one, which nobody else writes into."""
        arrays = state.arrays
        # Closest pairs first, whichever end is asked; vertices without edges may have no mass.
        order = np.argsort(-arrays["closeness"] / np.where(arrays["mass"] > 0, arrays["mass"], 1.0), kind="stable")
        groups = group_vertices(order, arrays["nearest"], arrays["counts"], self.limit)
        n_groups = int(groups.max()) + 1
        chunks = _chunks(folder / "groups", state.entries.size)
        own = [groups[low:high] for low, high in state.spans]
        firsts, several = [low for low, _ in state.spans], len(chunks)
        list(run_tasks(self.client, scatter_groups, state.paths, chunks, own, firsts, [n_groups] * several))
        given = [chunks] * n_groups, range(n_groups), [state.folder] * n_groups
        merges = list(run_tasks(self.client, merge_group, *given))
        shutil.rmtree(chunks[0].parent)
        if not sum(first.size for first, _ in merges):
            raise ValueError(
                f"no two clusters that merge next fit memory_limit={self.limit // 2:,} edges with their neighbours: "
                f"there are {arrays['mass'].size:,} clusters, of up to {arrays['counts'].max():,}. Raise memory_limit."
            )
        return merges

    def _keep(
        self, state: Round, found: Iterable[Found], merges: list[Merges], member: NDArray[np.int64] | None = None
    ) -> Round:
        """Keep a round with what was found of its clusters; merges are named by members of the round before."""
        columns = list(zip(*found, strict=True))
        arrays = state.arrays | dict(zip(Found._fields, map(np.concatenate, columns), strict=True))
        entries = np.add.reduceat(arrays["counts"], state.bounds[:-1])
        shutil.rmtree(state.folder / "contracted", ignore_errors=True)
        whole = Round(state.folder, state.number, state.bounds, entries, arrays)
        sides = [np.concatenate([np.empty(0, np.int64), *side]) for side in zip(*merges, strict=True)]
        named = [side if member is None else member[side] for side in sides] or [np.empty(0, np.int64)] * 2
        self.kept.save(whole, {"first": named[0], "second": named[1]})
        return whole


def _joined(arrays: Arrays, merges: list[Merges]) -> tuple[NDArray[np.int64], Arrays]:
    """The new cluster of each cluster, numbered by first appearance, and their masses, ranks and members."""
    first, second = (np.concatenate(side) for side in zip(*merges, strict=True))
    n = arrays["mass"].size
    joined = sparse.coo_array((np.ones(first.size, np.bool_), (first, second)), shape=(n, n))
    labels = connected_components(joined, directed=False)[1].astype(np.int64)
    mass = np.bincount(labels, arrays["mass"])
    rank = np.full(mass.size, np.iinfo(np.int64).min)
    np.maximum.at(rank, labels, arrays["rank"])
    member = arrays["member"][np.unique(labels, return_index=True)[1]]
    return labels, {"mass": mass, "rank": rank, "member": member}


def _chunks(folder: Path, n_parts: int) -> list[Path]:
    """Files, in a new folder, for what moves between parts."""
    folder.mkdir()
    return [folder / part_name(part) for part in range(n_parts)]


def _save_shared(folder: Path, arrays: Arrays) -> None:
    """Write what all workers read."""
    for name, array in arrays.items():
        np.save(folder / f"{name}.npy", array, allow_pickle=False)
