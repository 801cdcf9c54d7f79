"""Drawings of a report, as SVG that is the same for the same results."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from importlib.util import find_spec
from io import StringIO
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any

import numpy as np

from hypcse.paper.report.render import Picture
from hypcse.paper.report.summary import Table

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure as Canvas


def can_draw() -> bool:
    return find_spec("matplotlib") is not None


def picture(name: str, caption: str, draw: Callable[..., str], *content: Any) -> Iterator[Picture]:
    """A drawing under its name, if matplotlib is installed."""
    if can_draw():
        yield Picture(name, draw(name, *content), caption)


def curves(name: str, axis: str, at: Mapping[str, float], tables: Mapping[str, Table]) -> str:
    """Figures over the values of an option, one panel per metric and one line per data set, deviations as bars."""
    canvas = _canvas((4.0 * len(tables) + 1.4, 3.4))
    data_sets = list(dict.fromkeys(data for table in tables.values() for row in table.values() for data in row))
    for panel, (metric, table) in enumerate(tables.items()):
        ax = canvas.add_subplot(1, len(tables), panel + 1)
        for data, style in zip(data_sets, _styles(len(data_sets)), strict=True):
            labels = [label for label in at if data in table.get(label, {}) and table[label][data].n_seeds]
            means = [table[label][data].mean for label in labels]
            spread = [table[label][data].deviation for label in labels]
            places = [list(at).index(label) for label in labels]
            ax.errorbar(places, means, spread, **style, elinewidth=0.7, capsize=2, label=data)
        ax.set_xticks(range(len(at)), [f"{value:g}" for value in at.values()])
        ax.set(xlabel=axis, ylabel=metric)
        _open(ax)
    return _with_legend(canvas, name)


def growth(name: str, sizes: Mapping[str, int], table: Table, ylabel: str) -> str:
    """Figures over numbers of points, both axes logarithmic."""
    canvas = _canvas((6.8, 4.0))
    ax = canvas.add_subplot()
    for (label, row), style in zip(table.items(), _styles(len(table)), strict=True):
        known = [data for data in sizes if data in row and row[data].n_seeds]
        ax.plot([sizes[data] for data in known], [row[data].mean for data in known], **style, label=label)
    ax.set(xscale="log", yscale="log", xlabel="points", ylabel=ylabel)
    ax.set_xticks(list(sizes.values()), [f"{size:,}" for size in sizes.values()], fontsize="small")
    ax.minorticks_off()
    _open(ax)
    return _with_legend(canvas, name)


def _styles(n_lines: int) -> list[dict[str, Any]]:
    from hypcse.show.colors import MARKERS, palette

    shared = {"markersize": 4, "linewidth": 1.2}
    return [{"color": color, "marker": MARKERS[k % 8], **shared} for k, color in enumerate(palette(n_lines))]


def _with_legend(canvas: Canvas, name: str) -> str:
    canvas.axes[-1].legend(loc="upper left", bbox_to_anchor=(1.0, 1.0), frameon=False, fontsize="small")
    return _svg(canvas, name)


def disks(name: str, pictures: Mapping[str, dict[str, Any]]) -> str:
    """Trees in the Poincare disk, side by side, colored by class."""
    from hypcse.show.plot.disks import disk
    from hypcse.tree import Tree

    canvas = _canvas((4.6 * len(pictures), 4.4))
    for panel, (title, picture) in enumerate(pictures.items()):
        tree = Tree(np.array(picture["parent"]), np.array(picture["height"]))
        model = SimpleNamespace(tree_=tree, embedding_=np.array(picture["embedding"]))
        ax = canvas.add_subplot(1, len(pictures), panel + 1)
        disk(model, picture["classes"], legend=False, title=title, ax=ax)
    return _svg(canvas, name)


def _open(ax: Axes) -> None:
    ax.spines[["top", "right"]].set_visible(False)
    ax.grid(axis="y", color="#0001")


def _canvas(size: tuple[float, float]) -> Canvas:
    from matplotlib.figure import Figure

    return Figure(figsize=size, layout="constrained")


def _svg(canvas: Canvas, name: str) -> str:
    from matplotlib import rc_context

    out = StringIO()
    with rc_context({"svg.fonttype": "none", "svg.hashsalt": name}):
        canvas.savefig(out, format="svg", metadata=dict.fromkeys(("Date", "Creator", "Format", "Type")))
    return "\n".join(line.rstrip() for line in out.getvalue().splitlines()) + "\n"
