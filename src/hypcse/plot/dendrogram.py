"""Dendrograms of trees of any size and depth."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from hypcse._checks import check_choice
from hypcse._choices import Heights, Orientation, Scale
from hypcse._heights import check_heights, joined_distances
from hypcse.discrete.binary import binary_form
from hypcse.discrete.levels import main_labels
from hypcse.graph import GraphLike
from hypcse.kernels.trees.arcs import child_middles
from hypcse.plot.axes import axes_or_new
from hypcse.plot.heights import HeightAxis, height_axis, on_binary_form
from hypcse.plot.palette import INK, MAX_LEGEND, LeafClasses, leaf_classes, node_colours, palette
from hypcse.plot.source import classes_of, graph_of
from hypcse.plot.truncate import shown_clusters
from hypcse.tree import Tree
from hypcse.tree.checks import check_names
from hypcse.tree.outline import Outline, outline
from hypcse.tree.source import tree_of

if TYPE_CHECKING:
    from matplotlib.axes import Axes

LEAST_TEXT, MOST_TEXT = 3.5, 9.0
"""Smallest and largest text at the leaves, in points; where there is no room for the smallest there is none."""
RASTER_LEAVES = 5_000
LETTER = 5.5
"""Width of a letter of the axis's title, about, in points."""


class Drawing(NamedTuple):
    """What is drawn, node by node of an outline: place along the axis of the leaves, height, size, colour.

    base : the height at which the picture ends.
    """

    position: NDArray[np.float64]
    height: NDArray[np.float64]
    size: NDArray[np.int64]
    colour: NDArray[np.float64]
    parent: NDArray[np.int64]
    n_leaves: int
    base: float


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
    """Draw a dendrogram; subtrees for which there is no room are triangles with their sizes. Returns the axes.

    Parameters
    ----------
    source
        A `Tree`, or a fitted model with `tree_` (its `graph_` and `labels_` are used where it has them).
    labels
        A class for each leaf, to colour by, greyer where classes mix, grey where the label is None or NaN; with a
        graph, by default, the clusters of the `main_level`.
    n_clusters
        So many subtrees, by the cut of least entropy where there is a graph, from the top otherwise.
    max_leaves
        A tree with more leaves is drawn down to the finest of its `levels` with at most so many clusters, or without a
        graph to so many from the top; None draws every leaf.
    graph
        Over the leaves, for cuts and levels by entropy: a `Graph`, a networkx graph or a symmetric matrix.
    names
        Of the leaves, instead of the tree's own.
    orientation
        Where the root is: "top", "bottom", "left" or "right".
    features
        (n, d) the points behind the leaves, for distances; by default those that a fitted `HypCSE` keeps.
    scale
        How to scale the given features, as for `similarity_graph`; those of a model are scaled already.
    heights
        What is drawn along the axis of heights. "distance": the root mean squared distance between the parts that a
        join joins, or that of a join below it where that is larger. "tree": the tree's own heights. "auto": "distance"
        where there are features, "tree" otherwise. Which subtrees are drawn stays the same.
    legend
        Whether classes are named beside the drawing.
    title
        Above it.
    ax
        Where to draw; a new figure by default.

    Returns
    -------
    Axes
        The axes.

    Notes
    -----
    An axis of distances starts at 0. One of heights does too, or where all joins that are drawn lie near the top a
    little below the lowest of them; there tips of triangles may lie too high. Nothing recurses: a chain of 100,000
    leaves is drawn like any other tree.

    Examples
    --------
    >>> from hypcse import Tree
    >>> axes = dendrogram(Tree.from_newick("((a,b),(c,d));"))
    >>> [text.get_text() for text in axes.get_xticklabels()]
    ['a', 'b', 'c', 'd']
    """
    check_choice("orientation", orientation, Orientation)
    measured = check_heights(heights, source, features)
    tree = tree_of(source)
    graph = graph_of(source, graph, tree)
    classes = classes_of(source, labels, tree)
    if classes is None and graph is not None:
        classes = leaf_classes(main_labels(tree, graph), tree.n_leaves)
    written = tree.names if names is None else check_names(names, tree.n_leaves)
    axis = height_axis(tree, graph, joined_distances(tree, source, features, scale) if measured else None)
    if n_clusters is not None and graph is not None and not tree.is_binary:
        split = binary_form(tree)
        axis = axis._replace(height=on_binary_form(tree, split, axis.height))
        tree = split
    clusters = shown_clusters(tree, graph, n_clusters, max_leaves)
    shown = Outline(tree, np.arange(tree.n_nodes)) if clusters is None else outline(tree, clusters)
    upright = orientation in ("top", "bottom")
    ax = axes_or_new(ax, (9.0, 4.8) if upright else (5.6, 8.0))
    drawing = _arrange(tree, shown, classes, axis)
    _draw(ax, drawing, upright)
    _label_leaves(ax, drawing, shown, written, upright)
    _finish(ax, drawing, orientation, title)
    _title_heights(ax, axis, upright)
    if legend and labels is not None and classes is not None:
        _legend(ax, classes, orientation)
    return ax


