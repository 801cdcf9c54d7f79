"""The loss of UFit, through single linkage on a graph."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from hypcse.kernels.linkage.merges import join_roots
from hypcse.kernels.linkage.spanning import partition_tree
from hypcse.kernels.trees.ancestors import ancestor_index, pair_ancestors
from hypcse.kernels.trees.sweep import layout

Ends = tuple[NDArray[np.int64], NDArray[np.int64]]


class SingleLinkage(NamedTuple):
    """Single linkage of n points joined by m edges.

    parent : of all nodes; merge k, lightest first, makes node n + k. What no edge joins is joined last.
    edge   : (n_merges,) the edge that makes each merge.
    meeting: (m,) the merge at which the ends of each edge meet.
    smaller: (n_merges,) number of points in the smaller of the two that a merge joins.
    """

    parent: NDArray[np.int64]
    edge: NDArray[np.int64]
    meeting: NDArray[np.int64]
    smaller: NDArray[np.int64]


def single_linkage(
    ends: Ends, values: NDArray[np.float64], lengths: NDArray[np.float64], n_points: int
) -> SingleLinkage:
    """Single linkage by Kruskal; of edges of equal value the shorter first, then in their order. O(m log m)."""
    order = np.lexsort((lengths, values))
    forest, edge = partition_tree(*ends, order, n_points)
    parent = join_roots(forest, np.ones(n_points))
    size, start = layout(parent, n_points)
    met = pair_ancestors(ancestor_index(parent, start, n_points), start, size, *ends)
    smaller = np.full(parent.size, n_points)
    np.minimum.at(smaller, parent[:-1], size[:-1])
    return SingleLinkage(parent, edge, met - n_points, smaller[n_points : n_points + edge.size])


def ultrametric_loss(
    values: Tensor, lengths: Tensor, linkage: SingleLinkage, *, size_weight: float = 1.0, top_nodes: int = 10
) -> Tensor:
    """How far the largest ultrametric below `values` is from `lengths`, and how uneven its top is, -> scalar.

    Chierchia and Perret, "Ultrametric fitting by gradient descent", NeurIPS 2019: the closest ultrametric with the
    cluster-size regularization, as means like their published code has them. With u(e) the least, over paths between
    the ends of e, of the largest value on the path,

        L = mean over edges of (u(e) - length(e))^2 + size_weight * mean over top edges of u(e) / smaller(e),

    smaller(e) being the size of the smaller of the two clusters that join where the ends of e meet, and top edges those
    that meet in one of the `top_nodes` last merges (0: in any). u(e) is the value of one edge, that of the merge; the
    gradient goes to that edge alone. `linkage` is the `single_linkage` of the values (m,).
    """
    heights = values[torch.from_numpy(linkage.edge)]
    ultrametric = heights[torch.from_numpy(linkage.meeting)]
    closeness = (ultrametric - lengths).square().mean()
    lowest = linkage.edge.size - top_nodes if top_nodes else 0
    top = np.flatnonzero(linkage.meeting >= lowest)
    sizes = torch.from_numpy(linkage.smaller[linkage.meeting[top]])
    return closeness + size_weight * (ultrametric[torch.from_numpy(top)] / sizes).mean()
