"""Dendrograms of trees of any size and depth: branches, triangles for subtrees, and text at the leaves."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from hypcse._checks import check_choice, check_count
from hypcse._choices import Heights, Orientation, Scale
from hypcse.graph import Graph, GraphLike
from hypcse.kernels.trees.drawing import child_middles
from hypcse.partitions.cuts import best_cut
from hypcse.partitions.nested_levels import levels, levels_and_main
from hypcse.search.binary import binary_form
from hypcse.show.colors import INK, MAX_LEGEND, node_colors, palette
from hypcse.show.layout import HeightAxis, height_axis
from hypcse.show.plot.axes import (
    LEAST_TEXT,
    MOST_TEXT,
    RASTER_LEAVES,
    axes_or_new,
    color_patches,
    name_beside,
    side_length,
)
from hypcse.show.source import classes_of, graph_of, leaf_classes, tree_of
from hypcse.tree import Tree
from hypcse.tree.checks import check_names
from hypcse.tree.nodes import outline

if TYPE_CHECKING:
    from matplotlib.axes import Axes

LETTER = 5.5
"""Approximate width of a letter of the axis title, in points."""


def dendrogram(
    source: Any,
    labels: ArrayLike | None = None,
    *,
    n_clusters: int | None = None,
    max_leaves: int | None = 100,
    graph: GraphLike | None = None,
    names: Sequence[str] | None = None,
    orientation: Orientation = "top",
    features: ArrayLike | None = None,
    scale: Scale = "minmax",
    heights: Heights = "auto",
    legend: bool = True,
    title: str | None = None,
    ax: Axes | None = None,
) -> Axes:
    """Draw a dendrogram; subtrees that do not fit are drawn as triangles with their sizes.

    Parameters
    ----------
    source
        A `Tree`, or a fitted model with `tree_` (its `graph_` and `labels_` are used if it has them).
    labels
        One class per leaf, to color by: grayer where classes mix, gray where the class is None or NaN. By default,
        with a graph, the clusters of the `main_level`.
    n_clusters, max_leaves
        The number of subtrees to draw, chosen by the cut of lowest entropy if there is a graph. Or the largest number
        of leaves to draw: a larger tree is drawn down to the finest of its `levels` with at most that many clusters
        (without a graph: to that many). None draws every leaf.
    graph, names
        A graph over the leaves, for cuts and levels by entropy; and names to use instead of the tree's own.
    orientation
        Where the root is: "top", "bottom", "left" or "right".
    features, scale, heights
        What the axis shows. "distance": the root mean squared distance between joined parts, never decreasing upwards,
        of (n, d) features on that scale or of the model's features. "tree": the tree's own heights. "auto": distances
        if there are features.
    legend, title, ax
        Whether to name the given classes, a title, and the axes to draw on instead of a new figure's.

    Returns
    -------
    Axes
        Distances start at 0. Heights start a little below the lowest join if all joins drawn lie near the top.

    Examples
    --------
    >>> axes = dendrogram(Tree.from_newick("((a,b),(c,d));"))
    >>> [text.get_text() for text in axes.get_xticklabels()]
    ['a', 'b', 'c', 'd']
    """
    check_choice("orientation", orientation, Orientation)
    upright, tree = orientation in ("top", "bottom"), tree_of(source)
    graph = graph_of(source, graph, tree)
    classes = classes_of(source, labels, tree)
    if classes is None and graph is not None:
        classes = leaf_classes(levels_and_main(tree, graph).flat, tree.n_leaves)
    names = tree.names if names is None else check_names(names, tree.n_leaves)
    if n_clusters is not None and graph is not None:
        # Cuts of lowest entropy may split multiway nodes.
        tree = binary_form(tree)
    axis = height_axis(tree, source, features, scale=scale, heights=heights)
    clusters = shown_clusters(tree, graph, n_clusters, max_leaves)
    drawing = arrange(tree, clusters, axis, node_colors(tree, classes))
    ax = axes_or_new(ax, (9.0, 4.8) if upright else (5.6, 8.0))
    draw_branches(ax, drawing, upright)
    label_leaves(ax, drawing, names, upright)
    _frame(ax, drawing, axis, orientation, title)
    if legend and labels is not None and classes is not None and 1 < len(classes.names) <= MAX_LEGEND:
        # On the side without names of leaves.
        handles = color_patches(dict(enumerate(classes.names)), palette(len(classes.names)))
        name_beside(ax, left=orientation == "left", handles=handles)
    return ax


def shown_clusters(
    tree: Tree, graph: Graph | None, n_clusters: int | None, max_leaves: int | None
) -> NDArray[np.int64] | None:
    """Flat labels of the subtrees to draw as one, or None if all leaves are drawn; see `dendrogram`."""
    if n_clusters is not None:
        check_count("n_clusters", n_clusters, 1, tree.n_leaves)
        return tree.cut(n_clusters=n_clusters) if graph is None else best_cut(tree, graph, n_clusters=n_clusters)
    if max_leaves is None or tree.n_leaves <= check_count("max_leaves", max_leaves, 1):
        return None
    fitting = [] if graph is None else [labels for labels in levels(tree, graph) if 0 < labels.max() < max_leaves]
    return fitting[-1] if fitting else tree.cut(n_clusters=max_leaves)


class Drawing(NamedTuple):
    """What is drawn, node by node, with its id in the whole tree, down to the height `base`."""

    position: NDArray[np.float64]
    height: NDArray[np.float64]
    size: NDArray[np.int64]
    color: NDArray[np.float64]
    parent: NDArray[np.int64]
    node: NDArray[np.int64]
    n_leaves: int
    base: float


def arrange(tree: Tree, clusters: NDArray[np.int64] | None, axis: HeightAxis, color: NDArray[np.float64]) -> Drawing:
    """The nodes of a tree down to clusters that are drawn as one (None: to the leaves); colors are of all its nodes."""
    shown, node = (tree, np.arange(tree.n_nodes)) if clusters is None else outline(tree, clusters)
    position = child_middles(shown.parent, shown.first_positions[: shown.n_leaves].astype(np.float64) + 0.5)
    height, size, base, tip = axis.height[node], tree.sizes[node], 0.0, 0.0
    joins = height[shown.n_leaves :]
    if joins.size and not axis.from_zero and 0.6 * joins.max() < joins.min() < joins.max():
        # All joins lie so near the top that they could not be told apart: the picture and its triangles end below them.
        reach = float(np.ptp(joins))
        base, tip = float(joins.min()) - 0.5 * reach, float(joins.min()) - 0.25 * reach
    lowest = np.where(size > 1, tip, base)
    return Drawing(position, np.maximum(height, lowest), size, color[node], shown.parent, node, shown.n_leaves, base)


def draw_branches(ax: Axes, drawing: Drawing, upright: bool) -> None:
    """An elbow from every node to its parent, and a triangle for every subtree."""
    from matplotlib.collections import LineCollection, PolyCollection

    above = drawing.parent[:-1]
    at, up = drawing.position, drawing.height
    elbows = np.stack([at[:-1], up[:-1], at[:-1], up[above], at[above], up[above]], axis=1).reshape(-1, 3, 2)
    order = np.argsort(drawing.size[:-1], kind="stable")
    large = drawing.n_leaves >= RASTER_LEAVES
    ax.add_collection(
        LineCollection(
            list(_turn(elbows[order], upright)),
            colors=drawing.color[:-1][order],
            linewidths=0.4 if large else 1.1,
            capstyle="projecting",
            rasterized=large,
        )
    )
    whole = np.flatnonzero(drawing.size[: drawing.n_leaves] > 1)
    left, right, low = at[whole] - 0.4, at[whole] + 0.4, np.full(whole.size, drawing.base)
    corners = np.stack([left, low, at[whole], up[whole], right, low], axis=1).reshape(-1, 3, 2)
    fill = np.column_stack([drawing.color[whole], np.full(whole.size, 0.35)])
    ax.add_collection(
        PolyCollection(list(_turn(corners, upright)), facecolors=fill, edgecolors=drawing.color[whole], linewidths=0.8)
    )


def _turn(points: NDArray[np.float64], upright: bool) -> NDArray[np.float64]:
    return points if upright else points[..., ::-1]


def label_leaves(ax: Axes, drawing: Drawing, names: tuple[str, ...] | None, upright: bool) -> None:
    """The name of a leaf, or its number, and the size of a subtree in brackets."""
    axis = ax.xaxis if upright else ax.yaxis
    room = side_length(ax, upright) / drawing.n_leaves
    if room < LEAST_TEXT:
        axis.set_ticks([])
        return
    unnamed = "#{}" if (drawing.size[: drawing.n_leaves] > 1).any() else "{}"
    texts = [
        f"({size:,})" if size > 1 else unnamed.format(node) if names is None else names[node]
        for node, size in zip(drawing.node[: drawing.n_leaves].tolist(), drawing.size.tolist(), strict=False)
    ]
    axis.set_ticks(drawing.position[: drawing.n_leaves], texts)
    axis.set_tick_params(length=0, labelsize=min(room, MOST_TEXT))
    if upright and max(map(len, texts)) * 0.6 * MOST_TEXT > room:
        axis.set_tick_params(rotation=90)


def _frame(ax: Axes, drawing: Drawing, axis: HeightAxis, orientation: Orientation, title: str | None) -> None:
    """Set limits and titles of both axes, the side for names, and the visible spines."""
    upright = orientation in ("top", "bottom")
    top = float(drawing.height.max())
    # If all joins lie at 0, the axis starts below them; otherwise its end would hide them.
    reach = (drawing.base, top + 0.03 * (top - drawing.base)) if top > 0 else (-0.05, 1.0)
    along = (0.0, float(drawing.n_leaves))
    ax.set(xlim=along if upright else reach, ylim=reach if upright else along, title=title or "")
    ax.ticklabel_format(axis="y" if upright else "x", useOffset=False)
    if orientation == "bottom":
        ax.invert_yaxis()
        ax.xaxis.tick_top()
    elif orientation == "left":
        ax.invert_xaxis()
        ax.yaxis.tick_right()
    hidden = {"top", "right", "bottom", "left"} - {"left" if upright else "bottom"}
    ax.spines[sorted(hidden)].set_visible(False)
    # The note stands below the title if the axis is long enough.
    noted = axis.note and side_length(ax, not upright) > LETTER * len(axis.note)
    (ax.set_ylabel if upright else ax.set_xlabel)(f"{axis.title}\n({axis.note})" if noted else axis.title, color=INK)
