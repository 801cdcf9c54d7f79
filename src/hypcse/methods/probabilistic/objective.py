"""Dasgupta's cost and the tree-sampling divergence of hierarchies with random parents.

Zügner, Charpentier, Ayle, Geringer and Günnemann, "End-to-end learning of probabilistic hierarchies on graphs", ICLR
2022. A leaf takes its parent among m internal nodes by the probabilities A (n, m), an internal node by B (m, m),
strictly upper triangular; the last node is the root. If all are 0 or 1, both objectives are those of one tree.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import torch
from torch import Tensor
from torch.autograd.function import once_differentiable


class SoftTree(NamedTuple):
    """Ancestors of a random hierarchy.

    above : (n, m) probability that a node is an ancestor of a leaf, P = A (I - B)^-1.
    twice : (m, m) probability that two walks up from x both come by y: the squares of (I - B)^-1, a unit triangle.

    Two walks from u and v come by x together with probability P_ux P_vx = sum_y Pr(first meet at y) twice_yx, so that
    a triangular solve gives the probability that x is their LCA.
    """

    above: Tensor
    twice: Tensor


def soft_tree(A: Tensor, B: Tensor) -> SoftTree:
    """Ancestors from the probabilities of parents. O(n m^2 + m^3)."""
    eye = torch.eye(B.shape[0], dtype=B.dtype)
    reach = torch.linalg.solve_triangular(eye - B, eye, upper=True, unitriangular=True)
    return SoftTree(A @ reach, reach.square())


def soft_dasgupta(A: Tensor, B: Tensor, weights: Tensor) -> Tensor:
    """Expected number of leaves under the LCA of a random edge, -> scalar.

        sum_uv w_uv sum_x Pr(x = LCA(u, v)) c_x,    c_x = sum_u P_ux.

    `weights` is the sparse symmetric matrix of the graph, its entries adding up to 1. Times their sum before, the value
    is `dasgupta_cost` where A and B are one tree. The solve is by c, a vector: no edge needs more than O(m).
    """
    tree = soft_tree(A, B)
    sizes = tree.above.sum(0).unsqueeze(1)
    solved = torch.linalg.solve_triangular(tree.twice, sizes, upper=True, unitriangular=True)
    return torch.dot(_Together.apply(tree.above, weights), solved.squeeze(1))


def soft_divergence(A: Tensor, B: Tensor, weights: Tensor) -> Tensor:
    """Tree-sampling divergence in nats, higher is better, -> scalar.

    Charpentier and Bonald, "Tree sampling divergence", IJCAI 2019: the Kullback-Leibler divergence

        sum_x p(x) log(p(x) / q(x))

    of the LCA of a random edge, p, from that of two vertices drawn apart from each other by their degrees, q. A vertex
    drawn twice meets itself at its parent. `weights` as in `soft_dasgupta`.
    """
    tree = soft_tree(A, B)
    degrees = torch.sparse.sum(weights, dim=1).to_dense()
    both = torch.stack([_Together.apply(tree.above, weights), (degrees @ tree.above).square()])
    p, q = torch.linalg.solve_triangular(tree.twice, both, upper=True, unitriangular=True, left=False)
    # Rounding leaves small negative numbers; nodes where no edge meets add nothing.
    tiny = torch.finfo(p.dtype).eps ** 2
    p, q = p.clamp_min(0), q.clamp_min(tiny)
    return torch.where(p > tiny, p * torch.log(p.clamp_min(tiny) / q), 0).sum()


class _Together(torch.autograd.Function):
    """sum_uv w_uv P_ux P_vx for every x: the product W P, made once, gives the value and the gradient. O(edges m)."""

    @staticmethod
    def forward(ctx: Any, above: Tensor, weights: Tensor) -> Tensor:
        spread = weights @ above
        ctx.save_for_backward(spread)
        return (above * spread).sum(0)

    @staticmethod
    @once_differentiable
    def backward(ctx: Any, upstream: Tensor) -> tuple[Tensor, None]:
        return 2 * ctx.saved_tensors[0] * upstream, None
