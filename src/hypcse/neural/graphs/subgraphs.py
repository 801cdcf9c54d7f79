"""Vertex sets for training in parts: splits a graph into pieces that keep neighbours together."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import accumulate, pairwise

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from hypcse._checks import check_count
from hypcse.graph.graph import Graph
from hypcse.kernels.search.communities import grow_sets
from hypcse.neural.graphs.tensors import EdgeTensors

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


def cut_out(edges: EdgeTensors, parts: Sequence[Tensor]) -> list[EdgeTensors]:
    """The subgraph of each of several disjoint sets of vertices; its vertex k is vertex `part[k]` of the graph.

    All in one pass over the edges: one sort, and two waits for a GPU, where each call costs more than its work.

    >>> path = EdgeTensors.from_pairs(torch.tensor([[0, 1, 2], [1, 2, 3]]), torch.ones(3), 4)
    >>> [part.index.tolist() for part in cut_out(path, [torch.tensor([0, 1]), torch.tensor([3, 2])])]
    [[[0, 1], [1, 0]], [[0, 1], [1, 0]]]
    """
    ends = list(accumulate((part.numel() for part in parts), initial=0))
    device, total = edges.index.device, ends[-1]
    everyone = torch.cat(list(parts))
    rank = torch.full((edges.n_vertices,), -1, device=device)
    rank[everyone] = torch.arange(total, device=device)
    home = torch.searchsorted(torch.tensor(ends[1:], device=device), rank, right=True)
    home[rank < 0] = -1
    rows, columns = edges.index
    inside = ((home[rows] == home[columns]) & (home[rows] >= 0)).nonzero().squeeze(1)
    rows, columns = rank[rows[inside]], rank[columns[inside]]
    order = torch.argsort(rows * total + columns)
    index, weight = torch.stack([rows[order], columns[order]]), edges.weight[inside[order]]
    pointers = torch.searchsorted(index[0].contiguous(), torch.arange(total + 1, device=device))
    bounds = pointers[torch.tensor(ends, device=device)].tolist()
    found = []
    for number, (start, stop) in enumerate(pairwise(bounds)):
        low, high = ends[number], ends[number + 1]
        part = EdgeTensors(index[:, start:stop] - low, weight[start:stop], high - low)
        part.__dict__["pointers"] = pointers[low : high + 1] - start
        found.append(part)
    return found


@dataclass(frozen=True, eq=False)
class MatrixGraph:
    """An undirected graph with the weights scale_i matrix_ij scale_j; nothing in it depends on the number of edges.

    matrix : (n, n) symmetric, 0 where there is no edge; it may carry a gradient.
    scale  : (n,) positive; lets a normalisation leave the matrix alone.
    edges  : the edges that the matrix was made from; any number of weight 0 may follow those of the last row.

    >>> path = EdgeTensors.from_pairs(torch.tensor([[0, 1], [1, 2]]), torch.ones(2), 3)
    >>> MatrixGraph.from_edges(path).normalized().aggregate(torch.ones(3, 1)).ravel()
    tensor([0.7071, 1.4142, 0.7071])
    """

    matrix: Tensor
    scale: Tensor
    edges: EdgeTensors | None = None

    @classmethod
    def from_edges(cls, edges: EdgeTensors) -> MatrixGraph:
        """The same graph; entries of weight 0 must stand where there is no edge, such as (0, 0)."""
        n = edges.n_vertices
        matrix = edges.weight.new_zeros(n * n)
        matrix.scatter_(0, edges.index[0] * n + edges.index[1], edges.weight)
        return cls(matrix.view(n, n), torch.ones_like(matrix[:n]), edges)

    @property
    def n_vertices(self) -> int:
        """Number of vertices."""
        return len(self.scale)

    @cached_property
    def lonely(self) -> Tensor:
        """(n,) which vertices have no neighbours."""
        return self.matrix.detach().amax(1) <= 0

    def degrees(self) -> Tensor:
        """Row sums of the weights, (n,)."""
        return self.scale * (self.matrix @ self.scale)

    def normalized(self) -> MatrixGraph:
        """The symmetric normalisation D^-1/2 W D^-1/2, without self-loops."""
        degrees = self.degrees()
        root = torch.where(degrees > 0, degrees, 1).rsqrt()
        return MatrixGraph(self.matrix, self.scale * root, self.edges)

    def with_loops(self) -> MatrixGraph:
        """W + I, of a graph that has not been scaled."""
        loops = torch.eye(self.n_vertices, device=self.matrix.device, dtype=self.matrix.dtype)
        return MatrixGraph(self.matrix + loops, self.scale)

    def aggregate(self, x: Tensor) -> Tensor:
        """W @ x, (n, d), differentiable."""
        scale = self.scale.unsqueeze(1)
        return scale * (self.matrix @ (scale * x))

    def entry_weights(self) -> Tensor:
        """(m,) the weight of each entry of `edges`."""
        assert self.edges is not None
        rows, columns = self.edges.index
        # Both roots are multiplied first, which gives both directions of an edge the same last bit.
        return self.edges.weight * (self.scale[rows] * self.scale[columns])

    def to_edges(self) -> EdgeTensors:
        """Only the edges, without gradient. Waits for the device."""
        matrix, scale = self.matrix.detach(), self.scale.detach()
        index = matrix.nonzero().T.contiguous()
        rows, columns = index
        return EdgeTensors(index, matrix[rows, columns] * (scale[rows] * scale[columns]), self.n_vertices)
