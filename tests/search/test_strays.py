"""Cuts whose clusters have a least size: what becomes of smaller subtrees, and which points lie far out."""

from __future__ import annotations

from contextlib import suppress

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.metrics import average_precision_score

from graph_strategies import graphs_with_trees
from hypcse import EntropyClustering, Graph, Tree, best_cut, levels
from hypcse.partitions.cuts import merge_small, substantial_size
from hypcse.partitions.outliers import find_outliers, shares_of_clusters, tie_distances
from hypcse.tree.nodes import outline


def pure_tops(tree: Tree, labels: np.ndarray) -> list[int]:
    """The largest subtrees whose leaves share one label."""
    pure = [len(set(labels[tree.leaves(node)].tolist())) == 1 for node in range(tree.n_nodes)]
    return [v for v in range(tree.n_nodes) if pure[v] and (v == tree.root or not pure[tree.parent[v]])]


def check_strays(tree: Tree, graph: Graph, labels: np.ndarray, least: int) -> None:
    """Each cluster has one subtree of at least `least` leaves. Others, its strays, are smaller, hang on a node that
    holds the large one, and no cluster there has more of the weight of their edges."""
    weights = graph.without_loops().to_scipy().toarray()
    tops = pure_tops(tree, labels)
    main = {int(labels[tree.leaves(v)[0]]): v for v in tops if tree.sizes[v] >= least}
    assert len(main) == labels.max() + 1
    strays = [v for v in tops if tree.sizes[v] < least]
    assert len(main) + len(strays) == len(tops)
    for stray in strays:
        leaves, beside = tree.leaves(stray), np.setdiff1d(tree.leaves(tree.parent[stray]), tree.leaves(stray))
        own = int(labels[leaves[0]])
        assert np.isin(tree.leaves(main[own]), beside).all()
        ties = np.bincount(labels[beside], weights[leaves][:, beside].sum(axis=0), labels.max() + 1)
        assert ties[own] >= ties.max() - 1e-9 * max(ties.max(), 1)


@given(graphs_with_trees(min_leaves=2, max_leaves=14, binary=True), st.integers(1, 5), st.data())
def test_strays_join_the_cluster_that_they_hang_on(case, least, data):
    graph, tree = case
    least = min(least, tree.n_leaves)
    check_strays(tree, graph, best_cut(tree, graph, min_size=least), least)
    k = data.draw(st.integers(1, tree.n_leaves // least))
    with suppress(ValueError):
        labels = best_cut(tree, graph, n_clusters=k, min_size=least)
        assert labels.max() + 1 == k
        check_strays(tree, graph, labels, least)


@given(graphs_with_trees(min_leaves=1, max_leaves=40, binary=True), st.data())
def test_no_number_of_clusters_is_refused(case, data):
    """Clusters are as large as the rule says, or half that, and so on, where the tree has too few of them."""
    graph, tree = case
    k = data.draw(st.integers(1, tree.n_leaves))
    labels = best_cut(tree, graph, n_clusters=k)
    assert labels.max() + 1 == k
    sizes = np.bincount(labels)
    least = substantial_size(tree.n_leaves, k)
    while sizes.min() < least:
        with pytest.raises(ValueError, match="Widen min_size"):
            best_cut(tree, graph, n_clusters=k, min_size=least)
        least //= 2


@given(graphs_with_trees(min_leaves=1, max_leaves=14), st.integers(1, 6), st.data())
def test_small_clusters_of_a_cut_are_merged(case, least, data):
    """What is large enough stays apart; clusters are joined only where none under their node is."""
    graph, tree = case
    cut = data.draw(st.sampled_from(levels(tree, graph)))
    labels = merge_small(tree, graph, cut, least)
    assert np.bincount(labels).min() >= min(least, tree.n_leaves)
    large = [c for c in range(cut.max() + 1) if np.count_nonzero(cut == c) >= least]
    assert len({int(np.bincount(labels[cut == c]).argmax()) for c in large}) == len(large)
    assert_array_equal(merge_small(tree, graph, cut, 1), cut)


def test_a_cluster_stands_where_its_largest_subtree_is():
    tree = Tree.from_newick("((((0,1),2),(3,4)),5);")
    top, node = outline(tree, np.array([0, 0, 1, 1, 1, -1]))
    assert [tree.leaves(v).tolist() for v in node[:2]] == [[0, 1], [3, 4]]
    assert top.n_leaves == 2 and tree.leaves(node[-1]).tolist() == [0, 1, 2, 3, 4]


@given(st.lists(st.floats(0, 100), min_size=1, max_size=60), st.floats(0.01, 100), st.data())
def test_outliers_have_no_unit_and_farther_points_higher_scores(values, unit, data):
    distances = np.array(values)
    labels = np.array(data.draw(st.lists(st.integers(0, 2), min_size=len(values), max_size=len(values))))
    labels = np.unique(labels, return_inverse=True)[1]
    outliers = find_outliers(distances, labels)
    scores, marked = outliers.scores(), outliers.marked()
    assert ((scores >= 0) & (scores < 1)).all()
    assert_allclose(find_outliers(distances * unit, labels).scores(), scores, atol=1e-9)
    for label in range(labels.max() + 1):
        order = np.argsort(distances[labels == label])
        assert (np.diff(scores[labels == label][order]) >= 0).all()
    assert scores[marked].min(initial=1) >= scores[~marked].max(initial=0)
    assert (scores[marked] > 0.5).all() and np.count_nonzero(~marked) >= labels.max() + 1


@given(graphs_with_trees(min_leaves=1, max_leaves=9), st.data())
def test_memberships_are_shares_of_edge_weight(case, data):
    graph, tree = case
    n = tree.n_leaves
    labels = np.array(data.draw(st.lists(st.integers(-1, 2), min_size=n, max_size=n).filter(lambda x: max(x) >= 0)))
    labels[labels >= 0] = np.unique(labels[labels >= 0], return_inverse=True)[1]
    shares = shares_of_clusters(graph, labels)
    assert_allclose(shares.sum(axis=1), 1)
    W = graph.without_loops().to_scipy().toarray()
    inside = np.stack([W[:, labels == k].sum(axis=1) for k in range(labels.max() + 1)], axis=1)
    tied = inside.sum(axis=1) > 0
    assert_allclose(shares[tied], inside[tied] / inside[tied].sum(axis=1, keepdims=True))
    own = np.flatnonzero(~tied & (labels >= 0))
    assert (shares[own, labels[own]] == 1).all()


@pytest.mark.parametrize("n_dimensions", [2, 8, 32])
def test_planted_points_have_the_highest_scores(n_dimensions):
    rng = np.random.default_rng(0)
    inside = np.repeat(np.eye(3, n_dimensions) * 12, 100, axis=0) + rng.normal(size=(300, n_dimensions))
    far = rng.normal(size=(15, n_dimensions))
    far *= 40 / np.linalg.norm(far, axis=1, keepdims=True)
    planted = np.arange(315) >= 300
    model = EntropyClustering(mark_outliers=True).fit(np.concatenate([inside, far]))
    assert average_precision_score(planted, model.outlier_scores_) > 0.95
    assert np.mean(model.labels_[300:] < 0) > 0.9 and np.mean(model.labels_[:300] < 0) < 0.05


def test_a_loosely_tied_vertex_is_far_out():
    i, j = np.triu_indices(12, 1)
    graph = Graph.from_edges([*i, 0], [*j, 12], [*np.ones(i.size), 0.1])
    far = find_outliers(tie_distances(graph, np.zeros(13, np.int64)), np.zeros(13, np.int64))
    assert np.flatnonzero(far.marked()).tolist() == [12]
