"""Lines in panels, as SVG that is the same for the same figures."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable
from io import StringIO
from typing import TypeAlias

import pandas as pd

from benchmarks.evidence.parts import PARTS
from benchmarks.evidence.standing import by_case, by_group
from benchmarks.peers.methods import PEERS
from benchmarks.peers.running import Row, in_order
from benchmarks.peers.sets import set_named

Panels: TypeAlias = dict[str, dict[str, list[tuple[float, float]]]]
"""Points by title of a panel and name of a line."""

OURS = ("hypcse", PEERS[0].name)
HIERARCHIES = ("ward, scipy", "average, scipy", "HDBSCAN, scikit-learn", "EVoC", "Leiden", "Infomap", "Paris")
BACKGROUND = ("hypcse, outliers", "HDBSCAN, scikit-learn", "HDBSCAN, scikit-learn, 15", "mixture", "k-means", "Leiden")


def pictures(frame: pd.DataFrame, peers: Iterable[Row]) -> dict[str, str]:
    """The plots that the records allow, by name."""
    found = {
        "benchmark-levels": (_levels(frame), "known level, 1 is the coarsest", "AMI of the best level"),
        "benchmark-background": (_background(frame), "share of background", "AMI"),
        "benchmark-scale": (_scale(peers), "points", ""),
    }
    return {name: _draw(name, *content) for name, content in found.items() if content[0]}


def _levels(frame: pd.DataFrame) -> Panels:
    """Means over the cases of a group."""
    part, panels = PARTS["hierarchies"], _panels()
    for level in range(1, 5):
        values = by_case(frame, part, f"ami_{level}")
        means = by_group(part, values.dropna(how="all")) if len(values) else values
        for group in means:
            for method in (name for name in (OURS[0], *HIERARCHIES) if name in means.index):
                if means[group].notna()[method]:
                    panels[group][method].append((level, float(means[group][method])))
    return panels


def _background(frame: pd.DataFrame) -> Panels:
    part, panels = PARTS["background"], _panels()
    values = by_case(frame, part, part.measure)
    for method in (name for name in (OURS[0], *BACKGROUND) if name in values):
        for case, value in values[method].dropna().items():
            panels[part.cases[case].group][method].append((part.cases[case].at or 0.0, float(value)))
    return panels


def _scale(rows: Iterable[Row]) -> Panels:
    """Seconds and memory of the sets of 16 columns."""
    panels = _panels()
    for row in sorted(in_order(rows), key=lambda row: set_named(row.points).n_points):
        for title, value in (("seconds", row.seconds), ("peak memory, MB", row.peak_mb)):
            if row.outcome == "done" and value and set_named(row.points).n_columns == 16:
                panels[title][row.method].append((set_named(row.points).n_points, value))
    return panels


def _panels() -> Panels:
    return defaultdict(lambda: defaultdict(list))


def _draw(name: str, panels: Panels, xlabel: str, ylabel: str) -> str:
    from matplotlib import rc_context
    from matplotlib.figure import Figure

    from hypcse.show.colors import MARKERS, palette

    n_columns = min(3, len(panels))
    n_rows = -(-len(panels) // n_columns)
    figure = Figure(figsize=(3.0 * n_columns + 2.0, 2.8 * n_rows), layout="constrained")
    names = list(dict.fromkeys(label for panel in panels.values() for label in panel))
    colors, handles = palette(len(names)), {}
    for place, (title, panel) in enumerate(panels.items(), 1):
        ax = figure.add_subplot(n_rows, n_columns, place)
        for label, points in panel.items():
            k = names.index(label)
            style = {"color": colors[k], "marker": MARKERS[k % 8], "markersize": 4, "linewidth": 1 + (label in OURS)}
            (handles[label],) = ax.plot(*zip(*points, strict=True), **style)
        ax.set(title=title, xlabel=xlabel, ylabel=ylabel)
        if name == "benchmark-scale":
            ax.set(xscale="log", yscale="log")
        elif name == "benchmark-levels":
            ax.set_xticks(range(1, max(map(len, panel.values())) + 1))
        ax.spines[["top", "right"]].set_visible(False)
        ax.grid(axis="y", color="#0001")
    figure.legend(handles.values(), handles.keys(), loc="outside right upper", frameon=False, fontsize="small")
    out = StringIO()
    with rc_context({"svg.fonttype": "none", "svg.hashsalt": name}):
        figure.savefig(out, format="svg", metadata=dict.fromkeys(("Date", "Creator", "Format", "Type")))
    return "\n".join(line.rstrip() for line in out.getvalue().splitlines()) + "\n"
