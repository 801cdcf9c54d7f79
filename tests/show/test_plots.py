"""Plots: what they draw lies where the tree says, at any size and depth, and nothing is shown or left behind."""

from __future__ import annotations

import io
import subprocess
import sys
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from matplotlib import pyplot, use
from matplotlib.collections import LineCollection, PolyCollection

import hypcse
from graph_strategies import graphs_with_trees
from hypcse import Graph, Tree, plot
from hypcse.neural.training import TrainingOptions
from hypcse.show.colors import node_colors
from hypcse.show.plot.dendrograms import shown_clusters
from hypcse.show.plot.disks import geodesics
from hypcse.show.source import leaf_classes
from strategies import chain, trees

use("Agg")


@pytest.fixture(autouse=True)
def _closed_figures():
    yield
    pyplot.close("all")


def lines_of(ax) -> list[np.ndarray]:
    """The segments of the one collection of branches."""
    (branches,) = [c for c in ax.collections if isinstance(c, LineCollection)]
    return branches.get_segments()


def drawn(ax) -> None:
    """Draw for good: errors of the back end come only now."""
    ax.figure.savefig(io.BytesIO(), dpi=40)


def distance(a, b):
    return 2 * np.arctanh(np.abs(a - b) / np.abs(1 - np.conj(a) * b))


points = st.complex_numbers(max_magnitude=0.98)


@given(points, points)
def test_geodesics_are_shortest_ways(a, b):
    """The parts of a geodesic are together as long as its ends are far apart."""
    way = geodesics(np.array([a]), np.array([b]), 9)[0]
    assert way[[0, -1]] == pytest.approx(np.array([a, b]), abs=1e-9)
    assert distance(way[:-1], way[1:]).sum() == pytest.approx(distance(a, b), rel=1e-6, abs=1e-6)


@settings(max_examples=15)
@given(trees(min_leaves=1))
def test_disk_draws_every_branch(tree):
    ax = plot.disk(tree, labels=np.arange(tree.n_leaves) % 3)
    assert len(lines_of(ax)) == tree.n_nodes - 1
    assert sum(len(c.get_offsets()) for c in ax.collections if not isinstance(c, LineCollection)) == tree.n_leaves
    pyplot.close("all")


@settings(max_examples=15)
@given(trees(min_leaves=1), st.sampled_from(["top", "bottom", "left", "right"]))
def test_dendrogram_draws_every_branch_at_its_height(tree, orientation):
    ax = plot.dendrogram(tree, orientation=orientation, max_leaves=None)
    lines = lines_of(ax)
    assert len(lines) == tree.n_nodes - 1
    across = 1 if orientation in ("top", "bottom") else 0
    tops = sorted(float(line[-1, across]) for line in lines)
    assert tops == pytest.approx(sorted(tree.height[tree.parent[:-1]].tolist()))
    pyplot.close("all")


@settings(max_examples=20)
@given(graphs_with_trees(min_leaves=3), st.data())
def test_any_graph_and_tree_can_be_drawn(case, data):
    graph, tree = case
    k = data.draw(st.integers(1, tree.n_leaves))
    ax = plot.dendrogram(tree, graph=graph, n_clusters=k)
    whole = [c for c in ax.collections if isinstance(c, PolyCollection)]
    assert len(ax.get_xticklabels()) == k
    assert sum(len(c.get_paths()) for c in whole) <= k
    plot.dendrogram(tree, graph=graph, max_leaves=2)
    pyplot.close("all")


def test_truncation_follows_the_levels_of_least_entropy():
    blocks = np.kron(np.eye(4), np.ones((6, 6)) - np.eye(6)) + 0.01
    graph = Graph.from_scipy(blocks - np.diag(np.diag(blocks)))
    tree = hypcse.graph_linkage(graph)
    sizes = [labels.max() + 1 for labels in hypcse.levels(tree, graph)]
    for room in range(1, 24):
        fitting = [size for size in sizes if size <= room]
        assert shown_clusters(tree, graph, None, room).max() + 1 == (fitting[-1] if fitting else room)
    assert shown_clusters(tree, None, None, 10).max() == 9
    assert shown_clusters(tree, graph, None, 24) is None
    alike = Graph.from_scipy(np.ones((24, 24)))
    assert shown_clusters(hypcse.graph_linkage(alike), alike, None, 10).max() == 9
    ax = plot.dendrogram(tree, graph=graph, n_clusters=4)
    assert [text.get_text() for text in ax.get_xticklabels()] == ["(6)"] * 4


