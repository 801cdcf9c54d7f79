"""How alike levels come out again."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.spatial.distance import pdist
from sklearn.datasets import make_blobs

from hypcse import Graph, HypCSE, graph_linkage, levels, refine, similarity_graph, stability
from hypcse.partitions.resampling import best_overlaps, is_quick, level_fit
from strategies import trees


@given(trees(max_leaves=12), st.data())
def test_best_overlaps_are_those_of_enumeration(tree, data):
    drawn = data.draw(st.lists(st.integers(0, 3), min_size=tree.n_leaves, max_size=tree.n_leaves))
    labels = np.unique(drawn, return_inverse=True)[1]
    held = [set(tree.leaves(node)) for node in range(tree.n_nodes)]
    for cluster, best in enumerate(best_overlaps(tree, labels)):
        members = set(np.flatnonzero(labels == cluster))
        assert best == pytest.approx(max(len(members & leaves) / len(members | leaves) for leaves in held))


def test_fit_of_what_the_tree_holds_and_of_what_any_tree_holds():
    graph = Graph.from_edges([0, 0, 1, 2, 3, 3, 4], [1, 2, 2, 3, 4, 5, 5])
    tree = graph_linkage(graph)
    assert level_fit(tree, np.array([0, 0, 0, 1, 1, 1])) == 1.0
    assert level_fit(tree, np.zeros(6, np.int64)) == 1.0
    assert level_fit(tree, np.arange(6)) == 1.0
    assert level_fit(tree, np.array([0, 1, 0, 1, 0, 1])) < 0.3


def table(spread):
    return make_blobs(200, centers=[[0, 0], [9, 0], [0, 9], [9, 9]], cluster_std=spread, random_state=0)


def test_clear_clusters_come_out_again_and_random_ones_do_not():
    X, y = table(0.5)
    graph = similarity_graph(X)
    random = np.random.default_rng(0).integers(0, 4, size=200)
    clear, other = stability([y, random], graph, X)
    assert clear == 1.0 and other < 0.2


def test_components_are_joined_by_features():
    X, _ = table(0.3)
    halves = (X[:, 0] > 4.5).astype(int)
    graph = similarity_graph(X)
    assert graph.components().max() == 3
    assert stability([halves], graph, X[:, :1])[0] > 0.9


def test_numbers_of_all_levels():
    X, _ = table(1.5)
    graph = similarity_graph(X)
    found = levels(refine(graph_linkage(graph), graph), graph)
    values = stability(found, graph, X)
    assert len(values) == len(found) and all(0 <= value <= 1 for value in values)
    assert values == stability(found, graph, X)
    assert values != stability(found, graph, X, random_state=1)
    assert stability([], graph) == []


def test_a_graph_without_edges():
    graph = Graph.from_edges([0], [0], [1.0], n=4)
    assert stability([np.array([0, 0, 1, 1])], graph)[0] <= 1


def test_bad_input():
    graph = Graph.from_edges([0, 1], [1, 2])
    with pytest.raises(ValueError, match="3"):
        stability([np.zeros(5)], graph)
    with pytest.raises(ValueError, match="n_resamples"):
        stability([np.zeros(3)], graph, n_resamples=0)
    with pytest.raises(ValueError, match="metric='cosin'"):
        stability([np.zeros(3)], graph, metric="cosin")


def test_graphs_of_many_points_or_edges_are_not_measured_unasked():
    assert is_quick(Graph.from_edges([0, 1], [1, 2], n=20_000))
    assert not is_quick(Graph.from_edges([0, 1], [1, 2], n=20_001))
    assert not is_quick(Graph.from_edges(*np.triu_indices(1001, 1)))


def test_the_estimator_measures_when_asked():
    X, _ = table(0.5)
    model = HypCSE(n_epochs=0).fit(X)
    assert model._stability is None
    assert model.stability_ == stability(model.levels_, model.graph_, model._scaled, scale="none")


def test_the_estimator_asks_distances_what_no_edge_joins():
    """They are not kept, so that they are asked while it fits."""
    pairs = np.array([[0, 0], [30, 0], [3, 0], [33, 0], [60, 0], [63, 0]])
    X = (pairs[:, None] + np.random.default_rng(0).normal(size=(6, 20, 2)) * 0.15).reshape(-1, 2)
    distances = pdist(X)
    model = HypCSE(n_epochs=0, metric="precomputed").fit(distances)
    assert model.graph_.components().max() == 5 and model.levels_[0].max() < 5
    assert model.stability_[0] == 1.0
    assert model.stability_ == stability(model.levels_, model.graph_, distances=distances)
