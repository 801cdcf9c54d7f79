"""The torch forms of a graph, by edges and as a matrix; its weights may carry gradients."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import torch
from torch import Tensor
from torch.autograd.function import once_differentiable
from torch.nn.functional import embedding_bag

from hypcse._arrays import freeze
from hypcse.graph.graph import Graph
from hypcse.kernels.points.rows import pair_dots, pair_gaps
from hypcse.neural.backend import kernel_form


@dataclass(frozen=True, eq=False)
class EdgeTensors:
    """An undirected graph with positive weights; every edge is stored from both ends.

    index  : (2, m) int64, rows and columns of the symmetric matrix, in this order, no entry twice.
    weight : (m,) the weights, equal both ways; they may carry a gradient.
    """

    index: Tensor
    weight: Tensor
    n_vertices: int

    @classmethod
    def from_pairs(cls, ends: Tensor, weight: Tensor, n_vertices: int) -> EdgeTensors:
        """From the vertices (2, k) and weights (k,) of distinct edges, each once, in either direction; no loops."""
        both = torch.cat([ends, ends.flip(0)], dim=1)
        order = torch.argsort(both[0] * n_vertices + both[1])
        return cls(both[:, order], torch.cat([weight, weight])[order], n_vertices)

    @cached_property
    def pointers(self) -> Tensor:
        """(n + 1,) where the entries of each row start, and the end of the last."""
        rows = torch.arange(self.n_vertices + 1, device=self.index.device)
        return torch.searchsorted(self.index[0].contiguous(), rows)

    @cached_property
    def reverse(self) -> Tensor:
        """(m,) the entry (j, i) of each entry (i, j)."""
        return torch.argsort(self.index[1], stable=True)

    @property
    def lonely(self) -> Tensor:
        """(n,) which vertices have no neighbors."""
        return torch.diff(self.pointers) == 0

    def to(self, device: torch.device | str) -> EdgeTensors:
        return EdgeTensors(self.index.to(device), self.weight.to(device), self.n_vertices)

    def detach(self) -> EdgeTensors:
        return self.with_weight(self.weight.detach())

    def with_weight(self, weight: Tensor) -> EdgeTensors:
        other = EdgeTensors(self.index, weight, self.n_vertices)
        # The layout depends only on the index, and sorting is the most expensive part of a product's gradient.
        other.__dict__.update({name: vars(self)[name] for name in ("pointers", "reverse") if name in vars(self)})
        return other

    def degrees(self) -> Tensor:
        """Row sums of the weights, d_i = sum_j w_ij, (n,)."""
        return torch.segment_reduce(self.weight, "sum", offsets=self.pointers)

    def normalized(self) -> EdgeTensors:
        """The symmetric normalization D^-1/2 W D^-1/2, without self-loops."""
        degrees = self.degrees()
        rows, columns = self.index
        # The root is taken after gathering, so that a vertex without edges brings no infinite gradient. The two roots
        # are multiplied first, which gives both directions of an edge the same last bit.
        return self.with_weight(self.weight * (degrees[rows].rsqrt() * degrees[columns].rsqrt()))

    def scaled(self, factors: Tensor) -> EdgeTensors:
        """The weights factor_i w_ij factor_j, for (n,) positive factors."""
        rows, columns = self.index
        return self.with_weight(self.weight * (factors[rows] * factors[columns]))

    def with_loops(self) -> EdgeTensors:
        """W + I, for a graph without loops: in aggregation, a vertex then counts as its own neighbor."""
        everyone = torch.arange(self.n_vertices, device=self.index.device)
        index = torch.cat([self.index, everyone.expand(2, -1)], dim=1)
        order = torch.argsort(index[0] * self.n_vertices + index[1])
        loops = self.weight.new_ones(self.n_vertices)
        return EdgeTensors(index[:, order], torch.cat([self.weight, loops])[order], self.n_vertices)

    def once(self) -> tuple[Tensor, Tensor]:
        """Ends i < j, (2, m / 2), and weights, (m / 2,), of every edge once, in the order of (i, j); no loops."""
        upper = self.index[0] < self.index[1]
        return self.index[:, upper], self.weight[upper]

    def aggregate(self, x: Tensor) -> Tensor:
        """W @ x, (n, d), differentiable by x and by each entry of the weights. O(m d) time, O(n d + m) memory."""
        return _Product.apply(self.weight, x, self)

    def dots(self, x: Tensor) -> Tensor:
        """x_i . x_j at each entry (i, j), (m,), differentiable; equal both ways."""
        return _Dots.apply(x, self)

    def gaps(self, x: Tensor) -> Tensor:
        """|x_i - x_j|^2 at each entry (i, j), (m,), differentiable; equal both ways."""
        return _Gaps.apply(x, self)

    def to_graph(self) -> Graph:
        """The NumPy graph, in float64 and without gradient; loops become `self_weights`."""
        rows, columns = self.index.cpu().numpy()
        weight = self.weight.detach().cpu().numpy().astype(np.float64)
        loops = rows == columns
        self_weights = np.zeros(self.n_vertices)
        self_weights[rows[loops]] = weight[loops]
        indptr = np.concatenate([[0], np.cumsum(np.bincount(rows[~loops], minlength=self.n_vertices))])
        return Graph(*map(freeze, (indptr, columns[~loops].astype(np.int32), weight[~loops], self_weights)))


@dataclass(frozen=True, eq=False)
class MatrixGraph:
    """An undirected graph with the weights scale_i matrix_ij scale_j; nothing in it depends on the number of edges.

    edges : what the matrix was made from; any number of weight 0 may follow those of the last row.
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
        return len(self.scale)

    @cached_property
    def lonely(self) -> Tensor:
        return self.matrix.detach().amax(1) <= 0

    def degrees(self) -> Tensor:
        return self.scale * (self.matrix @ self.scale)

    def normalized(self) -> MatrixGraph:
        degrees = self.degrees()
        return self.scaled(torch.where(degrees > 0, degrees, 1).rsqrt())

    def scaled(self, factors: Tensor) -> MatrixGraph:
        return MatrixGraph(self.matrix, self.scale * factors, self.edges)

    def with_loops(self) -> MatrixGraph:
        """W + I, of a graph that has not been scaled."""
        loops = torch.eye(self.n_vertices, device=self.matrix.device, dtype=self.matrix.dtype)
        return MatrixGraph(self.matrix + loops, self.scale)

    def aggregate(self, x: Tensor) -> Tensor:
        scale = self.scale.unsqueeze(1)
        return scale * (self.matrix @ (scale * x))

    def to_edges(self) -> EdgeTensors:
        """Only the edges, without gradient. Waits for the device."""
        matrix = self.matrix.detach()
        index = matrix.nonzero().T.contiguous()
        return EdgeTensors(index, matrix[index[0], index[1]], self.n_vertices).scaled(self.scale.detach())


