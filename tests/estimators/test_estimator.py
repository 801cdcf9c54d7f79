"""The estimator: scikit-learn's own checks, presets, and what a fitted model holds."""

from __future__ import annotations

from inspect import signature

import numba
import numpy as np
import pandas as pd
import pytest
import torch
from sklearn.base import clone
from sklearn.model_selection import GridSearchCV
from sklearn.utils.estimator_checks import parametrize_with_checks

import hypcse
from hypcse import HypCSE, similarity_graph, structural_entropy
from hypcse.neural.training.config import PRESETS, TrainingOptions, count_epochs, fill_options


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
    assert model.levels_.main == hypcse.main_level(model.tree_, model.graph_, X)
    assert np.array_equal(model.labels_, model.levels_.flat)
    assert len(model.history_) == 3
    assert model.n_features_in_ == 4
    assert np.array_equal(clone(model).fit(X).linkage_matrix_, model.linkage_matrix_)


def test_presets_fill_only_what_is_open():
    X = points(30)
    paper = HypCSE(preset="paper", n_epochs=2, **{"cse_temperature": 10.0}).fit(X)
    assert paper._options()["decoder"] == "single"
    assert paper._options()["cse_temperature"] == 10.0
    settings = hypcse.paper.paper_settings("iris")
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


def test_copies_of_a_point_are_one_cluster():
    """Equal points are not told apart unless a number of clusters is asked for."""
    assert HypCSE(n_epochs=1).fit(np.ones((20, 3))).labels_.tolist() == [0] * 20
    assert (
        HypCSE(n_epochs=1).fit(np.repeat([[0.0, 1.0], [2.0, 5.0]], 15, axis=0)).labels_.tolist() == [0] * 15 + [1] * 15
    )
    assert HypCSE(2, n_epochs=1).fit(np.ones((20, 3))).labels_.max() == 1


def test_threads_change_no_answer():
    """Nor are the numbers of threads left changed."""
    before = numba.get_num_threads(), torch.get_num_threads()
    X = points(200)
    one, all_of_them = (HypCSE(n_epochs=3, n_jobs=n_jobs).fit(X) for n_jobs in (1, -1))
    assert np.array_equal(one.linkage_matrix_, all_of_them.linkage_matrix_)
    assert np.array_equal(one.embedding_, all_of_them.embedding_)
    assert (numba.get_num_threads(), torch.get_num_threads()) == before
    with pytest.raises(ValueError, match="n_jobs=0"):
        HypCSE(n_jobs=0).fit(X)


def test_a_device_that_is_not_there_is_named():
    with pytest.raises(ValueError, match="device='nowhere' cannot be used.*Use 'cpu'"):
        HypCSE(device="nowhere").fit(points(10))


def test_a_callback_stops_training():
    model = HypCSE(n_epochs=10, callback=lambda step: step.done == 3).fit(points(30))
    assert [step.epoch for step in model.history_] == [1, 2, 3]
    assert all(step.n_epochs == 10 for step in model.history_)


def test_refinement_is_never_worse_than_the_search_alone():
    model = HypCSE(n_epochs=1).fit(points(80))
    alone = hypcse.refine(hypcse.graph_linkage(model.graph_), model.graph_)
    assert model.entropy_ <= structural_entropy(alone, model.graph_)


