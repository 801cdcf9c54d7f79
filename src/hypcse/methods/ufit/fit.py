"""Gradient descent on the ultrametric."""

from __future__ import annotations

from math import inf
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from hypcse._checks import check_count
from hypcse._threads import worker_threads
from hypcse.kernels.trees.sweep import lift_heights
from hypcse.methods.inputs import Inputs
from hypcse.methods.progress import Watch, check_positive, check_rate
from hypcse.methods.ufit.distances import Distances, graph_distances, neighbor_distances
from hypcse.tree import Tree

if TYPE_CHECKING:
    from hypcse.methods.ufit.objective import SingleLinkage

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
    watch = Watch(n_epochs, inputs.callback, max_seconds, "lowest loss")
    if inputs.n_points == 1:
        return Tree.single()
    if inputs.points.features is None:
        distances = graph_distances(inputs.graph)
    else:
        distances = neighbor_distances(inputs.features, n_neighbors)
    with worker_threads(None, inputs.n_points, trains=True):
        return _fit(distances, learning_rate, watch, size_weight=size_weight, top_nodes=top_nodes)


def _fit(distances: Distances, learning_rate: float, watch: Watch, **terms: Any) -> Tree:
    import torch

    from hypcse.methods.ufit.objective import single_linkage, ultrametric_loss

    ends = distances.first, distances.second
    linkage = single_linkage(ends, distances.length, distances.length, distances.n_points)
    if not linkage.edge.size:
        return _tree(linkage, np.zeros(0), distances.n_points)
    lengths = torch.from_numpy(distances.length)
    raw = torch.from_numpy(_before_softplus(distances.length[linkage.edge][linkage.meeting])).requires_grad_()
    optimizer = torch.optim.Adam([raw], lr=learning_rate, amsgrad=True)
    history: list[float] = []
    best, tree = inf, None
    for epoch in range(1, watch.n_steps + 1):
        values = torch.nn.functional.softplus(raw)
        linkage = single_linkage(ends, values.detach().numpy(), distances.length, distances.n_points)
        loss = ultrametric_loss(values, lengths, linkage, **terms)
        history.append(loss.item())
        if history[-1] < best:
            best, tree = history[-1], (linkage, values.detach().numpy()[linkage.edge])
        if watch.stops(epoch, history[-1], best, last=_converged(history)):
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
