"""Purity, Dasgupta's cost and the row of scores."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from pytest import approx
from sklearn.metrics import adjusted_mutual_info_score, adjusted_rand_score, normalized_mutual_info_score

import brute
from graph_strategies import graphs_with_trees
from hypcse import Graph, Tree, dasgupta_cost, dendrogram_purity, score, structural_entropy
from hypcse.metrics import SCORES
from strategies import trees


@given(trees(max_leaves=14), st.data())
def test_purity_is_the_mean_over_pairs(tree, data):
    labels = np.array(data.draw(st.lists(st.integers(0, 3), min_size=tree.n_leaves, max_size=tree.n_leaves)))
    assert dendrogram_purity(tree, labels) == approx(brute.purity(tree, labels), nan_ok=True)


@given(trees(min_leaves=2), st.data())
def test_classes_that_are_subtrees_are_pure(tree, data):
    labels = tree.cut(n_clusters=data.draw(st.integers(1, tree.n_leaves)))
    purity = dendrogram_purity(tree, labels)
    assert purity == approx(1) or np.isnan(purity)


@given(graphs_with_trees())
def test_dasgupta_is_the_sum_over_edges(case):
    graph, tree = case
    assert dasgupta_cost(tree, graph) == approx(brute.dasgupta(tree, graph))


@given(graphs_with_trees(min_leaves=2))
def test_score_is_the_three_together(case):
    graph, tree = case
    labels = np.arange(tree.n_leaves) % 2
    row = score(tree, graph=graph, labels=labels)
    assert row["structural_entropy"] == structural_entropy(tree, graph)
    assert row["dasgupta_cost"] == dasgupta_cost(tree, graph)
    assert row["dendrogram_purity"] == approx(dendrogram_purity(tree, labels), nan_ok=True)
    assert list(score(tree, labels=labels)) == ["dendrogram_purity"]


def test_labels_of_any_kind():
    tree = Tree.from_linkage([[0, 1, 1, 2], [2, 3, 1, 2], [4, 5, 2, 4]])
    for labels in (["a", "a", "b", "b"], [7, 7, -1, -1], [True, True, False, False], [0.5, 0.5, 1.5, 1.5]):
        assert dendrogram_purity(tree, labels) == 1
    mixed = np.array(["x", "x", 3, 3], dtype=object)
    assert dendrogram_purity(tree, mixed) == 1
    with pytest.raises(ValueError, match="one label per point"):
        dendrogram_purity(tree, [0, 1])
    with pytest.raises(ValueError, match="not finite"):
        dendrogram_purity(tree, [0.0, 0.0, np.inf, 1.0])
    with pytest.raises(ValueError, match="graph, labels or both"):
        score(tree)


@given(trees(max_leaves=14), st.data())
def test_unknown_labels_are_left_out(tree, data):
    """Purity is that of the tree over the labeled leaves; -1 is a class."""
    labels = data.draw(st.lists(st.sampled_from(["a", "b", -1, None, np.nan]), min_size=14, max_size=14))
    labels = np.array(labels[: tree.n_leaves], dtype=object)
    known = np.array([label == label and label is not None for label in labels])
    result = dendrogram_purity(tree, labels)
    if not known.any():
        assert np.isnan(result)
        return
    assert result == approx(dendrogram_purity(tree.prune(known), labels[known].tolist()), nan_ok=True)
    assert score(tree, labels=labels)["dendrogram_purity"] == approx(result, nan_ok=True)


def test_unknown_numbers_are_left_out():
    tree = Tree.from_newick("((0,1),(2,3));")
    assert dendrogram_purity(tree, [5.0, np.nan, 5.0, 7.0]) == approx(2 / 3)
    assert dendrogram_purity(tree, [5, -1, 5, -1]) == approx(1 / 2)


def million(kind: str) -> Tree:
    """A chain or a balanced tree over 2^20 leaves, made level by level."""
    n = 1 << 20
    if kind == "chain":
        parent = np.concatenate([[n], np.arange(n, 2 * n - 1), np.arange(n + 1, 2 * n - 1), [-1]])
        return Tree(parent, np.concatenate([np.zeros(n), np.arange(1.0, n)]))
    parent = np.concatenate([np.arange(2 * n - 2) // 2 + n, [-1]])
    level = np.concatenate([np.full(n >> k, float(k)) for k in range(21)])
    return Tree(parent, level)


def path_entropy(n: int, volumes: np.ndarray) -> float:
    """Eq. (4) on the path over n vertices, its ends of degree 1 and all others of degree 2."""
    return float(2 * np.log2(volumes).sum() - 2 * (n - 2)) / (2 * (n - 1))


def test_a_chain_of_a_million_leaves():
    """Along the leaves of a chain: a path graph, one class in the first half and one in the second."""
    tree = million("chain")
    n = tree.n_leaves
    half = n // 2
    graph = Graph.from_edges(np.arange(n - 1), np.arange(1, n))
    row = score(tree, graph=graph, labels=np.arange(n) >= half)
    # The node that joins leaf j to those before it holds j + 1 leaves, of which j + 1 - half are of the second class.
    j = np.arange(half, n, dtype=float)
    second = np.sum((j - half) * (j + 1 - half) / (j + 1))
    n_pairs = half * (half - 1) / 2
    assert row["dendrogram_purity"] == approx((n_pairs + second) / (2 * n_pairs))
    volumes = np.append(2.0 * np.arange(1, n - 1) + 1, 2 * (n - 1))
    assert row["structural_entropy"] == approx(path_entropy(n, volumes))
    assert row["dasgupta_cost"] == approx(2 * (n * (n + 1) / 2 - 1))
    assert tree.cut(n_clusters=7).max() == 6
    assert tree.lca(0, n - 1) == tree.root


def test_a_balanced_tree_of_a_million_leaves():
    """Two classes in turn, so that every node above the leaves is half and half."""
    tree = million("balanced")
    n = tree.n_leaves
    graph = Graph.from_edges(np.arange(n - 1), np.arange(1, n))
    row = score(tree, graph=graph, labels=np.arange(n) % 2)
    assert row["dendrogram_purity"] == approx(0.5)
    # n >> k nodes of 2^k leaves, each with one edge across its middle; those at the ends miss one degree.
    volumes = [np.array([2.0 * n - 2])]
    for k in range(1, 20):
        volumes.append(np.full(n >> k, 2.0 ** (k + 1)))
        volumes[-1][[0, -1]] -= 1
    assert row["structural_entropy"] == approx(path_entropy(n, np.concatenate(volumes)))
    assert row["dasgupta_cost"] == approx(2 * sum((n >> k) * (1 << k) for k in range(1, 21)))
    assert tree.cut(n_clusters=7).max() == 6
    assert tree.lca(0, n - 1) == tree.root


def test_a_flat_cut_is_scored_beside_the_tree():
    tree = Tree.from_newick("(((0,1),(2,3)),(4,5));")
    labels = ["a", "a", "b", None, "c", "c"]
    row = score(tree, labels=labels, clusters=[0, 0, 0, 0, 1, 1])
    assert list(row) == ["dendrogram_purity", "flat_purity", "ari", "ami", "nmi"]
    assert row["flat_purity"] == 4 / 5
    known = [0, 0, 1, 2, 2], [0, 0, 0, 1, 1]
    assert row["ari"] == adjusted_rand_score(*known) and row["ami"] == adjusted_mutual_info_score(*known)
    assert row["nmi"] == normalized_mutual_info_score(*known)
    assert score(tree, labels=labels, clusters=[0, 0, 1, 1, 2, 2])["ari"] == 1
    assert np.isnan(score(tree, labels=[None] * 6, clusters=[0] * 6)["flat_purity"])
    with pytest.raises(ValueError, match="5 points|shape"):
        score(tree, labels=labels, clusters=[0] * 5)


def test_the_registry_is_what_rows_hold():
    tree, graph = Tree.from_newick("((0,1),2);"), Graph.from_edges([0, 1], [1, 2])
    row = score(tree, graph=graph, labels=[0, 0, 1], clusters=[0, 0, 1])
    assert list(row) == [one.name for one in SCORES]
    assert all(one.needs and one.title for one in SCORES)
