"""Outliers and memberships of fitted models."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from hypcse import EntropyClustering, HypCSE, view
from hypcse.cells.annotation import categories
from hypcse.topics import TopicClusterer
from pages import gathered, unpack


def blobs(seed: int = 0) -> np.ndarray:
    rng = np.random.default_rng(seed)
    inside = np.repeat([[0.0, 0, 0], [9, 0, 0], [0, 9, 0]], 60, axis=0) + rng.normal(size=(180, 3))
    far = rng.normal(size=(8, 3))
    return np.concatenate([inside, 30 * far / np.linalg.norm(far, axis=1, keepdims=True)])


MODELS = {
    "search": lambda: EntropyClustering(mark_outliers=True),
    "told": lambda: EntropyClustering(3, mark_outliers=True),
    "cosine": lambda: EntropyClustering(mark_outliers=True, metric="cosine", scale="none", bandwidth="median"),
    "trained": lambda: HypCSE(mark_outliers=True, n_epochs=1),
    "topics": lambda: TopicClusterer(mark_outliers=True),
    "level": lambda: TopicClusterer(mark_outliers=True, level=-1),
}


@pytest.mark.parametrize("kind", MODELS)
def test_marked_outliers(kind, tmp_path):
    """They are those of the highest scores; tree and levels are as without marking; predict and load agree."""
    X = blobs() + (20 if kind == "cosine" else 0)
    model = MODELS[kind]().fit(X)
    plain = MODELS[kind]().set_params(mark_outliers=False).fit(X)
    marked = model.labels_ < 0
    assert marked.any()
    assert model.outlier_scores_[marked].min() > model.outlier_scores_[~marked].max()
    assert set(model.labels_[~marked]) == set(range(model.labels_.max() + 1))
    assert model.tree_ == plain.tree_ and plain.labels_.min() == 0
    assert all(map(np.array_equal, model.levels_, plain.levels_))
    assert ((model.probabilities_ >= 0) & (model.probabilities_ <= 1)).all()
    assert (model.probabilities_[marked] == 0).all() and (kind == "level" or (model.probabilities_[~marked] > 0).all())
    assert_allclose(model.memberships().sum(axis=1), 1)
    assert_array_equal(model.predict(X), model.labels_)
    if kind != "cosine":
        assert model.predict([X[0] * 0 + 500])[0] == -1
    centers = np.stack([X[model.labels_ == k].mean(axis=0) for k in range(model.labels_.max() + 1)])
    if kind not in ("cosine", "level"):
        assert_array_equal(model.predict(centers), np.arange(len(centers)))
    model.save(tmp_path / "model")
    again = type(model).load(tmp_path / "model")
    assert_array_equal(again.labels_, model.labels_)
    assert_array_equal(again.outlier_scores_, model.outlier_scores_)
    assert_array_equal(again.predict(X + 0.1), model.predict(X + 0.1))


def test_a_wish_for_every_point_leaves_no_outlier():
    X = blobs()
    assert EntropyClustering(len(X), mark_outliers=True).fit(X).labels_.max() == len(X) - 1


@pytest.mark.parametrize("size", [1, 5, 40, 1000])
def test_clusters_have_the_least_size(size):
    X = blobs()
    model = EntropyClustering(min_cluster_size=size).fit(X)
    assert np.bincount(model.labels_).min() >= min(size, len(X))
    assert np.bincount(EntropyClustering(2, min_cluster_size=min(size, 40)).fit(X).labels_).min() >= min(size, 40)


def test_few_points_of_clean_data_are_marked():
    rng = np.random.default_rng(0)
    for X in (rng.random((600, 2)), rng.normal(size=(600, 8)), rng.exponential(size=(600, 16))):
        assert np.mean(EntropyClustering(mark_outliers=True).fit(X).labels_ < 0) <= 0.02


def test_outliers_are_shown_last():
    model = EntropyClustering(mark_outliers=True).fit(blobs())
    shown = gathered(model)
    automatic = unpack(shown["automatic"])
    assert shown["outliers"] and shown["levels"]["main"] is None
    assert_array_equal(automatic == automatic.max(), model.labels_ < 0)
    assert '"outliers":true' in view(model).html
    assert categories(model.labels_).categories[-1] == "outliers"
