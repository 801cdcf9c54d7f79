"""The estimator: scikit-learn's own checks, presets, and what a fitted model holds."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.utils.estimator_checks import parametrize_with_checks

import hypcse
from hypcse import HypCSE, similarity_graph, structural_entropy


@pytest.mark.filterwarnings("ignore")
@parametrize_with_checks([HypCSE(n_epochs=2)])
def test_scikit_learns_checks(estimator, check):
    check(estimator)


def points(n=60):
    rng = np.random.default_rng(0)
    return rng.normal(size=(n, 4)) + 4 * rng.integers(0, 3, size=(n, 1))


def test_what_a_fitted_model_holds():
    X = points()
    model = HypCSE(n_epochs=3, random_state=1).fit(X)
    assert model.tree_.n_leaves == 60
    assert np.array_equal(model.linkage_matrix_, model.tree_.to_linkage())
    assert model.children_.shape == (59, 2)
    assert model.distances_.shape == (59,)
    assert model.embedding_.shape[0] == 60
    assert model.entropy_ == pytest.approx(structural_entropy(model.tree_, model.graph_))
    assert np.array_equal(model.labels_, hypcse.levels(model.tree_, model.graph_)[0])
    assert len(model.history_) == 3
    assert model.n_features_in_ == 4
    assert np.array_equal(clone(model).fit(X).linkage_matrix_, model.linkage_matrix_)


def test_presets_fill_only_what_is_open():
    X = points(30)
    paper = HypCSE(preset="paper", n_epochs=2, **{"cse_temperature": 10.0}).fit(X)
    assert paper._options()["decoder"] == "single"
    assert paper._options()["cse_temperature"] == 10.0
    settings = hypcse.experiments.paper_settings("iris")
    assert HypCSE(preset="paper", **{**settings, "n_epochs": 1}).fit(X).tree_.n_leaves == 30
    with pytest.raises(ValueError, match="preset='best' is not known"):
        HypCSE(preset="best").fit(X)


def test_clusters_graph_and_refinement():
    X = points()
    graph = similarity_graph(X, n_neighbors=5)
    model = HypCSE(n_clusters=4, n_epochs=1).fit(X, graph=graph)
    assert model.labels_.max() == 3
    assert model.graph_ == graph
    plain = HypCSE(n_epochs=1, refine=False).fit(X, graph=graph)
    assert model.entropy_ <= plain.entropy_
    with pytest.raises(ValueError, match="60 vertices for 59 rows"):
        HypCSE(n_epochs=1).fit(X[1:], graph=graph)
