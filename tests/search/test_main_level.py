"""The main level of made data, and what it is made of."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pytest import approx
from scipy.spatial.distance import pdist, squareform
from sklearn.metrics import adjusted_rand_score

from hypcse import (
    EntropyClustering,
    Graph,
    graph_linkage,
    join_components,
    levels,
    main_level,
    refine,
    similarity_graph,
)
from hypcse.partitions.choosing import substantial_parts
from hypcse.partitions.separation import Groups
from hypcse.tree import Tree
from hypcse.tree.flat import parts_of


def hierarchy(X: np.ndarray) -> tuple[Tree, Graph]:
    graph = similarity_graph(X)
    return join_components(refine(graph_linkage(graph), graph), graph, X, bridges=True), graph


def blobs(sizes: list[int], d: int, gap: float, seed: int) -> tuple[np.ndarray, np.ndarray]:
    """Groups of standard deviation 1, neighboring means `gap` apart in every column, rows in random order."""
    rng = np.random.default_rng(seed)
    y = rng.permutation(np.repeat(np.arange(len(sizes)), sizes))
    return gap * y[:, None] + rng.normal(size=(y.size, d)), y


@settings(max_examples=8, deadline=None)
@given(st.sampled_from([[180, 20], [190, 10], [100, 100, 100], [400, 30, 30]]), st.integers(2, 6), st.integers(0, 99))
def test_groups_far_apart_are_the_main_level_at_any_share_and_order(sizes, d, seed):
    X, y = blobs(sizes, d, 12.0, seed)
    found = levels(*hierarchy(X), X)
    assert adjusted_rand_score(y, found[found.main]) > 0.95


@pytest.mark.parametrize("metric", ["euclidean", "precomputed"])
def test_the_model_and_a_call_by_hand_agree(metric):
    X, _ = blobs([60, 60, 60], 3, 6.0, 0)
    X = squareform(pdist(X)) if metric == "precomputed" else X
    model = EntropyClustering(metric=metric).fit(X)
    by_hand = levels(model.tree_, model.graph_, X, metric=metric)
    assert by_hand.main == model.levels_.main == main_level(model.tree_, model.graph_, X, metric=metric)
    for one, other in zip(by_hand, model.levels_, strict=True):
        assert adjusted_rand_score(one, other) == 1.0


def test_features_must_fit_the_tree():
    X, _ = blobs([20, 20], 2, 9.0, 0)
    with pytest.raises(ValueError, match="X has 39 rows, but the tree has 40 leaves"):
        main_level(*hierarchy(X), X[:-1])


@given(st.integers(2, 4), st.integers(1, 3), st.integers(0, 999))
def test_silhouettes_are_those_of_all_pairs(k, d, seed):
    rng = np.random.default_rng(seed)
    X, labels = rng.normal(size=(30, d)), rng.permutation(np.arange(30) % k)
    squares = np.square(X[:, None] - X).sum(axis=-1)
    values = []
    for point, own in enumerate(labels):
        others = (labels == own) & (np.arange(30) != point)
        near = squares[point, others].mean()
        far = min(squares[point, labels == c].mean() for c in range(k) if c != own)
        values.append((far - near) / max(near, far))
    assert Groups(X, labels).silhouette() == approx(np.mean(values), abs=1e-9)


def test_a_border_is_empty_between_groups_and_full_inside_one():
    X, y = blobs([300, 300], 2, 5.0, 0)
    graph = similarity_graph(X, n_neighbors=30)
    assert Groups(X, y).gap(graph) > 0.8
    assert Groups(X, (X[:, 0] - X[:, 1] > 0).astype(np.int64)).gap(graph) < 0.3


def test_strays_are_no_substantial_parts():
    tree = Tree.from_newick(
        "((" + ",".join(f"a{k}" for k in range(40)) + "),(" + ",".join(f"b{k}" for k in range(40)) + "),s,t);"
    )
    split = np.zeros(tree.n_nodes, np.bool_)
    split[-1] = True
    assert tree.sizes[substantial_parts(tree, np.flatnonzero(parts_of(tree.parent, split)))].tolist() == [40, 40]
