"""Drawings of a report, as SVG that is the same for the same results."""

from __future__ import annotations

from collections.abc import Mapping
from importlib.util import find_spec
from io import StringIO
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any

import numpy as np

from hypcse.paper.report.summary import Table

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure as Canvas

    from hypcse.paper.report.ranks import Ranks

INK = "#1c2430"


def can_draw() -> bool:
    return find_spec("matplotlib") is not None


def rank_lines(name: str, ranks: Ranks) -> str:
    """A critical-difference diagram: rows at their mean ranks, bars over those that do not differ."""
    canvas = _canvas((8.0, 0.9 + 0.19 * len(ranks.mean)))
    ax = canvas.add_subplot()
    labels = list(ranks.mean)
    half = (len(labels) + 1) // 2
    low, high = 1, len(labels)
    bars = ranks.groups()
    top = 0.4 * len(bars) + 1.1
    for place, (first, last) in enumerate(bars):
        ends = [ranks.mean[first] - 0.06, ranks.mean[last] + 0.06]
        ax.plot(ends, [0.4 * (place + 1) + 0.5] * 2, color=INK, linewidth=2.5, solid_capstyle="round")
    for place, label in enumerate(labels):
        left = place < half
        depth = -0.6 * ((place if left else len(labels) - 1 - place) + 1)
        edge = low - 0.3 if left else high + 0.3
        ax.plot([ranks.mean[label]] * 2 + [edge], [0, depth, depth], color=INK, linewidth=0.7)
        text = f"{label}  {ranks.mean[label]:.2f}" if left else f"{ranks.mean[label]:.2f}  {label}"
        ax.text(edge, depth, text, ha="right" if left else "left", va="center", fontsize=8.5, color=INK)
    ax.hlines(0, low, high, color=INK, linewidth=1)
    for rank in range(low, high + 1):
        ax.vlines(rank, 0, 0.12, color=INK, linewidth=1)
        if rank in (low, high) or rank % 5 == 0:
            ax.text(rank, 0.18, str(rank), ha="center", va="bottom", fontsize=7.5, color="#667")
    ax.plot([low, low + ranks.difference], [top, top], color="#d55e00", linewidth=2.5)
    ax.text(low, top + 0.15, f"critical difference {ranks.difference:.2f}", fontsize=8, color="#d55e00")
    ax.set(xlim=(low - 6, high + 6), ylim=(-0.6 * half - 0.5, top + 0.8))
    ax.set_axis_off()
    return _svg(canvas, name)


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
