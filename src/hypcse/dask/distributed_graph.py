"""A graph whose edges are in files, partitioned by source; only arrays over vertices are in memory."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
from distributed import Client
from numpy.typing import NDArray

from hypcse._arrays import freeze, hold
from hypcse._checks import check_count
from hypcse.dask.building import ENTRIES_PER_PART, build_parts, check_apart, find_components, parquet_sources
from hypcse.dask.client import current_client, shared_folder
from hypcse.dask.edge_files import (
    Edges,
    Parts,
    holds_graph,
    mark_unfinished,
    new_files,
    part_path,
    read_metadata,
    write_metadata,
)
from hypcse.graph import Graph
from hypcse.storage.files import hold_folder


@dataclass(frozen=True, eq=False, repr=False)
class DistributedGraph:
    """An undirected graph whose edges are in a folder of Parquet files; arrays over vertices are in memory.

    Part k is the file `part-0000k.parquet`, with columns source, target and weight: all entries whose source is from
    `bounds[k]` to below `bounds[k + 1]`, sorted, every edge from both ends. All workers must see the folder under the
    same name. Use `from_parquet` or `from_graph`, which check their input; the constructor trusts it.

    Parameters
    ----------
    folder
        Where the parts are.
    bounds
        (n_parts + 1,) the vertices at which parts begin; the last is the number of vertices.
    part_entries
        (n_parts,) how many entries each part holds.
    self_weights
        (n,) the diagonal; zeros where there is none.
    edge_degrees
        (n,) row sums without `self_weights`.
    about
        Facts about a similarity graph: `bandwidth` and `fingerprint`.
    temporary
        Removes a temporary folder when the graph is gone; None if the folder stays.

    Examples
    --------
    >>> import tempfile
    >>> folder = tempfile.mkdtemp()
    >>> path = Graph.from_edges([0, 1], [1, 2], [1.0, 3.0])
    >>> graph = DistributedGraph.from_graph(path, folder, n_parts=2)
    >>> graph, graph.degrees.tolist()
    (DistributedGraph(3 vertices, 2 edges, 2 parts), [1.0, 4.0, 3.0])
    """

    folder: Path
    bounds: NDArray[np.int64]
    part_entries: NDArray[np.int64]
    self_weights: NDArray[np.float64]
    edge_degrees: NDArray[np.float64]
    about: Mapping[str, Any] = field(default_factory=dict)
    temporary: Any = None

    def __post_init__(self) -> None:
        object.__setattr__(self, "folder", Path(self.folder).absolute())
        for name in Parts._fields:
            dtype = np.int64 if name in ("bounds", "part_entries") else np.float64
            object.__setattr__(self, name, hold(getattr(self, name), dtype, views=True))

    @property
    def n_vertices(self) -> int:
        """Number of vertices."""
        return self.self_weights.size

    @property
    def n_edges(self) -> int:
        """Number of edges, each once, loops not counted."""
        return int(self.part_entries.sum()) // 2

    @property
    def n_parts(self) -> int:
        """Number of parts."""
        return self.part_entries.size

    @property
    def part_paths(self) -> list[Path]:
        """The file of each part."""
        return [part_path(self.folder, part) for part in range(self.n_parts)]

    @cached_property
    def degrees(self) -> NDArray[np.float64]:
        """Row sums of the weight matrix, `self_weights` included."""
        return freeze(self.edge_degrees + self.self_weights)

    @cached_property
    def volume(self) -> float:
        """Sum of all degrees."""
        return float(self.degrees.sum())

    def components(self, client: Client | None = None) -> NDArray[np.int64]:
        """Label of the connected component of each vertex, numbered by smallest vertex.

        Parameters
        ----------
        client
            A Dask client; the current one by default.

        Returns
        -------
        ndarray of shape (n,)
            Numbers from 0.
        """
        return find_components(self.part_paths, self.n_vertices, current_client(client))

    def to_graph(self) -> Graph:
        """The graph in the memory of this process.

        Returns
        -------
        Graph
            The same vertices and edges.
        """
        edges = Edges.join(map(Edges.read, self.part_paths))
        indptr = np.concatenate([[0], np.cumsum(np.bincount(edges.source, minlength=self.n_vertices))])
        columns = freeze(edges.target.astype(np.int32))
        return Graph(freeze(indptr.astype(np.int64)), columns, freeze(np.array(edges.weight)), self.self_weights)

    def __repr__(self) -> str:
        return f"DistributedGraph({self.n_vertices:,} vertices, {self.n_edges:,} edges, {self.n_parts:,} parts)"

    @classmethod
    def from_parquet(
        cls,
        path: str | Path,
        n_vertices: int | None = None,
        *,
        folder: str | Path | None = None,
        n_parts: int | None = None,
        client: Client | None = None,
    ) -> DistributedGraph:
        """From a folder of one of these graphs, or from any Parquet file or folder of edges.

        Edges have columns source, target and (1 by default) weight, once each, in either direction. As in
        `Graph.from_edges`, edges between the same two vertices add up, and loops add to `self_weights`.

        Parameters
        ----------
        path
            A folder of this package, a Parquet file, or a folder of Parquet files.
        n_vertices
            Number of vertices, by default one more than the largest id.
        folder
            Where to put the parts: visible to all workers, by default a temporary folder (workers on this machine).
        n_parts
            Number of parts, by default one per 2 million entries, and one per worker at least.
        client
            A Dask client, the current one by default. A folder of this package needs none.

        Returns
        -------
        DistributedGraph
            A graph over vertices 0 to n - 1.
        """
        if holds_graph(Path(path)):
            parts, about = read_metadata(Path(path))
            return cls(Path(path), *parts, about)
        client = current_client(client)
        sources = parquet_sources(Path(path))
        if folder is not None:
            check_apart(Path(path), sources, Path(folder))
        place, temporary = shared_folder(folder, client)
        return cls(place, *build_parts(sources, place, n_vertices, n_parts, client), temporary=temporary)

    @classmethod
    def from_graph(cls, graph: Graph, folder: str | Path, n_parts: int | None = None) -> DistributedGraph:
        """From a graph in memory.

        Parameters
        ----------
        graph
            The graph.
        folder
            Where to put the parts; visible to all workers.
        n_parts
            Number of parts, of about as many entries each, by default one per 2 million entries.

        Returns
        -------
        DistributedGraph
            The same vertices and edges.
        """
        place, entries = Path(folder), graph.indices.size
        count = -(-entries // ENTRIES_PER_PART) if n_parts is None else check_count("n_parts", n_parts, 1)
        count = min(max(count, 1), graph.n_vertices)
        cuts = np.searchsorted(graph.indptr, np.linspace(0, entries, count + 1)[1:-1])
        bounds = np.concatenate([[0], np.clip(cuts, 0, graph.n_vertices), [graph.n_vertices]]).astype(np.int64)
        parts = Parts(bounds, np.diff(graph.indptr[bounds]), graph.self_weights, graph.edge_degrees)
        with hold_folder(place):
            mark_unfinished(place)
            for path, (low, high) in zip(new_files(place, count), pairwise(bounds), strict=True):
                rows = np.repeat(np.arange(low, high), np.diff(graph.indptr[low : high + 1]))
                span = slice(int(graph.indptr[low]), int(graph.indptr[high]))
                Edges(rows, graph.indices[span].astype(np.int64), graph.weights[span]).write(path)
            write_metadata(place, parts, {})
        return cls(place, *parts)