class _Product(torch.autograd.Function):
    """Y = W X over whole rows, each summed in one order; by the weights G_i . X_j at each entry, by X it is W^T G."""

    @staticmethod
    def forward(ctx: Any, weight: Tensor, x: Tensor, edges: EdgeTensors) -> Tensor:
        ctx.save_for_backward(weight, x)
        ctx.edges = edges
        return _row_sums(edges, weight, x)

    @staticmethod
    @once_differentiable
    def backward(ctx: Any, grad: Tensor) -> tuple[Tensor | None, Tensor | None, None]:
        (weight, x), edges = ctx.saved_tensors, ctx.edges
        by_weight = _entry_dots(edges, grad, x) if ctx.needs_input_grad[0] else None
        by_x = _row_sums(edges, weight[edges.reverse], grad) if ctx.needs_input_grad[1] else None
        return by_weight, by_x, None


class _Dots(torch.autograd.Function):
    """x_i . x_j; with G the gradient by the entries, that by X is (G + G^T) X."""

    @staticmethod
    def forward(ctx: Any, x: Tensor, edges: EdgeTensors) -> Tensor:
        ctx.save_for_backward(x)
        ctx.edges = edges
        return _entry_dots(edges, x, x)

    @staticmethod
    @once_differentiable
    def backward(ctx: Any, grad: Tensor) -> tuple[Tensor, None]:
        (x,), edges = ctx.saved_tensors, ctx.edges
        return _row_sums(edges, grad + grad[edges.reverse], x), None


class _Gaps(torch.autograd.Function):
    """|x_i - x_j|^2; with L the Laplacian of G + G^T, the gradient by X is 2 L X."""

    @staticmethod
    def forward(ctx: Any, x: Tensor, edges: EdgeTensors) -> Tensor:
        ctx.save_for_backward(x)
        ctx.edges = edges
        if kernel_form(x) != "numba":
            return (x.index_select(0, edges.index[0]) - x.index_select(0, edges.index[1])).square().sum(1)
        first, second = edges.index.numpy()
        return torch.from_numpy(pair_gaps(first, second, x.detach().contiguous().numpy()))

    @staticmethod
    @once_differentiable
    def backward(ctx: Any, grad: Tensor) -> tuple[Tensor, None]:
        (x,), edges = ctx.saved_tensors, ctx.edges
        both = grad + grad[edges.reverse]
        degrees = torch.segment_reduce(both, "sum", offsets=edges.pointers)
        return 2 * (degrees.unsqueeze(1) * x - _row_sums(edges, both, x)), None


def _entry_dots(edges: EdgeTensors, x: Tensor, y: Tensor) -> Tensor:
    """x_i . y_j at each entry (i, j); on the CPU without copies of the rows."""
    if kernel_form(x) != "numba":
        return torch.einsum("md,md->m", x.index_select(0, edges.index[0]), y.index_select(0, edges.index[1]))
    first, second = edges.index.numpy()
    return torch.from_numpy(pair_dots(first, second, x.detach().contiguous().numpy(), y.detach().contiguous().numpy()))


def _row_sums(edges: EdgeTensors, weight: Tensor, x: Tensor) -> Tensor:
    """sum_j w_ij x_j; torch's name for it is a bag of embeddings."""
    options: dict[str, Any] = {"mode": "sum", "per_sample_weights": weight, "include_last_offset": True}
    return embedding_bag(edges.index[1], x.contiguous(), edges.pointers, **options)
