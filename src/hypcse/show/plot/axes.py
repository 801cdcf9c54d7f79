"""The axes that a picture is drawn on; the only place that imports matplotlib."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

RASTER_LEAVES = 5_000
"""From this many leaves on, branches are rasterized in vector formats, and drawn in fewer pieces."""
LEAST_TEXT, MOST_TEXT = 5.0, 9.0
"""Smallest font size that can be read in print, in points, without room for which names are left out; and largest."""
PAD = 8.0
"""Points between the axes and a legend beside them, and behind it."""
LEGEND_SHARE = 0.5
"""The axes give up to this share of their width to a legend."""


def axes_or_new(ax: Axes | None, size: tuple[float, float]) -> Axes:
    """The given axes, or those of a new figure of that size in inches. Does not show the figure."""
    return new_figure(size).subplots() if ax is None else ax


def new_figure(size: tuple[float, float]) -> Figure:
    try:
        from matplotlib import pyplot
    except ImportError:
        raise ImportError(
            'plots need the package matplotlib, which is not installed. pip install "hypcse[plot]"'
        ) from None
    return pyplot.figure(figsize=size, layout="constrained")


def name_beside(ax: Axes, *, left: bool = False, **style: Any) -> None:
    """A legend beside the axes, which make room for it where no layout engine does: it hides nothing of the next."""
    place = {"loc": "upper right", "bbox_to_anchor": (0.0, 1.0)} if left else {"bbox_to_anchor": (1.0, 1.0)}
    legend = ax.legend(**{"loc": "upper left", "frameon": False, "fontsize": "small", **place, **style})
    figure, box = ax.get_figure(root=True), ax.get_position()
    if figure is None or figure.get_layout_engine() is not None:
        return
    taken = legend.get_window_extent().width + PAD * figure.dpi / 72
    width = min(taken / figure.bbox.width, LEGEND_SHARE * box.width)
    ax.set_position((box.x0 + width * left, box.y0, box.width - width, box.height))


def color_patches(names: Mapping[int, str], colors: NDArray[np.float64]) -> list[Any]:
    """The entries of a legend: the color and the name of each code."""
    from matplotlib.patches import Patch

    return [Patch(color=colors[code], label=name) for code, name in names.items()]


def side_length(ax: Axes, upright: bool) -> float:
    """Length, in points, of the lower side of the axes, or of the left one."""
    place = ax.get_position()
    figure = ax.get_figure(root=True)
    size = (6.4, 4.8) if figure is None else figure.get_size_inches()
    return 72 * float(size[0] * place.width if upright else size[1] * place.height)
