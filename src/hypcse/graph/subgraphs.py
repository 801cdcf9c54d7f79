"""Vertex sets for training in parts: splits a graph into pieces that keep neighbours together."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from hypcse._checks import check_count
from hypcse.graph.graph import Graph
from hypcse.kernels.points.sampling import grow_sets

# A remainder below this share of a set joins another set: it has too few vertices to contrast with each other.
MIN_SHARE = 0.25


def sample_subgraphs(
    graph: Graph, batch_size: int, n_seeds: int, rng: np.random.Generator
) -> Iterator[NDArray[np.int64]]:
    """Vertex sets of one epoch, each vertex in exactly one of them; ids ascending within a set.

    Paper: Appendix C, subgraph sampling. A set starts from `n_seeds` random vertices that no earlier set holds and
    grows breadth-first through such vertices until it has `batch_size`; if it cannot grow further, it takes new
    random seeds. The last set takes the remainder; one below a quarter of `batch_size` joins the set before it.
    `Graph.subgraph` gives the graph of a set. O(n log n + m) per epoch; the same `rng` state gives the same sets.

    >>> path = Graph.from_edges([0, 1, 2, 3, 4], [1, 2, 3, 4, 5])
    >>> [part.size for part in sample_subgraphs(path, 4, 1, np.random.default_rng(0))]
    [4, 2]
    """
    check_count("batch_size", batch_size, 1)
    check_count("n_seeds", n_seeds, 1)
    if graph.n_vertices <= batch_size:
        return iter([np.arange(graph.n_vertices)])
    ends = _set_ends(graph.n_vertices, batch_size)
    found = grow_sets(graph.indptr, graph.indices, rng.permutation(graph.n_vertices), ends, n_seeds)
    return (np.sort(part) for part in np.split(found, ends[:-1]))


def count_subgraphs(n_vertices: int, batch_size: int) -> int:
    """How many vertex sets an epoch has.

    >>> count_subgraphs(6, 4), count_subgraphs(4, 4), count_subgraphs(8, 4)
    (2, 1, 2)
    """
    return 1 if n_vertices <= batch_size else len(_set_ends(n_vertices, batch_size))


def _set_ends(n_vertices: int, batch_size: int) -> NDArray[np.int64]:
    ends = np.arange(batch_size, n_vertices + 1, batch_size)
    remainder = n_vertices - int(ends[-1])
    if remainder >= MIN_SHARE * batch_size:
        return np.append(ends, n_vertices)
    ends[-1] = n_vertices
    return ends
