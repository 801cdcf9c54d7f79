"""The branches of a dendrogram, its triangles, and the text at its leaves."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from numpy.typing import NDArray

from hypcse.kernels.trees.drawing import child_middles
from hypcse.show.layout import HeightAxis
from hypcse.show.plot.axes import LEAST_TEXT, MOST_TEXT, RASTER_LEAVES, side_length
from hypcse.tree import Tree
from hypcse.tree.nodes import outline

if TYPE_CHECKING:
    from matplotlib.axes import Axes


class Drawing(NamedTuple):
    """What is drawn, node by node: position along the leaf axis, height, size, color, parent, and id in the whole tree.

    base : the height at which the picture ends.
    """

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
    height, size = axis.height[node], tree.sizes[node]
    base, tip = (0.0, 0.0) if axis.from_zero else _floor(height[shown.n_leaves :])
    lowest = np.where(size > 1, tip, base)
    return Drawing(position, np.maximum(height, lowest), size, color[node], shown.parent, node, shown.n_leaves, base)


def _floor(joins: NDArray[np.float64]) -> tuple[float, float]:
    """The heights at which the picture and the tips of its triangles end, from the heights of the joins it shows.

    Both are 0 unless all joins lie so near the top that they could not be told apart.
    """
    if joins.size == 0 or not 0.6 * joins.max() < joins.min() < joins.max():
        return 0.0, 0.0
    low, reach = float(joins.min()), float(joins.max() - joins.min())
    return low - 0.5 * reach, low - 0.25 * reach


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
    """Coordinates across and up as x and y."""
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
