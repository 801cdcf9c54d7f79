"""What notebooks show for a tree, a fitted model and a graph, below its text."""

from __future__ import annotations

import base64
import html
import io
from typing import Any

import numpy as np

from hypcse.graph import Graph
from hypcse.show.plot.dendrograms import dendrogram
from hypcse.show.source import flat_of
from hypcse.tree import Tree
from hypcse.tree.flat import count_clusters

MAX_LEAVES = 200_000
"""The largest number of leaves that is drawn automatically: about three seconds."""
MAX_COUNTS = 100_000_000
"""The largest product of leaves and clusters that is drawn automatically: colors take time for both."""
MAX_EDGES = 2_000_000
"""The largest number of edges for which components are counted automatically: less than a second."""
DRAWN_LEAVES = 50
WIDTH, HEIGHT = 7.2, 3.4
"""Width of a picture in inches."""


def add_picture(value: Any, known: dict[str, Any]) -> dict[str, Any]:
    """The content for a notebook, by MIME type, with a picture below the HTML if there is one."""
    picture = describe_graph(value) if isinstance(value, Graph) else draw_tree(value)
    if picture is None or "text/html" not in known:
        return known
    return {**known, "text/html": f"{known['text/html']}\n{picture}"}


def draw_tree(source: Any) -> str | None:
    """The dendrogram of a tree or a fitted model as an image element.

    None if there is nothing to draw: before fit, with one leaf or too many, or without matplotlib.
    """
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


def describe_graph(graph: Graph) -> str:
    """A table of facts about a graph."""
    degrees = graph.degrees
    facts = {"vertices": f"{graph.n_vertices:,}", "edges": f"{graph.n_edges:,}"}
    if graph.n_edges <= MAX_EDGES:
        sizes = np.bincount(graph.components())
        facts["components"] = f"{sizes.size:,}" if sizes.size == 1 else f"{sizes.size:,}, the largest {sizes.max():,}"
    facts["volume"] = f"{graph.volume:,.6g}"
    facts["degrees"] = f"{degrees.min():.4g} to {degrees.max():.4g}, median {np.median(degrees):.4g}"
    rows = (f"<tr><th>{name}</th><td>{html.escape(text)}</td></tr>" for name, text in facts.items())
    return f"<table>{''.join(rows)}</table>"
