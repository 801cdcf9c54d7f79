"""Dendrograms of trees of any size and depth."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from hypcse._checks import check_choice, check_count
from hypcse._choices import Heights, Orientation, Scale
from hypcse.graph import Graph, GraphLike
from hypcse.partitions.cuts import best_cut
from hypcse.partitions.nested_levels import levels, main_labels
from hypcse.search.binary import binary_form
from hypcse.show.colors import INK, MAX_LEGEND, node_colors, palette
from hypcse.show.layout import HeightAxis, height_axis
from hypcse.show.plot.axes import axes_or_new, name_beside, side_length
from hypcse.show.plot.branches import Drawing, arrange, draw_branches, label_leaves
from hypcse.show.source import LeafClasses, classes_of, graph_of, leaf_classes, tree_of
from hypcse.tree import Tree
from hypcse.tree.checks import check_names

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
        classes = leaf_classes(main_labels(tree, graph), tree.n_leaves)
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
        _name_classes(ax, classes, orientation)
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


def _name_classes(ax: Axes, classes: LeafClasses, orientation: Orientation) -> None:
    from matplotlib.patches import Patch

    colors = palette(len(classes.names))
    handles = [Patch(color=color, label=name) for name, color in zip(classes.names, colors, strict=True)]
    # On the side without names of leaves.
    name_beside(ax, left=orientation == "left", handles=handles)
