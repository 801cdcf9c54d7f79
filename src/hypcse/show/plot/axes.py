"""The axes that a picture is drawn on; the only place that imports matplotlib."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from numpy.typing import NDArray

from hypcse._checks import check_count
from hypcse.graph import Graph
from hypcse.partitions.cuts import best_cut
from hypcse.partitions.nested_levels import levels
from hypcse.search.binary import binary_form
from hypcse.show.colors import INK
from hypcse.show.layout import HeightAxis, on_binary_form
from hypcse.tree import Tree
from hypcse.tree.nodes import Outline, outline

if TYPE_CHECKING:
    from matplotlib.axes import Axes

RASTER_LEAVES = 5_000
"""From this many leaves on, branches are rasterised in vector formats, and drawn in fewer pieces."""


def axes_or_new(ax: Axes | None, size: tuple[float, float]) -> Axes:
    """The given axes, or those of a new figure of that size in inches. Does not show the figure."""
    if ax is not None:
        return ax
    try:
        from matplotlib import pyplot
    except ImportError:
        raise ImportError(
            'plots need the package matplotlib, which is not installed. pip install "hypcse[plot]"'
        ) from None
    return pyplot.subplots(figsize=size, layout="constrained")[1]


def open_frame(ax: Axes) -> None:
    """Hide the top and right lines of the axes."""
    ax.spines[["top", "right"]].set_visible(False)
    ax.tick_params(colors=INK)


class Top(NamedTuple):
    """The part of a tree that is drawn.

    tree    : the whole tree, or its binary form if that is what is cut.
    outline : its top, down to the clusters that are drawn as one.
    axis    : the heights of the nodes of `tree`.
    """

    tree: Tree
    outline: Outline
    axis: HeightAxis


def truncate(tree: Tree, graph: Graph | None, axis: HeightAxis, n_clusters: int | None, max_leaves: int | None) -> Top:
    """The top of a tree, as far down as there is room; see `shown_clusters`."""
    if n_clusters is not None and graph is not None and not tree.is_binary:
        split = binary_form(tree)
        axis = axis._replace(height=on_binary_form(tree, split, axis.height))
        tree = split
    clusters = shown_clusters(tree, graph, n_clusters, max_leaves)
    shown = Outline(tree, np.arange(tree.n_nodes)) if clusters is None else outline(tree, clusters)
    return Top(tree, shown, axis)


def shown_clusters(
    tree: Tree, graph: Graph | None, n_clusters: int | None, max_leaves: int | None
) -> NDArray[np.int64] | None:
    """Flat labels of the subtrees to draw as one, or None if all leaves are drawn.

    n_clusters : number of subtrees, by the cut of lowest entropy if there is a graph, otherwise from the top.
    max_leaves : if the tree has more leaves, the finest of its `levels` with 2 to `max_leaves` clusters; without a
                 graph or such a level, that many clusters from the top.
    """
    if n_clusters is not None:
        check_count("n_clusters", n_clusters, 1, tree.n_leaves)
        return tree.cut(n_clusters=n_clusters) if graph is None else best_cut(tree, graph, n_clusters=n_clusters)
    if max_leaves is None or tree.n_leaves <= check_count("max_leaves", max_leaves, 1):
        return None
    found = [] if graph is None else [labels for labels in levels(tree, graph) if 0 < labels.max() < max_leaves]
    return found[-1] if found else tree.cut(n_clusters=max_leaves)
