"""What notebooks show for a tree and a fitted model, below its text."""

from __future__ import annotations

import base64
import io
from typing import Any

from hypcse.show.plot.dendrograms import dendrogram
from hypcse.show.source import flat_of
from hypcse.tree import Tree
from hypcse.tree.flat import count_clusters

MAX_LEAVES = 200_000
"""The largest number of leaves that is drawn automatically: about three seconds."""
MAX_COUNTS = 100_000_000
"""The largest product of leaves and clusters that is drawn automatically: colors take time for both."""
DRAWN_LEAVES = 50
WIDTH, HEIGHT = 7.2, 3.4
"""Width of a picture in inches."""


def add_picture(value: Any, known: dict[str, Any]) -> dict[str, Any]:
    """The content for a notebook, by MIME type, with a picture below the HTML if there is one."""
    picture = draw_tree(value)
    if picture is None or "text/html" not in known:
        return known
    return {**known, "text/html": f"{known['text/html']}\n{picture}"}


def draw_tree(source: Any) -> str | None:
    """The dendrogram as an image element; None before fit, with one leaf or too many, or without matplotlib."""
    tree = getattr(source, "tree_", source)
    if not isinstance(tree, Tree) or not 1 < tree.n_leaves <= MAX_LEAVES:
        return None
    labels = flat_of(source)
    n_clusters = 1 if labels is None else count_clusters(labels)
    if tree.n_leaves * n_clusters > MAX_COUNTS:
        return None
    try:
        from matplotlib.figure import Figure
    except ImportError:
        return None
    # The notebook would show a pyplot figure a second time.
    figure = Figure(figsize=(WIDTH, HEIGHT), layout="constrained")
    classes = getattr(source, "transduction_", None)
    dendrogram(source, classes, max_leaves=DRAWN_LEAVES, ax=figure.subplots())
    with io.BytesIO() as file:
        figure.savefig(file, format="png", dpi=144)
        data = base64.b64encode(file.getvalue()).decode("ascii")
    words = f'alt="Dendrogram of {tree.n_leaves:,} leaves" width="{96 * WIDTH:.0f}"'
    return f'<img {words} src="data:image/png;base64,{data}">'