@pytest.mark.parametrize("max_leaves", [100, None])
def test_a_chain_of_100_000_leaves(max_leaves):
    tree = chain(100_000)
    ax = plot.dendrogram(tree, max_leaves=max_leaves)
    drawn(ax)
    assert len(lines_of(ax)) == (2 * 100 - 2 if max_leaves else tree.n_nodes - 1)


def test_names_stand_at_the_leaves():
    tree = Tree.from_newick("((cat:1,dog:1):2,fir:3);")
    ax = plot.dendrogram(tree)
    written = sorted((text.get_position()[0], text.get_text()) for text in ax.get_xticklabels())
    assert [name for _, name in written] == [tree.names[k] for k in tree.leaf_order()]
    ax = plot.disk(tree)
    assert {text.get_text() for text in ax.texts} == {"cat", "dog", "fir"}
    drawn(ax)


class Model:
    """What plots read of a fitted model."""

    def __init__(self, tree, embedding):
        self.tree_, self.embedding_, self.labels_ = tree, embedding, np.arange(tree.n_leaves) % 2


def test_an_embedding_of_the_disk_places_the_leaves():
    angle = np.array([0.1, 0.4, 2.0, 2.5, 4.0])
    places = 0.9 * np.column_stack([np.cos(angle), np.sin(angle)])
    tree = Tree.from_newick("(((0,1),(2,3)),4);")
    ax = plot.disk(Model(tree, places))
    ends = {tuple(np.round(line[0], 6)) for line in lines_of(ax)}
    assert {tuple(np.round(place, 6)) for place in places} <= ends
    assert plot.disk(Model(tree, np.zeros((5, 3)))) is not None


def test_fitted_models_can_be_drawn():
    X, y = (part[:150] for part in hypcse.datasets.load("optical-digits"))
    training = TrainingOptions(evaluate_every=1, hidden_dim=8, projection_dim=4)
    model = hypcse.HypCSE(embed_dim=2, n_epochs=3, training=training).fit(X)
    for ax in (plot.disk(model, y), plot.dendrogram(model), plot.history(model)):
        drawn(ax)
    names = {line.get_label(): line for line in plot.history(model).lines}
    assert names["loss: total"].get_ydata() == pytest.approx([step.losses.total for step in model.history_])
    assert names["entropy of the tree"].get_ydata() == pytest.approx([step.entropy for step in model.history_])


def test_given_axes_are_used_and_no_figure_is_made():
    from matplotlib.figure import Figure

    graph = Graph.from_edges([0, 0, 1, 2, 3, 3, 4], [1, 2, 2, 3, 4, 5, 5])
    tree = hypcse.graph_linkage(graph)
    axes = Figure().subplots(1, 2)
    assert plot.disk(tree, ax=axes[0]) is axes[0]
    assert plot.dendrogram(tree, ax=axes[1]) is axes[1]
    assert pyplot.get_fignums() == []


@pytest.mark.parametrize(
    ("call", "text"),
    [
        (lambda tree: plot.disk("tree.nwk"), "got str"),
        (lambda tree: plot.disk(hypcse.HypCSE()), "Call fit first"),
        (lambda tree: plot.disk(tree, labels=[1, 2]), "labels has shape"),
        (lambda tree: plot.disk(tree, names=["a"]), "1 names for 3 leaves"),
        (lambda tree: plot.dendrogram(tree, orientation="up"), "Choose one of 'top'"),
        (lambda tree: plot.dendrogram(tree, n_clusters=9), "n_clusters=9 must be between 1 and 3"),
        (lambda tree: plot.history(hypcse.HypCSE()), "n_epochs of at least 1"),
    ],
)
def test_errors_name_the_way_out(call, text):
    with pytest.raises((TypeError, ValueError), match=text):
        call(Tree.from_newick("((0,1),2);"))
    assert pyplot.get_fignums() == []


