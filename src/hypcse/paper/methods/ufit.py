"""UFit: an ultrametric fitted to distances by gradient descent, through single linkage on a graph."""

from __future__ import annotations

from math import inf
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from hypcse._checks import check_count, check_number
from hypcse._threads import worker_threads
from hypcse.graph import Graph, nearest_neighbors
from hypcse.kernels.linkage.merges import join_roots
from hypcse.kernels.linkage.single import partition_tree
from hypcse.kernels.points.kdtree import pair_distances
from hypcse.kernels.trees.ancestors import ancestor_index, pair_ancestors
from hypcse.kernels.trees.sweep import layout, lift_heights
from hypcse.methods.options import Clock, Inputs, check_rate
from hypcse.tree import Tree

if TYPE_CHECKING:
    from torch import Tensor

Ids = NDArray[np.int64]
Reals = NDArray[np.float64]
Edges = tuple[Ids, Ids, Reals]
"""Edges, each once with first < second, shortest first, and their lengths; equal ones by (first, second)."""
# Means of this many losses are compared, and a change below this share of the progress made is none.
_WINDOW = 30
_TOLERANCE = 0.005


def ufit(
    inputs: Inputs,
    *,
    n_neighbors: int = 5,
    size_weight: float = 1.0,
    top_nodes: int = 10,
    learning_rate: float = 0.1,
    n_epochs: int = 500,
    max_seconds: float | None = None,
) -> Tree:
    """Ultrametric fitting by gradient descent (Chierchia and Perret, 2019): docs/methods-gradient.md.

    One value per edge, positive by softplus, is optimized by Adam; the tree is single linkage of the best values, whose
    ultrametric its heights are. O(m log m) per epoch, O(n + m) memory.
    """
    check_count("n_neighbors", n_neighbors, 1)
    check_number("size_weight", size_weight, 0.0)
    check_count("top_nodes", top_nodes, 0)
    check_rate(learning_rate)
    check_count("n_epochs", n_epochs, 1)
    clock = Clock("ufit", inputs.callback, max_seconds)
    n = inputs.n_points
    if n == 1:
        return Tree(np.array([-1]), np.zeros(1))
    alone = inputs.points.features is None
    edges = graph_distances(inputs.graph) if alone else neighbor_distances(inputs.features, n_neighbors)
    with worker_threads(None, n, trains=True):
        linkage, values = _fit(edges, n, learning_rate, n_epochs, clock, size_weight=size_weight, top_nodes=top_nodes)
    # Parts that no edge joins meet at the greatest height.
    height = np.zeros(linkage.parent.size)
    height[n:] = values.max(initial=0.0)
    height[n : n + values.size] = values
    return Tree(linkage.parent, lift_heights(linkage.parent, height))


def _fit(
    edges: Edges, n_points: int, learning_rate: float, n_epochs: int, clock: Clock, **terms: Any
) -> tuple[SingleLinkage, Reals]:
    """The linkage of lowest loss, and the values of its merges."""
    import torch

    first, second, length = edges
    linkage = single_linkage((first, second), length, length, n_points)
    if not linkage.edge.size:
        return linkage, np.zeros(0)
    raw = torch.from_numpy(_before_softplus(length[linkage.edge][linkage.meeting])).requires_grad_()
    optimizer = torch.optim.Adam([raw], lr=learning_rate, amsgrad=True)
    history: list[float] = []
    best = inf, linkage, np.zeros(0)
    for epoch in range(1, n_epochs + 1):
        values = torch.nn.functional.softplus(raw)
        linkage = single_linkage((first, second), values.detach().numpy(), length, n_points)
        loss = ultrametric_loss(values, torch.from_numpy(length), linkage, **terms)
        history.append(loss.item())
        if history[-1] < best[0]:
            best = history[-1], linkage, values.detach().numpy()[linkage.edge]
        last = epoch if _converged(history) else n_epochs
        if clock.stops(epoch, last, history[-1], best[0], "lowest loss"):
            break
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    return best[1:]


def _before_softplus(values: Reals) -> Reals:
    """What softplus takes to these values, those of 0 raised to a thousandth of the median above 0."""
    positive = values[values > 0]
    floor = 1e-3 * float(np.median(positive)) if positive.size else 1e-3
    raised = np.maximum(values, floor)
    return raised + np.log(-np.expm1(-raised))


def _converged(history: list[float]) -> bool:
    """Whether the mean of the last losses differs little from that of those before, against the fall from the worst."""
    if len(history) < 2 * _WINDOW:
        return False
    before, last = np.mean(history[-2 * _WINDOW : -_WINDOW]), np.mean(history[-_WINDOW:])
    return bool(abs(before - last) <= _TOLERANCE * abs(max(history) - last))


def neighbor_distances(X: Reals, n_neighbors: int) -> Edges:
    """Euclidean distances to the nearest neighbors, and along a minimum spanning tree of all points. O(n k)."""
    from hypcse.search.spanning import spanning_tree

    n = len(X)
    neighbors = nearest_neighbors(X, n_neighbors).indices
    spanning = spanning_tree(X)
    a = np.concatenate([np.repeat(np.arange(n), neighbors.shape[1]), spanning.first])
    b = np.concatenate([neighbors.ravel(), spanning.second])
    first, second = np.divmod(np.unique(np.minimum(a, b) * n + np.maximum(a, b)), n)
    return _by_length(first, second, np.sqrt(pair_distances(np.ascontiguousarray(X), first, second)))


def graph_distances(graph: Graph) -> Edges:
    """sqrt(log(heaviest / w)) along the edges: the distances of w = exp(-d^2), nearest at 0."""
    i, j, w = graph.edges()
    length = np.sqrt(np.maximum(np.log(w.max()) - np.log(w), 0.0)) if w.size else np.zeros(0)
    return _by_length(i.astype(np.int64), j.astype(np.int64), length)


def _by_length(*edges: NDArray[Any]) -> Edges:
    """Descent follows differences in the last bit, which sums in another order have: one order whatever the points'."""
    order = np.argsort(edges[2], kind="stable")
    return edges[0][order], edges[1][order], edges[2][order]


class SingleLinkage(NamedTuple):
    """Parents of all nodes, the edge of each merge, at which merge each edge meets, and the smaller side of merges."""

    parent: Ids
    edge: Ids
    meeting: Ids
    smaller: Ids


def single_linkage(ends: tuple[Ids, Ids], values: Reals, lengths: Reals, n_points: int) -> SingleLinkage:
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
    """How far the largest ultrametric u below `values` is from `lengths`, and how uneven its top is, -> scalar.

        L = mean over edges of (u(e) - length(e))^2 + size_weight * mean over top edges of u(e) / smaller(e),

    top edges being those that meet in one of the `top_nodes` last merges (0: in any) of the `linkage` of the values.
    """
    import torch

    heights = values[torch.from_numpy(linkage.edge)]
    ultrametric = heights[torch.from_numpy(linkage.meeting)]
    closeness = (ultrametric - lengths).square().mean()
    lowest = linkage.edge.size - top_nodes if top_nodes else 0
    top = np.flatnonzero(linkage.meeting >= lowest)
    sizes = torch.from_numpy(linkage.smaller[linkage.meeting[top]])
    return closeness + size_weight * (ultrametric[torch.from_numpy(top)] / sizes).mean()