def _arrange(tree: Tree, shown: Outline, classes: LeafClasses | None, axis: HeightAxis) -> Drawing:
    top = shown.tree
    position = child_middles(top.parent, top.first_positions[: top.n_leaves].astype(np.float64) + 0.5)
    colour = node_colours(tree, classes)[shown.node]
    height, size = axis.height[shown.node], tree.sizes[shown.node]
    base, tip = (0.0, 0.0) if axis.from_zero else _floor(height[top.n_leaves :])
    lowest = np.where(size > 1, tip, base)
    return Drawing(position, np.maximum(height, lowest), size, colour, top.parent, top.n_leaves, base)


def _floor(joins: NDArray[np.float64]) -> tuple[float, float]:
    """The heights at which the picture and the tips of its triangles end, from those of the joins it shows.

    Both are 0 unless all joins lie near the top, where they could not be told apart.
    """
    if joins.size == 0 or not 0.6 * joins.max() < joins.min() < joins.max():
        return 0.0, 0.0
    low, reach = float(joins.min()), float(joins.max() - joins.min())
    return low - 0.5 * reach, low - 0.25 * reach


def _draw(ax: Axes, drawing: Drawing, upright: bool) -> None:
    """An elbow from every node to its parent, and a triangle for every subtree."""
    from matplotlib.collections import LineCollection, PolyCollection

    above = drawing.parent[:-1]
    at, up = drawing.position, drawing.height
    elbows = np.stack([at[:-1], up[:-1], at[:-1], up[above], at[above], up[above]], axis=1).reshape(-1, 3, 2)
    order = np.argsort(drawing.size[:-1], kind="stable")
    large = drawing.n_leaves >= RASTER_LEAVES
    ax.add_collection(
        LineCollection(
            list(_turned(elbows[order], upright)),
            colors=drawing.colour[:-1][order],
            linewidths=0.4 if large else 1.1,
            capstyle="projecting",
            rasterized=large,
        )
    )
    whole = np.flatnonzero(drawing.size[: drawing.n_leaves] > 1)
    left, right, low = at[whole] - 0.4, at[whole] + 0.4, np.full(whole.size, drawing.base)
    corners = np.stack([left, low, at[whole], up[whole], right, low], axis=1).reshape(-1, 3, 2)
    fill = np.column_stack([drawing.colour[whole], np.full(whole.size, 0.35)])
    ax.add_collection(
        PolyCollection(
            list(_turned(corners, upright)), facecolors=fill, edgecolors=drawing.colour[whole], linewidths=0.8
        )
    )


def _turned(points: NDArray[np.float64], upright: bool) -> NDArray[np.float64]:
    return points if upright else points[..., ::-1]


def _label_leaves(ax: Axes, drawing: Drawing, shown: Outline, names: tuple[str, ...] | None, upright: bool) -> None:
    """The name of a leaf, or its number, and the size of a subtree in brackets."""
    axis = ax.xaxis if upright else ax.yaxis
    room = _room(ax, upright) / drawing.n_leaves
    if room < LEAST_TEXT:
        axis.set_ticks([])
        return
    unnamed = "#{}" if (drawing.size[: drawing.n_leaves] > 1).any() else "{}"
    texts = [
        f"({size:,})" if size > 1 else unnamed.format(node) if names is None else names[node]
        for node, size in zip(shown.node[: drawing.n_leaves].tolist(), drawing.size.tolist(), strict=False)
    ]
    axis.set_ticks(drawing.position[: drawing.n_leaves], texts)
    axis.set_tick_params(length=0, labelsize=min(0.9 * room, MOST_TEXT))
    if upright and max(map(len, texts)) * 0.6 * MOST_TEXT > room:
        axis.set_tick_params(rotation=90)


def _room(ax: Axes, upright: bool) -> float:
    """Length, in points, of the side of the axes along which leaves stand."""
    place = ax.get_position()
    figure = ax.get_figure(root=True)
    size = (6.4, 4.8) if figure is None else figure.get_size_inches()
    return 72 * float(size[0] * place.width if upright else size[1] * place.height)


def _finish(ax: Axes, drawing: Drawing, orientation: Orientation, title: str | None) -> None:
    upright = orientation in ("top", "bottom")
    top = float(drawing.height.max())
    # Where all joins lie at 0, the axis begins below them, or they would be hidden by its end.
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


def _title_heights(ax: Axes, axis: HeightAxis, upright: bool) -> None:
    """The title of the axis of heights, with its note below it where the axis is long enough."""
    noted = axis.note and _room(ax, not upright) > LETTER * len(axis.note)
    text = f"{axis.title}\n({axis.note})" if noted else axis.title
    (ax.set_ylabel if upright else ax.set_xlabel)(text, color=INK)


def _legend(ax: Axes, classes: LeafClasses, orientation: Orientation) -> None:
    from matplotlib.patches import Patch

    if 1 < len(classes.names) <= MAX_LEGEND:
        colours = palette(len(classes.names))
        patches = [Patch(color=colour, label=name) for name, colour in zip(classes.names, colours, strict=True)]
        # Beside the picture, on the side where no names of leaves stand.
        left = orientation == "left"
        ax.legend(
            handles=patches,
            loc="upper right" if left else "upper left",
            bbox_to_anchor=(0.0 if left else 1.0, 1.0),
            frameon=False,
            fontsize="small",
        )
