"""UFit: an ultrametric fitted to distances by gradient descent, through single linkage on a graph."""

from __future__ import annotations

from math import inf
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from hypcse._checks import check_count
from hypcse._threads import worker_threads
from hypcse.graph import Graph, nearest_neighbors
from hypcse.kernels.linkage.merges import join_roots
from hypcse.kernels.linkage.single import partition_tree
from hypcse.kernels.points.kdtree import pair_distances
from hypcse.kernels.trees.ancestors import ancestor_index, pair_ancestors
from hypcse.kernels.trees.sweep import layout, lift_heights
from hypcse.methods.options import Clock, Inputs, check_positive, check_rate
from hypcse.tree import Tree

if TYPE_CHECKING:
    from torch import Tensor

Ends = tuple[NDArray[np.int64], NDArray[np.int64]]
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
    """Ultrametric fitting by gradient descent (Chierchia and Perret, 2019), with its "closest and size" loss.

    One value per edge, positive by softplus, starts at the subdominant ultrametric of the distances and is optimised by
    Adam; the tree is single linkage of the values with the lowest loss, with the fitted ultrametric as heights.

    n_neighbors : edges join each point to so many nearest others, and all points along a minimum spanning tree. Without
                  X the edges are those of the graph, sqrt(log(heaviest / w)) long.
    size_weight : weight of the size term; top_nodes : how many of the last merges it looks at, 0 for all.
    n_epochs    : most steps; it stops when two means of 30 losses differ by less than 0.5 % of the progress so far.

    No randomness. O(m log m) per epoch, O(n + m) memory.
    """
    check_count("n_neighbors", n_neighbors, 1)
    check_positive("size_weight", size_weight, zero=True)
    check_count("top_nodes", top_nodes, 0)
    check_rate(learning_rate)
    check_count("n_epochs", n_epochs, 1)
    clock = Clock("ufit", inputs.callback, max_seconds)
    if inputs.n_points == 1:
        return Tree.single()
    if inputs.points.features is None:
        distances = graph_distances(inputs.graph)
    else:
        distances = neighbor_distances(inputs.features, n_neighbors)
    with worker_threads(None, inputs.n_points, trains=True):
        return _fit(distances, learning_rate, n_epochs, clock, size_weight=size_weight, top_nodes=top_nodes)


def _fit(distances: Distances, learning_rate: float, n_epochs: int, clock: Clock, **terms: Any) -> Tree:
    import torch

    ends = distances.first, distances.second
    linkage = single_linkage(ends, distances.length, distances.length, distances.n_points)
    if not linkage.edge.size:
        return _tree(linkage, np.zeros(0), distances.n_points)
    lengths = torch.from_numpy(distances.length)
    raw = torch.from_numpy(_before_softplus(distances.length[linkage.edge][linkage.meeting])).requires_grad_()
    optimizer = torch.optim.Adam([raw], lr=learning_rate, amsgrad=True)
    history: list[float] = []
    best, tree = inf, None
    for epoch in range(1, n_epochs + 1):
        values = torch.nn.functional.softplus(raw)
        linkage = single_linkage(ends, values.detach().numpy(), distances.length, distances.n_points)
        loss = ultrametric_loss(values, lengths, linkage, **terms)
        history.append(loss.item())
        if history[-1] < best:
            best, tree = history[-1], (linkage, values.detach().numpy()[linkage.edge])
        last = epoch if _converged(history) else n_epochs
        if clock.stops(epoch, last, history[-1], best, "lowest loss"):
            break
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    assert tree is not None
    return _tree(*tree, distances.n_points)


def _before_softplus(values: NDArray[np.float64]) -> NDArray[np.float64]:
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


def _tree(linkage: SingleLinkage, heights: NDArray[np.float64], n_points: int) -> Tree:
    """The tree of single linkage; parts that no edge joins meet at the greatest height."""
    height = np.zeros(linkage.parent.size)
    height[n_points:] = heights.max(initial=0.0)
    height[n_points : n_points + heights.size] = heights
    return Tree(linkage.parent, lift_heights(linkage.parent, height))


class Distances(NamedTuple):
    """Edges, each once with first < second, shortest first; the distance of their ends; how many points.

    Descent follows differences in the last bit, and sums in another order have them. By length, the edges come in one
    order whatever that of the points; equal lengths by (first, second).
    """

    first: NDArray[np.int64]
    second: NDArray[np.int64]
    length: NDArray[np.float64]
    n_points: int


def neighbor_distances(X: NDArray[np.float64], n_neighbors: int) -> Distances:
    """Euclidean distances to the nearest neighbours, and along a minimum spanning tree of all points. O(n k)."""
    from hypcse.search.spanning import spanning_tree

    n = len(X)
    neighbors = nearest_neighbors(X, n_neighbors).indices
    spanning = spanning_tree(X)
    a = np.concatenate([np.repeat(np.arange(n), neighbors.shape[1]), spanning.first])
    b = np.concatenate([neighbors.ravel(), spanning.second])
    code = np.unique(np.minimum(a, b) * n + np.maximum(a, b))
    first, second = code // n, code % n
    return _by_length(first, second, np.sqrt(pair_distances(np.ascontiguousarray(X), first, second)), n)


def graph_distances(graph: Graph) -> Distances:
    """sqrt(log(heaviest / w)) along the edges: the distances of w = exp(-d^2), nearest at 0."""
    i, j, w = graph.edges()
    length = np.sqrt(np.maximum(np.log(w.max()) - np.log(w), 0.0)) if w.size else np.zeros(0)
    return _by_length(i.astype(np.int64), j.astype(np.int64), length, graph.n_vertices)


def _by_length(
    first: NDArray[np.int64], second: NDArray[np.int64], length: NDArray[np.float64], n_points: int
) -> Distances:
    order = np.argsort(length, kind="stable")
    return Distances(first[order], second[order], length[order], n_points)


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
    import torch

    heights = values[torch.from_numpy(linkage.edge)]
    ultrametric = heights[torch.from_numpy(linkage.meeting)]
    closeness = (ultrametric - lengths).square().mean()
    lowest = linkage.edge.size - top_nodes if top_nodes else 0
    top = np.flatnonzero(linkage.meeting >= lowest)
    sizes = torch.from_numpy(linkage.smaller[linkage.meeting[top]])
    return closeness + size_weight * (ultrametric[torch.from_numpy(top)] / sizes).mean()
