"""The axes that a picture is drawn on; the only place that imports matplotlib."""

from __future__ import annotations

from typing import TYPE_CHECKING

from hypcse.show.colors import INK

if TYPE_CHECKING:
    from matplotlib.axes import Axes

RASTER_LEAVES = 5_000
"""From this many leaves on, branches are rasterized in vector formats, and drawn in fewer pieces."""


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
