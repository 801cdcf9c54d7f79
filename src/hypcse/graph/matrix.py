"""A graph as a full matrix: for a GPU, where one product of matrices is faster than many small steps over edges."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import torch
from torch import Tensor

from hypcse.graph.tensors import EdgeTensors


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
