"""Make the pictures of docs/concepts: python examples/pictures/concepts.py [folder]."""

from __future__ import annotations

import numpy as np
from canvas import INK, PALE, draw_edges, draw_points, save
from matplotlib import pyplot
from matplotlib.axes import Axes

import hypcse

EDGES = ([0, 0, 1, 2, 3, 3, 4], [1, 2, 2, 3, 4, 5, 5])
PLACES = np.array([(0, 0), (0, 1), (0.8, 0.5), (1.8, 0.5), (2.6, 0), (2.6, 1)])
NAMES = "abcdef"
TREES = {
    "star": "(a,b,c,d,e,f);",
    "two triangles": "((a,b,c),(d,e,f));",
    "c and d swapped": "((a,b,d),(c,e,f));",
    "the best tree": "(((a,b),c),(d,(e,f)));",
}


def draw_graph(ax: Axes) -> None:
    """Six vertices with their names, and their degrees beside them."""
    for i, j in zip(*EDGES, strict=True):
        ax.plot(*PLACES[[i, j]].T, color=INK, linewidth=1.5, zorder=1)
    ax.scatter(*PLACES.T, s=520, color="white", edgecolors=INK, zorder=2)
    degrees = np.bincount(np.concatenate(EDGES))
    for name, degree, (x, y) in zip(NAMES, degrees, PLACES, strict=True):
        ax.text(x, y, name, ha="center", va="center", fontsize=15)
        beside = y + (0.3 if y > 0.5 else -0.3)
        ax.text(x, beside, f"degree {degree}", ha="center", va="center", fontsize=12, color="#666666")
    ax.set_title("the graph")


def draw_tree(ax: Axes, tree: hypcse.Tree, title: str) -> None:
    """A small tree with the volume of every node."""
    volumes = hypcse.entropy_report(tree, six_vertices()).volume
    parent, order = tree.parent, tree.leaf_order()
    x = np.zeros(len(parent))
    level = np.zeros(len(parent))
    x[order] = np.arange(len(order))
    for node in range(tree.n_leaves, len(parent)):
        children = np.flatnonzero(parent == node)
        x[node], level[node] = x[children].mean(), level[children].max() + 1
    for node in range(len(parent) - 1):
        above = parent[node]
        ax.plot([x[node], x[node], x[above]], [level[node], level[above], level[above]], color=PALE, zorder=1)
    for node in range(len(parent)):
        leaf = node < tree.n_leaves
        text = NAMES[node] if leaf else f"{volumes[node]:.0f}"
        box = {"facecolor": "white", "edgecolor": "none" if leaf else INK, "boxstyle": "round,pad=0.25"}
        ax.text(x[node], level[node], text, ha="center", va="center", fontsize=13, bbox=box, zorder=2)
    ax.set_title(f"{title}: {hypcse.structural_entropy(tree, six_vertices()):.3f} bits")
    ax.set_ylim(-0.5, 3.4)


def six_vertices() -> hypcse.Graph:
    return hypcse.Graph.from_edges(*EDGES, [1] * 7, 6)


def six() -> None:
    """Two triangles joined by an edge, and four trees over them."""
    figure, axes = pyplot.subplot_mosaic("gab;gcd", figsize=(11, 5), layout="constrained", width_ratios=(1.3, 1, 1))
    draw_graph(axes["g"])
    for place, (title, text) in zip("abcd", TREES.items(), strict=True):
        draw_tree(axes[place], hypcse.Tree.from_newick(text, [*NAMES]), title)
    for ax in axes.values():
        ax.set_axis_off()
    axes["g"].margins(0.2)
    axes["g"].set_aspect("equal")
    save(figure, "six.svg")


def nested(seed: int = 0, n_points: int = 600) -> np.ndarray:
    """Points of the plane: three groups of three clusters."""
    rng = np.random.default_rng(seed)
    groups = np.array([(0, 0), (9, 0), (4.5, 8)])
    clusters = (groups[:, None] + 2.0 * np.array([(0, 1.1), (-1, -0.6), (1, -0.6)])).reshape(-1, 2)
    return clusters[rng.integers(9, size=n_points)] + rng.normal(scale=0.45, size=(n_points, 2))


def levels() -> None:
    """The graph of points of the plane, and the first levels that are found in it."""
    X = nested()
    model = hypcse.EntropyClustering().fit(X)
    figure, axes = pyplot.subplots(1, 4, figsize=(13, 3.5), layout="constrained")
    draw_edges(axes[0], X, model.graph_)
    draw_points(axes[0], X, np.zeros(len(X), dtype=np.int64), "points and edges")
    for ax, level in zip(axes[1:], model.levels_, strict=False):
        draw_points(ax, X, level, f"{level.max() + 1} clusters")
    save(figure, "levels.png")


if __name__ == "__main__":
    six()
    levels()
