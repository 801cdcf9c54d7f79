"""The learned graph and the loss of edges as full matrices of a fixed shape: nothing waits, nothing is sorted."""

from __future__ import annotations

from typing import Any

import torch
from torch import Tensor
from torch.autograd.function import once_differentiable
from torch.nn.functional import normalize

from hypcse._choices import LearnerSimilarity
from hypcse.neural.backend import kernel_form
from hypcse.neural.graph_learner.similarity import LEAST_COSINE, MAX_EXPONENT, on_one_range
from hypcse.neural.graphs.subgraphs import MatrixGraph


def learned_matrix(embeddings: Tensor, n_neighbors: int, kind: LearnerSimilarity) -> MatrixGraph:
    """`learned_graph` as a matrix; O(n^2) memory."""
    n = len(embeddings)
    if kind == "gaussian":
        points = on_one_range(embeddings)
        gaps: Tensor = _PairGaps.apply(points)
        similar, closeness = (-gaps / 2).clamp(min=-MAX_EXPONENT).exp(), -gaps.detach()
    else:
        points = normalize(embeddings)
        products = points @ points.T
        similar, closeness = products.clamp(min=LEAST_COSINE), products.detach().clone()
    closeness.fill_diagonal_(-torch.inf)
    chosen = largest_in_rows(closeness, min(n_neighbors, n - 1)).to(similar.dtype)
    graph = MatrixGraph(similar * ((chosen + chosen.T) / 2), torch.ones_like(embeddings[:, 0]))
    if kind == "cosine":
        itself = points.square().sum(1).clamp(min=LEAST_COSINE)
        graph = MatrixGraph(graph.matrix, (2 * (graph.degrees() + itself)).rsqrt())
    return graph.normalized()


def drop_pairs(graph: MatrixGraph, rate: float, generator: torch.Generator) -> MatrixGraph:
    """`drop_edges` of a matrix: a number is drawn for every pair."""
    if rate == 0:
        return graph
    uniform = torch.rand(graph.matrix.shape, generator=generator, device=generator.device)
    kept = (uniform.to(graph.matrix.device) >= rate).triu(1)
    return MatrixGraph(graph.matrix * (kept | kept.T), graph.scale)


def largest_in_rows(values: Tensor, k: int) -> Tensor:
    """Marks (n, m) of the k largest values of each row; of equal ones the first columns."""
    last = values.topk(k, dim=1, sorted=False).values.amin(1, keepdim=True)
    above, level = values > last, values == last
    left = k - above.sum(1, keepdim=True)
    return above | (level & (level.cumsum(1, dtype=torch.int32) <= left))


class _PairGaps(torch.autograd.Function):
    """|x_i - x_j|^2 of all pairs; with L the Laplacian of G + G^T, the gradient by X is 2 L X."""

    @staticmethod
    def forward(ctx: Any, x: Tensor) -> Tensor:
        ctx.save_for_backward(x)
        if kernel_form(x) == "triton":
            from hypcse.neural.triton.contrast import pair_gaps

            return pair_gaps(x.detach())
        return torch.cdist(x, x, compute_mode="donot_use_mm_for_euclid_dist").square()

    @staticmethod
    @once_differentiable
    def backward(ctx: Any, grad: Tensor) -> Tensor:
        (x,) = ctx.saved_tensors
        both = grad + grad.T
        return 2 * (both.sum(1, keepdim=True) * x - both @ x)