def test_without_matplotlib_the_extra_is_named():
    code = (
        "import sys; sys.modules['matplotlib'] = None\n"
        "import hypcse\n"
        "try:\n    hypcse.plot.disk(hypcse.Tree.from_newick('((0,1),2);'))\n"
        "except ImportError as error:\n    print(error)"
    )
    result = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert 'pip install "hypcse[plot]"' in result.stdout


def test_labels_are_the_second_argument():
    """Of the disk and of the dendrogram alike; by name they go too."""
    tree = Tree.from_newick("((0,1),(2,3));")
    by_place, by_name = plot.dendrogram(tree, ["a", "a", "b", "b"]), plot.dendrogram(tree, labels=["a", "a", "b", "b"])
    texts = [[text.get_text() for text in ax.get_legend().get_texts()] for ax in (by_place, by_name)]
    assert texts == [["a", "b"], ["a", "b"]]


def test_leaves_of_unknown_class_are_grey():
    """They have no place in the legend, and do not gray the branches above others."""
    tree = Tree.from_newick("((0,1),((2,3),4));")
    labels = np.array(["a", None, "b", "b", np.nan], dtype=object)
    gray, (first, second) = node_colors(tree, None)[0], plot.palette(2)
    found = node_colors(tree, leaf_classes(labels, 5))
    assert (found[[1, 4]] == gray).all() and (found[tree.lca(0, 1)] == first).all()
    assert (found[tree.lca(2, 4)] == second).all()
    for draw in (plot.disk, plot.dendrogram):
        ax = draw(tree, labels)
        drawn(ax)
        assert [text.get_text() for text in ax.get_legend().get_texts()] == ["a", "b"]
        drawn(draw(tree, [None] * 5))


def test_a_clustermap_has_the_rows_of_the_table_in_the_order_of_the_leaves():
    X = np.random.default_rng(0).normal(size=(45, 5)) + 9 * np.repeat(np.eye(5)[:3], 15, axis=0)
    X[:, 4] = 1
    model = hypcse.EntropyClustering(3).fit(X)
    figure = plot.clustermap(model, X, np.repeat([0, 1, 2], 15), names=[f"row {k}" for k in range(45)])
    tree, strip, classes, heat = figure.axes[:4]
    order = model.tree_.leaf_order()
    assert tree.get_ylim() == (0, 45) and len(lines_of(tree)) == model.tree_.n_nodes - 1
    cells = np.asarray(heat.images[0].get_array())
    columns = [int(text.get_text().removeprefix("column ")) - 1 for text in heat.get_xticklabels()]
    assert sorted(columns) == [0, 1, 2, 3], "a column that does not vary is left out"
    assert cells == pytest.approx(((X - X.mean(axis=0)) / np.where(X.std(axis=0), X.std(axis=0), 1))[order][:, columns])
    assert np.asarray(strip.images[0].get_array())[:, 0] == pytest.approx(plot.palette(3)[model.labels_[order]])
    assert len(classes.images) == 1
    assert [text.get_text() for text in heat.get_yticklabels()] == [f"row {k}" for k in order]
    assert [text.get_text() for text in figure.legends[0].get_texts()] == model.describe(X)["name"].tolist()
    drawn(tree)
    with pytest.raises(ValueError, match="44 rows for 45 leaves"):
        plot.clustermap(model, X[:44])


@pytest.mark.parametrize("layout", [None, "constrained"])
def test_legends_and_names_hide_nothing(layout):
    """A legend stays off the next axes, and names that could not be read are left out."""
    axes = pyplot.subplots(1, 3, figsize=(12, 4), layout=layout)[1]
    X, y = (part[:300] for part in hypcse.datasets.load("optical-digits"))
    tree = hypcse.EntropyClustering().fit(X).tree_.with_names([f"digit {k}" for k in range(300)])
    plot.dendrogram(tree, y, ax=axes[0])
    plot.disk(tree, y, ax=axes[1])
    axes[2].set_ylabel("next")
    drawn(axes[0])
    for ax, after in pairwise(axes):
        texts = [after.yaxis.get_tightbbox()] if ax is axes[1] else [after.get_window_extent()]
        assert not any(ax.get_legend().get_window_extent().overlaps(box) for box in texts)
    assert not [text for text in axes[1].texts if text.get_text()] and not axes[0].get_xticklabels()
