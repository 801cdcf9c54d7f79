"""Rounds of single linkage: the heaviest edge of every component is in the forest; each part keeps its own forest.

Edges keep their first ends, which settle ties as in memory: heaviest first, then in the order of (i, j). An edge that a
cycle of better ones closes is in no forest, so each part drops its own such edges, and nothing moves between parts.
"""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

import distributed
import numpy as np
from numpy.typing import NDArray
from scipy import sparse
from scipy.sparse.csgraph import connected_components

from hypcse.dask.edges.files import NO_EDGES, Edges, join_edges, read_edges, write_edges
from hypcse.dask.engine import run_tasks
from hypcse.dask.graph import DistributedGraph
from hypcse.dask.linking.splitting import Arrays, Kept, Round, split_graph
from hypcse.kernels.linkage.merges import Merges
from hypcse.kernels.linkage.single import heaviest_forest


class SpanningRounds:
    """Single linkage in rounds. The array over vertices is their component; merges are edges of the forest."""

    def __init__(self, kept: Kept, limit: int, client: distributed.Client) -> None:
        self.kept, self.limit, self.client = kept, limit, client

    def begin(self, graph: DistributedGraph, mass: NDArray[np.float64]) -> Round:
        """The graph with every vertex a component."""
        folder = self.kept.new_round(0)
        split, _ = split_graph(graph, folder, self.limit, False, self.client)
        state = Round(folder, 0, split.bounds, split.entries, {"labels": np.arange(graph.n_vertices)})
        self.kept.save(state, {"source": np.empty(0, np.int64), "target": np.empty(0, np.int64), "weight": np.empty(0)})
        return state

    def go_on(self, state: Round) -> Round:
        """The next round: the forest of each part, the best edge of each component, and new components."""
        number = state.number + 1
        folder = self.kept.new_round(number)
        places = Round(folder, number, state.bounds, state.entries, {}).paths
        labels = [state.folder / "labels.npy"] * len(places)
        told = run_tasks(self.client, keep_forest, state.paths, labels, places)
        chosen, entries = _best_of_all(told, state.arrays["labels"])
        arrays: Arrays = {"labels": _joined(state.arrays["labels"], chosen)}
        # The forests of parts hold each edge once.
        new = Round(folder, number, state.bounds, 2 * entries, arrays)
        self.kept.save(new, chosen._asdict())
        return new

    def finish(self, state: Round) -> Merges:
        """All merges: the forest of the edges of all rounds and of what is left, in memory."""
        rounds = [Edges(**merges) for merges in self.kept.merges(state)]
        left = (read_edges(path) for path in state.paths)
        edges = _sorted(join_edges([*rounds, *(part.take(part.source < part.target) for part in left)]))
        ends = edges.source.astype(np.int32), edges.target.astype(np.int32)
        return heaviest_forest(*ends, self.kept.whose["n_vertices"])


def keep_forest(path: Path, labels: Path, place: Path) -> tuple[Edges, int]:
    """Write the heaviest forest of a part between components; its best edges by component, and how many it has."""
    edges, label = read_edges(path), np.load(labels, mmap_mode="r")
    upper = edges.take(edges.source < edges.target)
    edges = _sorted(upper.take(label[upper.source] != label[upper.target]))
    ends = np.unique(np.concatenate([label[edges.source], label[edges.target]]), return_inverse=True)[1]
    first, second = ends.reshape(2, -1)
    forest = edges.take(_taken(first, second))
    write_edges(place, forest)
    return best_edges(forest, label), forest.source.size


def best_edges(edges: Edges, label: NDArray[np.int64]) -> Edges:
    """Those of edges in order of falling weight that are the first of a component."""
    both = np.concatenate([label[edges.source], label[edges.target]])
    order = np.concatenate([np.arange(edges.source.size)] * 2)
    # The first of each component in the order of the edges, from whichever end.
    ordered = np.argsort(order, kind="stable")
    first = order[ordered][np.unique(both[ordered], return_index=True)[1]]
    return edges.take(np.unique(first))


def _taken(first: NDArray[np.int64], second: NDArray[np.int64]) -> NDArray[np.bool_]:
    """Which of edges in order of falling weight are in the forest."""
    n = int(max(first.max(initial=-1), second.max(initial=-1))) + 1
    kept = np.zeros(first.size, np.bool_)
    one, other = heaviest_forest(first.astype(np.int32), second.astype(np.int32), n)
    # An edge that joins two parts is the first between its ends.
    pairs = np.unique(first * n + second, return_index=True)
    kept[pairs[1][np.searchsorted(pairs[0], one * n + other)]] = True
    return kept


def _best_of_all(told: Iterable[tuple[Edges, int]], label: NDArray[np.int64]) -> tuple[Edges, NDArray[np.int64]]:
    """The best edge of each component over all parts, and how many edges each part keeps."""
    best, sizes = NO_EDGES, []
    for edges, size in told:
        best = best_edges(_sorted(join_edges([best, edges])), label)
        sizes.append(size)
    return best, np.array(sizes, np.int64)


def _joined(label: NDArray[np.int64], chosen: Edges) -> NDArray[np.int64]:
    """Components after joining them by edges, numbered from 0."""
    n = int(label.max()) + 1
    ends = label[chosen.source], label[chosen.target]
    joined = sparse.coo_array((np.ones(chosen.source.size, np.bool_), ends), shape=(n, n))
    return connected_components(joined, directed=False)[1].astype(np.int64)[label]


def _sorted(edges: Edges) -> Edges:
    """Heaviest first, then in the order of (i, j)."""
    return edges.take(np.lexsort((edges.target, edges.source, -edges.weight)))
