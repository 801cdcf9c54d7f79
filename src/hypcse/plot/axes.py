"""The one place that asks for matplotlib."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from matplotlib.axes import Axes


def axes_or_new(ax: Axes | None, size: tuple[float, float]) -> Axes:
    """The given axes, or those of a new figure of that size in inches. Nothing is shown."""
    try:
        from matplotlib import pyplot
    except ImportError:
        raise ImportError(
            'plots need the package matplotlib, which is not installed. pip install "hypcse[plot]"'
        ) from None
    if ax is not None:
        return ax
    return pyplot.subplots(figsize=size, layout="constrained")[1]
