"""A dendrogram with the table beside it, row by row: one figure for a paper."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.cluster.hierarchy import leaves_list, linkage
from scipy.optimize import linear_sum_assignment

from hypcse._checks import check_count
from hypcse._choices import Scale
from hypcse.partitions.cluster_table import describe
from hypcse.show.colors import INK, MAX_LEGEND, TRUNK, node_colors, palette
from hypcse.show.layout import height_axis
from hypcse.show.page.contents import known_points
from hypcse.show.page.table import leaf_rows
from hypcse.show.plot.axes import LEAST_TEXT, MOST_TEXT, color_patches, new_figure, side_length
from hypcse.show.plot.dendrograms import arrange, draw_branches
from hypcse.show.source import LeafClasses, classes_of, leaf_classes, tree_of
from hypcse.tree.checks import check_names

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

REACH = 2.0
"""Standard deviations at which the colors of the heat map end."""
HEAT = ("#0b5fa8", "#f4f5f7", "#c8500a")
"""Blue, almost white and orange, as on the page."""
MAX_CELLS = 2_000_000
"""Cells of the heat map; rows that would be more are averaged with their neighbors."""
LONG_TITLE = 22
"""Letters after which the title of a column is cut."""
PIXELS: dict[str, Any] = {"aspect": "auto", "origin": "lower", "interpolation": "nearest"}
"""Leaves go upwards, as in the dendrogram, and cells fill the axes."""
WIDTH, HEIGHT = 7.2, 6.2
"""Inches of the figure: the width of a page of two columns."""


def clustermap(
    source: Any,
    X: Any,
    labels: ArrayLike | None = None,
    *,
    names: Sequence[str] | None = None,
    n_columns: int = 40,
    scale: Scale = "minmax",
    title: str | None = None,
    figure: Figure | None = None,
) -> Figure:
    """Draw the tree, its clusters and the table beside it, row by row, as one figure for print.

    Parameters
    ----------
    source
        A fitted model, or a `Tree`.
    X
        The rows that were clustered: a data frame, an array, or `Points`. Values are shown in standard deviations from
        the mean of their column; columns that vary together stand together.
    labels
        A known class for each row, as a second strip of colors. None or NaN where it is unknown.
    names
        Names of the rows; by default the tree's own or the index of X. Left out where they could not be read.
    n_columns
        The largest number of columns: those that differ most between clusters. A column that does not vary is left out.
    scale
        How features are scaled for the distances that the dendrogram shows, as for `similarity_graph`.
    title
        Title of the figure.
    figure
        Where to draw, with nothing in it; a new figure of the width of a printed page by default.

    Returns
    -------
    Figure
        The figure. `clustermap(model, X).savefig("figure.pdf")` writes it.

    Notes
    -----
    Every leaf is drawn. 100,000 rows take some seconds; rows lower than the resolution of print are averaged.

    Examples
    --------
    >>> import pandas as pd
    >>> from hypcse import EntropyClustering
    >>> cars = pd.DataFrame({"cylinders": [4, 4, 4, 8, 8, 8], "weight (lb)": [2100, 2210, 1990, 4100, 4050, 4210]})
    >>> figure = clustermap(EntropyClustering(n_clusters=2, n_neighbors=2).fit(cars), cars)
    >>> [text.get_text() for text in figure.legends[0].get_texts()]
    ['4 cylinders', '8 cylinders']
    """
    check_count("n_columns", n_columns, 1)
    tree = tree_of(source)
    known = known_points(source, X, labels=labels, names=names)
    table = known.table
    if len(table) != tree.n_leaves:
        raise ValueError(f"X has {len(table)} rows for {tree.n_leaves} leaves. Pass the rows that were clustered.")
    clusters = classes_of(source, None, tree)
    rows = leaf_rows(tree, table, [] if clusters is None else [np.maximum(clusters.codes, 0)], n_columns, MAX_CELLS)
    strips = []
    if clusters is not None:
        short = len(clusters.names) <= MAX_LEGEND
        named = describe(clusters.codes, X, n_columns=0)["name"].to_dict() if short else None
        strips.append(Strip("cluster", clusters, _colors(len(clusters.names)), named))
    if known.labels is not None:
        strips.append(_class_strip(leaf_classes(known.labels, tree.n_leaves), clusters))
    figure = new_figure((WIDTH, HEIGHT)) if figure is None else figure
    if figure.get_layout_engine() is None:
        figure.set_layout_engine("constrained")
    widths = [1.1, *[0.06] * len(strips), 2.0]
    axes = figure.subplots(1, len(widths), width_ratios=widths, gridspec_kw={"wspace": 0.02}, squeeze=False)[0]
    axis = height_axis(tree, source, table, scale=scale, heights="auto")
    drawing = arrange(tree, None, axis, node_colors(tree, clusters))
    draw_branches(axes[0], drawing, upright=False)
    top = float(drawing.height.max()) or 1.0
    axes[0].set(xlim=(1.03 * top, 0), ylim=(0, tree.n_leaves), xlabel=axis.title, yticks=[])
    axes[0].spines[["left", "right", "top"]].set_visible(False)
    order = tree.leaf_order()
    for ax, strip in zip(axes[1:-1], strips, strict=True):
        ax.imshow(strip.colors[strip.classes.codes[order]][:, None], extent=(0, 1, 0, order.size), **PIXELS)
        ax.set(xticks=[0.5], yticks=[])
        ax.set_xticklabels([strip.title], rotation=90, fontsize=MOST_TEXT)
        ax.tick_params(length=0, colors=INK)
        ax.spines[:].set_visible(False)
    titles = known.feature_names or tuple(f"column {k}" for k in range(1, table.shape[1] + 1))
    _draw_heat(figure, axes[-1], rows.values, [titles[k] for k in rows.columns.tolist()])
    _name_rows(axes[-1], names if names is not None else known.names or tree.names, order)
    for strip, side in zip(strips, ("left", "right"), strict=False):
        _name_colors(figure, strip, side)
    if title:
        figure.suptitle(title)
    return figure


class Strip(NamedTuple):
    """A color for each leaf: colors by code, gray for -1 at the end; and names of codes, if there is a key."""

    title: str
    classes: LeafClasses
    colors: NDArray[np.float64]
    names: dict[int, str] | None = None


def _colors(n_colors: int) -> NDArray[np.float64]:
    from matplotlib.colors import to_rgb

    return np.vstack([palette(n_colors), to_rgb(TRUNK)])


def _class_strip(classes: LeafClasses, clusters: LeafClasses | None) -> Strip:
    """A class has the color of the cluster that it shares most leaves with, one class per cluster; others have more."""
    n_classes, n_clusters = len(classes.names), 0 if clusters is None else len(clusters.names)
    code = np.arange(n_classes) + n_clusters
    if clusters is not None:
        both = (classes.codes >= 0) & (clusters.codes >= 0)
        shared = np.zeros((n_classes, n_clusters), np.int64)
        np.add.at(shared, (classes.codes[both], clusters.codes[both]), 1)
        own, cluster = linear_sum_assignment(-shared)
        code[own] = np.where(shared[own, cluster] > 0, cluster, code[own])
    named = dict(enumerate(classes.names)) if n_classes <= MAX_LEGEND else None
    return Strip("class", classes, _colors(n_classes + n_clusters)[[*code, -1]], named)


def _draw_heat(figure: Figure, ax: Axes, values: NDArray[np.float64], titles: Sequence[str]) -> None:
    """The cells, the names of the columns below them, and a key to the colors."""
    from matplotlib.colors import LinearSegmentedColormap

    count = len(titles)
    alike = np.arange(count)
    if min(values.shape) > 2:
        alike = leaves_list(linkage(values.T, "average", "correlation"))
    cells = ax.imshow(
        values[:, alike],
        extent=(0, max(count, 1), 0, len(values)),
        cmap=LinearSegmentedColormap.from_list("page", HEAT),
        vmin=-REACH,
        vmax=REACH,
        **PIXELS,
    )
    ax.set(xticks=[], yticks=[])
    room = side_length(ax, True) / max(count, 1)
    if room >= LEAST_TEXT:
        short = [title if len(title) <= LONG_TITLE else f"{title[: LONG_TITLE - 1]}…" for title in titles]
        ax.set_xticks(np.arange(count) + 0.5, [short[k] for k in alike], rotation=90)
    ax.tick_params(length=0, labelsize=min(room, MOST_TEXT), colors=INK)
    ax.spines[:].set_visible(False)
    key = figure.colorbar(cells, ax=ax, location="top", shrink=0.5, aspect=30, pad=0.01, extend="both")
    key.set_label("standard deviations from the mean", fontsize="small")
    key.ax.tick_params(labelsize="small")
    key.outline.set_visible(False)


def _name_rows(ax: Axes, names: Sequence[str] | None, order: NDArray[np.int64]) -> None:
    """Names of the leaves on the right of the heat map, if there is room."""
    room = side_length(ax, False) / order.size
    if names is None or room < LEAST_TEXT:
        return
    names = check_names(names, order.size)
    low, high = ax.get_ylim()
    ax.yaxis.tick_right()
    ax.set_yticks(low + (np.arange(order.size) + 0.5) * (high - low) / order.size, [names[k] for k in order.tolist()])
    ax.tick_params(axis="y", length=0, labelsize=min(room, MOST_TEXT))


def _name_colors(figure: Figure, strip: Strip, side: str) -> None:
    """A key below all axes: clusters by the names that `describe` gives them on the left, classes on the right."""
    if strip.names is None:
        return
    handles = color_patches(strip.names, strip.colors)
    style: dict[str, Any] = {"loc": f"outside lower {side}", "frameon": False, "fontsize": "small", "alignment": "left"}
    figure.legend(handles=handles, title=strip.title, title_fontsize="small", **style)
