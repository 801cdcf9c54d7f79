"""Subgraphs for training in parts: vertex sets that keep neighbors together, and the edges inside them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import accumulate, pairwise

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from hypcse.graph.graph import Graph
from hypcse.kernels.search.communities import grow_sets
from hypcse.neural.tensors import EdgeTensors

# A remainder below this share of a set joins another set: it has too few vertices to contrast with each other.
MIN_SHARE = 0.25


def sample_subgraphs(
    graph: Graph, batch_size: int, n_seeds: int, rng: np.random.Generator
) -> Iterator[NDArray[np.int64]]:
    """Vertex sets of one epoch, each vertex in exactly one of them; ids ascending within a set.

    Paper: Appendix C, subgraph sampling. A set grows breadth-first from `n_seeds` random vertices, through vertices of
    no earlier set, and takes new seeds where it cannot. O(n log n + m).
    """
    if graph.n_vertices <= batch_size:
        return iter([np.arange(graph.n_vertices)])
    ends = _set_ends(graph.n_vertices, batch_size)
    order = grow_sets(graph.indptr, graph.indices, rng.permutation(graph.n_vertices), ends, n_seeds)
    return (np.sort(part) for part in np.split(order, ends[:-1]))


def count_subgraphs(n_vertices: int, batch_size: int) -> int:
    return 1 if n_vertices <= batch_size else len(_set_ends(n_vertices, batch_size))


def _set_ends(n_vertices: int, batch_size: int) -> NDArray[np.int64]:
    ends = np.arange(batch_size, n_vertices + 1, batch_size)
    remainder = n_vertices - int(ends[-1])
    if remainder >= MIN_SHARE * batch_size:
        return np.append(ends, n_vertices)
    ends[-1] = n_vertices
    return ends


def cut_out(edges: EdgeTensors, parts: Sequence[Tensor]) -> list[EdgeTensors]:
    """The subgraphs of disjoint sets of vertices, in one pass; vertex k of one is vertex `part[k]` of the graph."""
    ends = list(accumulate((part.numel() for part in parts), initial=0))
    device, total = edges.index.device, ends[-1]
    rank = torch.full((edges.n_vertices,), -1, device=device)
    rank[torch.cat(list(parts))] = torch.arange(total, device=device)
    home = torch.searchsorted(torch.tensor(ends[1:], device=device), rank, right=True)
    home[rank < 0] = -1
    rows, columns = edges.index
    inside = ((home[rows] == home[columns]) & (home[rows] >= 0)).nonzero().squeeze(1)
    rows, columns = rank[rows[inside]], rank[columns[inside]]
    order = torch.argsort(rows * total + columns)
    index, weight = torch.stack([rows[order], columns[order]]), edges.weight[inside[order]]
    pointers = torch.searchsorted(index[0].contiguous(), torch.arange(total + 1, device=device))
    bounds = pointers[torch.tensor(ends, device=device)].tolist()
    subgraphs = []
    for (low, high), (start, stop) in zip(pairwise(ends), pairwise(bounds), strict=True):
        subgraph = EdgeTensors(index[:, start:stop] - low, weight[start:stop], high - low)
        subgraph.__dict__["pointers"] = pointers[low : high + 1] - start
        subgraphs.append(subgraph)
    return subgraphs
