"""A tree in the Poincare disk."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from hypcse.show.colors import INK, MARKERS, MAX_LEGEND, OKABE_ITO, TRUNK, node_colors, palette
from hypcse.show.layout import model_layout
from hypcse.show.plot.axes import LEAST_TEXT, MOST_TEXT, RASTER_LEAVES, axes_or_new, name_beside, side_length
from hypcse.show.source import LeafClasses, classes_of, tree_of
from hypcse.tree import Tree
from hypcse.tree.checks import check_names

if TYPE_CHECKING:
    from matplotlib.axes import Axes


def disk(
    source: Any,
    labels: ArrayLike | None = None,
    *,
    names: Sequence[str] | None = None,
    legend: bool = True,
    title: str | None = None,
    ax: Axes | None = None,
) -> Axes:
    """Draw a tree in the hyperbolic plane: leaves at the rim, branches along geodesics.

    Parameters
    ----------
    source
        A `Tree`, or a fitted model with `tree_`. A model with an `embedding_` in the unit disk is drawn by it, with
        its nodes at the LCAs of Eq. (6). Any other tree gets a layout with every subtree in its own sector.
    labels
        One class per leaf, to color by; by default the model's `labels_`. A branch has the color of the largest
        class under it, grayer the more classes mix. Where the label is None or NaN, leaves are gray.
    names
        Names to write around the rim; by default the tree's own. Left out where they could not be read.
    legend
        Whether to name the classes beside the drawing.
    title
        Title of the drawing.
    ax
        Where to draw; a new figure by default.

    Returns
    -------
    Axes
        The axes.

    Notes
    -----
    O(n k) for k classes; a tree of 10,000 leaves takes about a second.

    Examples
    --------
    >>> from hypcse import Tree
    >>> disk(Tree.from_newick("((a,b),(c,d));")).get_title()
    ''
    """
    tree = tree_of(source)
    classes = classes_of(source, labels, tree)
    names = tree.names if names is None else check_names(names, tree.n_leaves)
    ax = axes_or_new(ax, (6.4, 6.4))
    from matplotlib.patches import Circle

    # Points around the rim for each name.
    room = 0.8 * np.pi * min(side_length(ax, True), side_length(ax, False)) / tree.n_leaves
    names = names if room >= LEAST_TEXT else None
    layout = model_layout(source, tree)
    places = np.tanh(layout.radius / 2) * np.exp(1j * layout.angle)
    _draw_branches(ax, tree, places, node_colors(tree, classes))
    _draw_leaves(ax, places[: tree.n_leaves], classes, legend)
    if names is not None:
        _write_names(ax, places[: tree.n_leaves], names, min(room, MOST_TEXT))
    # The rim of the plane, and room for names around it.
    ax.add_patch(Circle((0, 0), 1, fill=False, edgecolor="#d5d9df", linewidth=0.8, zorder=1))
    reach = 1.03 if names is None else 1.08 + 0.018 * max(map(len, names))
    ax.set(xlim=(-reach, reach), ylim=(-reach, reach), aspect="equal", title=title or "")
    ax.set_axis_off()
    return ax


def geodesics(start: NDArray[np.complex128], end: NDArray[np.complex128], n_points: int) -> NDArray[np.complex128]:
    """Points along geodesics, (n, n_points): each is an arc that turns by 2 arg(1 - conj(a) b) from a to b."""
    half = np.angle(1 - start.conj() * end)[:, None]
    t = np.linspace(0, 1, n_points)
    straight = np.abs(half) < 1e-9
    safe = np.where(straight, 1.0, half)
    share = np.where(straight, t, np.sin(t * safe) / np.sin(safe))
    return start[:, None] + (end - start)[:, None] * share * np.exp(1j * (t - 1) * half)


def _draw_branches(ax: Axes, tree: Tree, places: NDArray[np.complex128], colors: NDArray[np.float64]) -> None:
    from matplotlib.collections import LineCollection

    large = tree.n_leaves >= RASTER_LEAVES
    lines = geodesics(places[:-1], places[tree.parent[:-1]], 7 if large else 17)
    # Large subtrees are drawn last and thicker: the trunk lies on top of its twigs.
    order = np.argsort(tree.sizes[:-1], kind="stable")
    width = 0.5 + 1.3 * np.log1p(tree.sizes[:-1]) / np.log1p(tree.n_leaves)
    points = np.stack([lines.real, lines.imag], axis=-1)
    ax.add_collection(
        LineCollection(
            list(points[order]),
            colors=colors[:-1][order],
            linewidths=width[order] * (0.6 if large else 1),
            capstyle="round",
            rasterized=large,
            zorder=2,
        )
    )


def _draw_leaves(ax: Axes, places: NDArray[np.complex128], classes: LeafClasses | None, legend: bool) -> None:
    size = float(np.clip(9000 / places.size, 0.4, 26))
    common: dict[str, Any] = {"s": size, "linewidths": 0.3 if size > 5 else 0, "edgecolors": "white", "zorder": 3}
    if classes is None:
        ax.scatter(places.real, places.imag, color=INK, **common)
        return
    unknown = places[classes.codes < 0]
    ax.scatter(unknown.real, unknown.imag, color=TRUNK, **common)
    for code, (name, color) in enumerate(zip(classes.names, palette(len(classes.names)), strict=True)):
        here = places[classes.codes == code]
        marker = MARKERS[code // len(OKABE_ITO) % len(MARKERS)]
        ax.scatter(here.real, here.imag, color=color, marker=marker, label=name, **common)
    if legend and 1 < len(classes.names) <= MAX_LEGEND:
        # Its dots are visible, even if those of the leaves are tiny.
        name_beside(ax, markerscale=np.sqrt(26 / size), handletextpad=0.2)


def _write_names(ax: Axes, places: NDArray[np.complex128], names: Sequence[str], size: float) -> None:
    """Names along the radii, readable on both sides."""
    for place, name in zip(places, names, strict=True):
        angle = np.angle(place)
        left, turned = abs(angle) > np.pi / 2, float(np.degrees(angle))
        style: dict[str, Any] = {"rotation_mode": "anchor", "va": "center", "fontsize": size, "color": INK}
        style |= {"rotation": turned + 180, "ha": "right"} if left else {"rotation": turned, "ha": "left"}
        ax.text(1.03 * np.cos(angle), 1.03 * np.sin(angle), name, **style)
