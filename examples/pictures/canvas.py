"""What the pictures of the docs share: where they go, their colors, and points with their edges."""

from __future__ import annotations

import sys
from pathlib import Path

import matplotlib

matplotlib.use("Agg")

import numpy as np
from matplotlib.axes import Axes
from matplotlib.collections import LineCollection
from matplotlib.figure import Figure
from numpy.typing import NDArray
from PIL import Image

import hypcse
from hypcse.plot import palette

FOLDER = Path(sys.argv[1] if len(sys.argv) > 1 else Path(__file__).parents[2] / "docs" / "images")
INK, PALE = "#333333", "#cccccc"
# Pages show pictures at about half their size.
matplotlib.rcParams.update({"font.size": 14, "axes.titlesize": 15})


def save(figure: Figure, name: str) -> None:
    """Write a picture as SVG without a date, or as PNG of 256 colors where it has thousands of marks."""
    FOLDER.mkdir(parents=True, exist_ok=True)
    path = FOLDER / name
    options = {"metadata": {"Date": None}} if path.suffix == ".svg" else {"dpi": 100}
    figure.savefig(path, **options)
    if path.suffix == ".png":
        Image.open(path).convert("RGB").quantize(256, dither=Image.Dither.NONE).save(path, optimize=True)
    print(path.name, f"{path.stat().st_size / 1000:.0f} kB")


def draw_points(ax: Axes, X: NDArray[np.float64], clusters: NDArray[np.int64], title: str) -> None:
    """Points of the plane, one color per cluster; the largest clusters have the first colors."""
    sizes = np.bincount(clusters)
    rank = np.argsort(np.argsort(-sizes, kind="stable"))
    colors = np.array(palette(len(sizes)))
    ax.scatter(X[:, 0], X[:, 1], s=6, c=colors[rank[clusters]], linewidths=0, zorder=2)
    ax.set_title(title)
    ax.set_xticks([])
    ax.set_yticks([])


def draw_edges(ax: Axes, X: NDArray[np.float64], graph: hypcse.Graph) -> None:
    """The edges of a graph, as pale lines below the points."""
    i, j, _ = graph.edges()
    ax.add_collection(LineCollection(np.stack([X[i], X[j]], axis=1), colors=PALE, linewidths=0.4, zorder=1))
