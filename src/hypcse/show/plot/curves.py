"""Curves: the course of training, and the entropy by number of clusters."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from hypcse._checks import check_count
from hypcse.entropy import structural_entropy
from hypcse.graph import Graph, GraphLike
from hypcse.partitions.cuts import best_cut, cut_savings
from hypcse.partitions.nested_levels import levels_and_main
from hypcse.search.compression import keep_nodes
from hypcse.show.colors import INK, MARKERS, OKABE_ITO
from hypcse.show.plot.axes import axes_or_new, name_beside, open_frame
from hypcse.show.source import graph_of, tree_of
from hypcse.tree import Tree
from hypcse.tree.nodes import outline

if TYPE_CHECKING:
    from matplotlib.axes import Axes

MAX_CLUSTERS = 1000
"""By default, a profile is drawn up to this many clusters: its tables grow with them."""


def history(model: Any, *, ax: Axes | None = None) -> Axes:
    """Draw the terms of the loss, Eq. (17), and the entropy of the decoded tree by epoch.

    Parameters
    ----------
    model
        A fitted `HypCSE`, or any model with such a `history_`.
    ax
        Where to draw; a new figure by default.

    Returns
    -------
    Axes
        The axes.

    Examples
    --------
    >>> import hypcse
    >>> X, _ = hypcse.datasets.load("optical-digits")
    >>> model = hypcse.HypCSE(n_epochs=2).fit(X[:60])
    >>> len(history(model).lines) > 0
    True
    """
    steps = getattr(model, "history_", None)
    if not steps:
        raise ValueError(
            f"this {type(model).__name__} has no history_ to draw. Call fit first, with n_epochs of at least 1."
        )
    ax = axes_or_new(ax, (6.4, 4.0))
    epochs = [step.epoch for step in steps]
    terms = {"total": "total", "structural entropy": "cse", "contrast": "contrast", "centroid": "centroid"}
    for style, color, (name, term) in zip(("-", "--", "-.", ":"), OKABE_ITO, terms.items(), strict=False):
        ax.plot(epochs, [getattr(step.losses, term) for step in steps], style, color=color, label=f"loss: {name}")
    measured = [(step.epoch, step.entropy) for step in steps if step.entropy is not None]
    if measured:
        mark = "o" if len(measured) <= 50 else ""
        ax.plot(*zip(*measured, strict=True), marker=mark, markersize=3.5, color=INK, label="entropy of the tree")
    ax.set(xlabel="epoch", ylabel="loss and entropy", ylim=(0, None))
    open_frame(ax)
    name_beside(ax)
    return ax


def entropy_profile(
    source: Any, graph: GraphLike | None = None, *, max_clusters: int | None = None, ax: Axes | None = None
) -> Axes:
    """Draw the lowest two-dimensional entropy of all cuts of a tree, by number of clusters.

    The lowest point is `best_cut`. The partitions of `levels` are marked. Each is part of one description of the graph
    with several levels, so the coarse ones lie above the curve's lowest point, and some above the curve.

    Parameters
    ----------
    source
        A `Tree`, or a fitted model with `tree_` and `graph_`.
    graph
        Graph over the leaves: a `Graph`, a networkx graph or a symmetric matrix.
    max_clusters
        The largest number of clusters to draw; by default twice that of the best cut, at most 1,000.
    ax
        Where to draw; a new figure by default.

    Returns
    -------
    Axes
        The axes.

    Notes
    -----
    O(n k) time and memory.

    Examples
    --------
    >>> from hypcse import Graph, graph_linkage
    >>> g = Graph.from_edges([0, 0, 1, 2, 3, 3, 4], [1, 2, 2, 3, 4, 5, 5])
    >>> axes = entropy_profile(graph_linkage(g), g)
    >>> len(axes.lines) > 0
    True
    """
    tree = tree_of(source)
    graph = graph_of(source, graph, tree)
    if graph is None:
        raise ValueError("an entropy profile needs the graph over the leaves. Pass graph=.")
    n_best = int(best_cut(tree, graph).max()) + 1
    if max_clusters is None:
        last = min(max(2 * n_best, 20), MAX_CLUSTERS, tree.n_leaves)
    else:
        last = check_count("max_clusters", max_clusters, 1, tree.n_leaves)
    star = _flat_entropy(tree, graph, np.zeros(tree.n_leaves, np.int64))
    entropy = star - cut_savings(tree, graph, last)
    ax = axes_or_new(ax, (6.4, 4.0))
    ax.plot(np.arange(1, last + 1), entropy, color=OKABE_ITO[0], label="best cut into so many")
    if n_best <= last:
        ax.plot(n_best, entropy[n_best - 1], "o", color=OKABE_ITO[3], label=f"best cut: {n_best:,}")
    _mark_levels(ax, tree, graph)
    ax.set(xlabel="number of clusters", ylabel="two-dimensional entropy (bits)", xscale="log")
    ax.xaxis.set_major_formatter("{x:,.0f}")
    open_frame(ax)
    ax.legend(frameon=False, fontsize="small")
    return ax


def _mark_levels(ax: Axes, tree: Tree, graph: Graph) -> None:
    """Draw one marker per level, coarse to fine, labeled with its number of clusters."""
    levels = levels_and_main(tree, graph)
    for place, (labels, number) in enumerate(zip(levels.labels, levels.n_clusters, strict=True)):
        name = "main level" if place == levels.main else f"level {place + 1}"
        marker, color = MARKERS[1 + place % 7], OKABE_ITO[(1, 2, 4, 5, 7)[min(place, 4)]]
        height = _flat_entropy(tree, graph, labels)
        ax.plot(number, height, marker, color=color, markersize=7, label=f"{name}: {number:,}")


def _flat_entropy(tree: Tree, graph: Graph, labels: NDArray[np.int64]) -> float:
    """Entropy of the tree root - clusters - leaves."""
    top = outline(tree, labels)
    clusters = np.zeros(tree.n_nodes, np.bool_)
    clusters[top.node[: top.tree.n_leaves]] = True
    return structural_entropy(keep_nodes(tree, clusters), graph)
