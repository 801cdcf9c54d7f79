"""The loss of HypHC: Dasgupta's cost, triple by triple, over leaves in the ball."""

from __future__ import annotations

import torch
from torch import Tensor

from hypcse.hyperbolic import lca_depth_of_pairs


def triplet_loss(leaves: Tensor, triples: Tensor, similarities: Tensor, temperature: float) -> Tensor:
    """Mean over triples (i, j, k) of the similarity that is split first, -> scalar.

    Chami, Gu, Chatziafratis and Ré, "From trees to continuous embeddings and back", NeurIPS 2020:

        L = mean of s_ij + s_ik + s_jk - (s_ij, s_ik, s_jk) . softmax((d_ij, d_ik, d_jk) / t),

    where d is the depth of the LCA. As t tends to 0 the softmax picks the pair that meets deepest, and the sum over all
    triples becomes Dasgupta's cost of the tree minus twice the sum of all similarities.

    leaves (n, d) lie in the ball on one radius; triples (b, 3) are ids; similarities (b, 3) are those of the pairs
    (i, j), (i, k) and (j, k).
    """
    rows = leaves[triples.flatten()]
    first = torch.arange(0, len(rows), 3).unsqueeze(1) + torch.tensor([0, 0, 1])
    second = torch.arange(0, len(rows), 3).unsqueeze(1) + torch.tensor([1, 2, 2])
    depth = lca_depth_of_pairs(rows, first, second)
    kept = (similarities * torch.softmax(depth / temperature, dim=1)).sum(1)
    return (similarities.sum(1) - kept).mean()
