"""The axis of heights: distances between joined parts where there are features, the tree's own heights otherwise."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from matplotlib import pyplot, use
from matplotlib.collections import LineCollection, PolyCollection

import hypcse
from graph_strategies import graphs_with_trees
from hypcse import Graph, Tree, plot
from hypcse.graph import scale_features
from hypcse.search.binary import binary_form
from hypcse.tree.nodes import merge_distances
from strategies import trees

use("Agg")
ORIENTATIONS = ("top", "bottom", "left", "right")


@pytest.fixture(autouse=True)
def _closed_figures():
    yield
    pyplot.close("all")


def points_of(tree: Tree, seed: int = 0) -> np.ndarray:
    return np.random.default_rng(seed).normal(size=(tree.n_leaves, 3)) * [1, 10, 100]


def tops_of(ax, orientation: str = "top") -> list[float]:
    """Where branches end, along the axis of heights."""
    (branches,) = [c for c in ax.collections if isinstance(c, LineCollection)]
    across = 1 if orientation in ("top", "bottom") else 0
    return sorted(float(line[-1, across]) for line in branches.get_segments())


def tips_of(ax) -> list[float]:
    """Heights of the triangles."""
    whole = [c for c in ax.collections if isinstance(c, PolyCollection)]
    return sorted(float(path.vertices[:, 1].max()) for c in whole for path in c.get_paths())


class Model:
    """What plots read of a fitted model."""

    def __init__(self, tree, scaled):
        self.tree_, self._scaled = tree, scaled


@settings(max_examples=20)
@given(trees(min_leaves=1), st.sampled_from(ORIENTATIONS), st.sampled_from(["minmax", "standard", "none"]))
def test_branches_end_at_the_distances_of_the_scaled_features(tree, orientation, scale):
    X = points_of(tree)
    ax = plot.dendrogram(tree, features=X, scale=scale, orientation=orientation, max_leaves=None)
    expected = merge_distances(tree, scale_features(X, scale))
    assert tops_of(ax, orientation) == pytest.approx(sorted(expected[tree.parent[:-1]].tolist()))
    pyplot.close("all")


@settings(max_examples=20)
@given(graphs_with_trees(min_leaves=3), st.data())
def test_triangles_are_as_high_as_their_parts_are_apart(case, data):
    """Also where nodes of many children must be split to give so many clusters."""
    graph, tree = case
    X = points_of(tree)
    k = data.draw(st.integers(1, tree.n_leaves))
    ax = plot.dendrogram(tree, graph=graph, n_clusters=k, features=X)
    split = binary_form(tree)
    clusters = hypcse.best_cut(tree, graph, n_clusters=k)
    heights = merge_distances(split, scale_features(X))
    leaves = [set(split.leaves(node).tolist()) for node in range(split.n_nodes)]
    wanted = [set(np.flatnonzero(clusters == c).tolist()) for c in range(k)]
    expected = [heights[leaves.index(members)] for members in wanted if len(members) > 1]
    assert tips_of(ax) == pytest.approx(sorted(expected))
    pyplot.close("all")


def test_which_heights_are_drawn():
    tree = Tree.from_newick("((0:1,1:1):2,(2:2,3:2):1);")
    X = points_of(tree)
    own = sorted(tree.height[tree.parent[:-1]].tolist())
    given_ = sorted(merge_distances(tree, scale_features(X))[tree.parent[:-1]].tolist())
    kept = sorted(merge_distances(tree, 2 * X)[tree.parent[:-1]].tolist())
    model = Model(tree, 2 * X)
    for source, options, expected in (
        (tree, {}, own),
        (tree, {"features": X}, given_),
        (tree, {"features": X, "heights": "distance"}, given_),
        (tree, {"features": X, "heights": "tree"}, own),
        (model, {}, kept),
        (model, {"heights": "distance"}, kept),
        (model, {"heights": "tree"}, own),
        (model, {"features": X}, given_),
        (Model(tree, None), {}, own),
    ):
        assert tops_of(plot.dendrogram(source, **options)) == pytest.approx(expected)


def test_the_axis_says_what_it_is():
    graph = Graph.from_edges([0, 0, 1, 2, 3, 3, 4], [1, 2, 2, 3, 4, 5, 5])
    tree = hypcse.graph_linkage(graph)
    X = points_of(tree)
    assert plot.dendrogram(Tree(tree.parent, tree.height)).get_ylabel() == "height"
    assert plot.dendrogram(tree).get_ylabel() == "height (log2 of volume)"
    assert plot.dendrogram(hypcse.methods.run("ward", X)).get_ylabel() == "height (distance)"
    title = "distance between joined parts"
    scaled = plot.dendrogram(tree, graph=graph, features=X)
    assert scaled.get_ylabel() == f"{title}\n(root mean square, scaled features)"
    assert plot.dendrogram(tree, features=X, scale="none").get_ylabel() == f"{title}\n(root mean square)"
    small = pyplot.subplots(figsize=(3, 2))[1]
    assert plot.dendrogram(tree, features=X, ax=small).get_ylabel() == title
    assert plot.dendrogram(tree, features=X, orientation="left").get_xlabel().startswith(title)


def test_an_axis_of_distances_begins_at_zero():
    """However alike all distances are: lengths along it are compared."""
    X = np.eye(12) * np.linspace(1, 1.1, 12)
    ax = plot.dendrogram(hypcse.methods.run("ward", X), features=X, scale="none")
    assert min(tops_of(ax)) > 0.9 * max(tops_of(ax)) and ax.get_ylim()[0] == 0


@pytest.mark.parametrize("scale", ["minmax", "standard", "none"])
def test_copies_are_at_distance_zero(scale):
    """Rounding errors of copies are no distances."""
    tree = Tree.from_newick("((0,1,2),(3,4),5,6);")
    ax = plot.dendrogram(tree, features=np.full((7, 2), 0.1), scale=scale)
    assert tops_of(ax) == [0] * (tree.n_nodes - 1)
    low, high = ax.get_ylim()
    assert low < 0 < high == 1


@pytest.mark.parametrize(
    ("options", "text"),
    [
        ({"heights": "distance"}, "Pass features="),
        ({"heights": "volume"}, "Choose one of 'auto', 'distance', 'tree'"),
        ({"features": np.ones((2, 2))}, "2 rows, but the tree has 3 leaves"),
        ({"features": np.ones((3, 2)), "scale": "log"}, "scale='log' is not known"),
    ],
)
def test_errors_name_the_way_out(options, text):
    with pytest.raises(ValueError, match=text):
        plot.dendrogram(Tree.from_newick("((0,1),2);"), **options)
    assert pyplot.get_fignums() == []