@pytest.mark.parametrize("seed", range(3))
def test_a_default_fit_is_never_worse_than_the_search_alone(seed):
    """With components that no edge joins, too: beyond what they cost the two are the same search."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(90, 3)) + 50 * (np.arange(90) < 20)[:, None]
    assert HypCSE(random_state=seed).fit(X).entropy_ <= hypcse.EntropyClustering().fit(X).entropy_ + 1e-12


def test_auto_ends_when_epochs_bring_nothing_and_a_given_number_does_not():
    nothing, small = {"learning_rate": 1e-12, "embed_dim": 4}, {"hidden_dim": 8}
    model = HypCSE(**nothing, training=TrainingOptions(**small)).fit(points(30))
    assert [step.epoch for step in model.history_] == list(range(1, 11))
    assert all(step.n_epochs == 30 and step.entropy is not None for step in model.history_)
    assert len(HypCSE(**nothing, training=TrainingOptions(**small, patience=2)).fit(points(30)).history_) == 2
    assert (
        len(HypCSE(**nothing, training=TrainingOptions(**small, evaluate_every=2, patience=2)).fit(points(30)).history_)
        == 4
    )
    given = HypCSE(**nothing, n_epochs=12, training=TrainingOptions(**small)).fit(points(30)).history_
    assert [step.epoch for step in given if step.entropy is not None] == [5, 10, 12]


@pytest.mark.parametrize(
    ("n_points", "n_epochs", "patience"),
    [(2, 30, 10), (2_048, 30, 10), (2_049, 15, 5), (10_992, 5, 2), (100_000, 2, 1), (10**7, 2, 1)],
)
def test_auto_bounds_the_steps(n_points, n_epochs, patience):
    options = count_epochs(fill_options(PRESETS["default"], HypCSE().get_params()), n_points)
    assert (options["n_epochs"], options["patience"], options["evaluate_every"]) == (n_epochs, patience, 1)


@pytest.mark.parametrize("parameters", [{"preset": "paper"}, {"n_epochs": 7}])
def test_epochs_that_are_given_stay_as_they_are(parameters):
    options = fill_options(PRESETS[parameters.get("preset", "default")], HypCSE(**parameters).get_params())
    assert count_epochs(options, 5_000) == options and "patience" not in options


def test_data_frames():
    frame = pd.DataFrame(points(40), columns=list("abcd"))
    model = HypCSE(n_epochs=1).fit(frame)
    assert model.feature_names_in_.tolist() == list("abcd")
    assert np.array_equal(model.linkage_matrix_, HypCSE(n_epochs=1).fit(frame.to_numpy()).linkage_matrix_)


@pytest.mark.parametrize("n", range(2, 13))
@pytest.mark.parametrize("temperature", [1e-3, 1.0, 1e4])
def test_hard_tables_have_finite_answers(n, temperature):
    """Copies, a constant column, and two groups that no edge joins."""
    X = np.zeros((n, 3))
    X[n // 2 :, 0] = 1000.0
    X[:, 1] = np.arange(n) % 2
    graph = similarity_graph(X, n_neighbors=1)
    model = HypCSE(n_epochs=2, cse_temperature=temperature, training=TrainingOptions(batch_size=8)).fit(X, graph=graph)
    assert np.isfinite(model.embedding_).all() and np.isfinite(model.entropy_)
    assert all(np.isfinite(step.losses.total) for step in model.history_)


def test_options_of_training_are_parameters_like_others():
    """Cloned, compared, searched and set, from None too; and no others are taken."""
    model = HypCSE(n_epochs=1, embed_dim=2).set_params(training__dropout=0.5)
    assert clone(model).get_params() == model.get_params() and model.get_params()["training__dropout"] == 0.5
    assert len(signature(HypCSE).parameters) <= 22
    grid = GridSearchCV(HypCSE(n_epochs=1), {"training__hidden_dim": [4, 8]}, scoring="adjusted_rand_score", cv=2)
    grid.fit(points(40), np.arange(40) % 2)
    assert grid.best_estimator_._config.hidden_dim == grid.best_params_["training__hidden_dim"]
    with pytest.raises(ValueError, match="Invalid parameter 'momentum'"):
        HypCSE().set_params(training__momentum=0.5)
    with pytest.raises(TypeError, match="must be a TrainingOptions"):
        HypCSE(training={"dropout": 0.5}).fit(points(10))


def test_methods_take_options_of_training_by_either_name():
    X = points(30)
    one = hypcse.methods.run("hypcse", X, n_epochs=1, hidden_dim=8)
    assert one == hypcse.methods.run("hypcse", X, n_epochs=1, training=TrainingOptions(hidden_dim=8))
