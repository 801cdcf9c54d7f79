"""What notebooks show of a tree, a fitted model and a graph, below the text that names it."""

from __future__ import annotations

import base64
import html
import io
from typing import Any

import numpy as np

from hypcse.graph import Graph
from hypcse.show.plot import dendrogram
from hypcse.tree import Tree

MAX_LEAVES = 200_000
"""Leaves of the largest tree that is drawn without being asked for: some three seconds."""
MAX_COUNTS = 100_000_000
"""Leaves times clusters of the largest tree that is drawn so: colours take time in proportion to both."""
MAX_EDGES = 2_000_000
"""Edges of the largest graph whose components are counted without being asked for: less than a second."""
DRAWN_LEAVES = 50
WIDTH, HEIGHT = 7.2, 3.4
"""Of a picture, in inches."""


def add_picture(value: Any, known: dict[str, Any]) -> dict[str, Any]:
    """What a notebook is told of a value, by kind of content, with a picture below its HTML where it has both."""
    picture = describe_graph(value) if isinstance(value, Graph) else draw_tree(value)
    if picture is None or "text/html" not in known:
        return known
    return {**known, "text/html": f"{known['text/html']}\n{picture}"}


def draw_tree(source: Any) -> str | None:
    """The dendrogram of a tree or a fitted model as an image element.

    None where there is none to draw: before fit, of one leaf, of too many, or without matplotlib.
    """
    tree = getattr(source, "tree_", source)
    if not isinstance(tree, Tree) or not 1 < tree.n_leaves <= MAX_LEAVES:
        return None
    n_clusters = int(np.max(getattr(source, "labels_", 0))) + 1
    if tree.n_leaves * n_clusters > MAX_COUNTS:
        return None
    try:
        from matplotlib.figure import Figure
    except ImportError:
        return None
    # A figure of pyplot would be shown a second time by the notebook.
    figure = Figure(figsize=(WIDTH, HEIGHT), layout="constrained")
    classes = getattr(source, "transduction_", None)
    dendrogram(source, classes, max_leaves=DRAWN_LEAVES, ax=figure.subplots())
    with io.BytesIO() as file:
        figure.savefig(file, format="png", dpi=144)
        data = base64.b64encode(file.getvalue()).decode("ascii")
    words = f'alt="Dendrogram of {tree.n_leaves:,} leaves" width="{96 * WIDTH:.0f}"'
    return f'<img {words} src="data:image/png;base64,{data}">'


def describe_graph(graph: Graph) -> str:
    """A table of what a graph is like."""
    degrees = graph.degrees
    facts = {"vertices": f"{graph.n_vertices:,}", "edges": f"{graph.n_edges:,}"}
    if graph.n_edges <= MAX_EDGES:
        sizes = np.bincount(graph.components())
        facts["components"] = f"{sizes.size:,}" if sizes.size == 1 else f"{sizes.size:,}, the largest {sizes.max():,}"
    facts["volume"] = f"{graph.volume:,.6g}"
    facts["degrees"] = f"{degrees.min():.4g} to {degrees.max():.4g}, median {np.median(degrees):.4g}"
    rows = (f"<tr><th>{name}</th><td>{html.escape(text)}</td></tr>" for name, text in facts.items())
    return f"<table>{''.join(rows)}</table>"
