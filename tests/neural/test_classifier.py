"""`HypCSEClassifier`: classes from a few labels."""

import numpy as np
import pandas as pd
import pytest
import torch
from sklearn.datasets import make_blobs
from sklearn.utils.estimator_checks import parametrize_with_checks

from hypcse import HypCSE, HypCSEClassifier, similarity_graph
from hypcse.neural.encoder import Prototypes
from hypcse.neural.losses.contrast import margin_loss
from hypcse.neural.training.config import TrainingOptions
from hypcse.neural.training.labeled import LabeledRun, validation_rows
from hypcse.storage.archive import ModelFileError

# scikit-learn exempts its own semi-supervised classifiers from it by name.
MINUS_ONE = {"check_classifiers_classes": "-1 is no class here: it marks a point without a label"}
SMALL = TrainingOptions(hidden_dim=16)
QUICK = {"n_epochs": 40, "learning_rate": 3e-3, "label_weight": 10.0, "embed_dim": 4, "training": SMALL}
TRAINED = HypCSEClassifier(**{**QUICK, "n_epochs": 60, "learning_rate": 1e-2})


@parametrize_with_checks([TRAINED], expected_failed_checks=lambda _: MINUS_ONE)
def test_scikit_learn_accepts_it(estimator, check):
    check(estimator)


def blobs(n=120, seed=0):
    return make_blobs(n, centers=[[0, 0, 0], [8, 0, 0], [0, 8, 0]], random_state=seed)


def hidden(y, n_known=5, unknown=-1):
    """All but the first labels of each class hidden."""
    known = np.zeros(len(y), bool)
    for label in np.unique(y):
        known[np.flatnonzero(y == label)[:n_known]] = True
    return np.where(known, y, unknown), known


@pytest.mark.parametrize("features", ["table", "similarities"])
def test_clear_classes_from_five_labels_each(features):
    X, y = blobs()
    data, known = hidden(y)
    model = HypCSEClassifier(features=features, **QUICK).fit(X, data)
    assert np.mean(model.transduction_ == y) == 1.0
    assert np.array_equal(model.transduction_[known], y[known])
    other, truth = blobs(60, seed=1)
    assert model.score(other, truth) > 0.95
    shares = model.predict_proba(other)
    assert np.allclose(shares.sum(axis=1), 1) and np.array_equal(model.classes_[shares.argmax(1)], model.predict(other))
    assert model.transform(other).shape == (60, 4) and np.array_equal(model.transform(X[:5]), model.embedding_[:5])
    assert model.validation_score_ is None


def test_one_seed_one_answer():
    X, y = blobs()
    data, _ = hidden(y)
    one, two = (HypCSEClassifier(**{**QUICK, "n_epochs": 3}).fit(X, data) for _ in range(2))
    assert np.array_equal(one._scores, two._scores) and np.array_equal(one.prototypes_, two.prototypes_)


@pytest.mark.parametrize(
    ("names", "unknown"),
    [(["a", "b", "c"], None), (["a", "b", "c"], np.nan), ([1.0, 2.0, 3.0], np.nan), ([10, 20, 30], -1)],
)
def test_what_unlabeled_looks_like(names, unknown):
    X, y = blobs(60)
    truth = np.array(names)[y]
    data, _ = hidden(y)
    labels = [unknown if code < 0 else names[code] for code in data]
    if isinstance(names[0], str):
        labels = pd.Series(labels, dtype=object)
    model = HypCSEClassifier(**QUICK).fit(X, labels)
    assert model.classes_.tolist() == names
    assert np.mean(model.transduction_ == truth) > 0.95


def test_validation_rows():
    codes = np.r_[np.repeat([0, 1, 2], [90, 30, 1]), np.full(50, -1)]
    chosen = validation_rows(codes, 0.1, 0)
    assert chosen.sum() == 12 and (codes[chosen] >= 0).all() and not chosen[120]
    assert np.array_equal(chosen, validation_rows(codes, 0.1, 0))
    assert not np.array_equal(chosen, validation_rows(codes, 0.1, 1))
    assert not validation_rows(codes, 0.05, 0).any()
    assert not validation_rows(codes, 0.0, 0).any()


def test_validation_picks_the_epoch():
    X, y = blobs()
    model = HypCSEClassifier(**QUICK, validation_fraction=0.2).fit(X, y)
    assert model.validation_score_ == 1.0


def test_the_tree_follows_the_labels():
    X, _ = make_blobs(80, centers=[[0, 0], [0, 9], [9, 0], [9, 9]], cluster_std=0.5, random_state=0)
    label = np.where(X[:, 0] + X[:, 1] > 4.5, np.where((X[:, 0] > 4.5) & (X[:, 1] > 4.5), 0, 1), 0)
    model = HypCSEClassifier(**QUICK).fit(X, label)
    assert model.tree_.n_leaves == 80 and model.levels_[0].shape == (80,)
    from hypcse import dendrogram_purity

    plain = HypCSE(n_epochs=0).fit(X)
    assert dendrogram_purity(model.tree_, label) > dendrogram_purity(plain.tree_, label)


def test_graphs_alone():
    X, y = blobs()
    data, _ = hidden(y)
    model = HypCSEClassifier(**QUICK).fit(similarity_graph(X), data)
    assert np.mean(model.transduction_ == y) > 0.95
    with pytest.raises(ValueError, match="graph alone"):
        model.predict(X)
    with pytest.raises(ValueError, match="similarities"):
        HypCSEClassifier(features="similarities").fit(similarity_graph(X), data)


def supervision(monkeypatch, X, y, **options):
    """What a run is constructed with."""
    calls = []

    def listening(setup, known):
        calls.append(known)
        return LabeledRun(setup, known)

    monkeypatch.setattr("hypcse.neural.classifier.LabeledRun", listening)
    HypCSEClassifier(**{**QUICK, "n_epochs": 1, **options}).fit(X, y)
    return calls[0]


def test_the_tree_guesses_what_training_has_no_label_for(monkeypatch):
    X, y = blobs()
    known = supervision(monkeypatch, X, hidden(y, 20)[0], validation_fraction=0.25)
    assert ((known.codes >= 0) & (known.taught < 0)).sum() >= 10 and known.guess_weight == pytest.approx(
        0.3 * known.weight
    )
    assert (known.guesses[known.taught >= 0] == -1).all() and (known.guesses[known.taught < 0] >= 0).all()
    assert np.mean(known.guesses == y, where=known.taught < 0) > 0.9
    assert (supervision(monkeypatch, X, hidden(y)[0], guess_weight=0.0).guesses == -1).all()


def test_labels_that_pick_the_epoch_teach_nothing(monkeypatch):
    """The label of a point that picks the epoch, exchanged for another, changes no guess."""
    X, y = blobs()
    data = hidden(y, 20)[0]
    known = supervision(monkeypatch, X, data, validation_fraction=0.25)
    wrong = np.where((known.codes >= 0) & (known.taught < 0), (data + 1) % 3, data)
    again = supervision(monkeypatch, X, wrong, validation_fraction=0.25)
    assert np.array_equal(again.taught, known.taught) and np.array_equal(again.guesses, known.guesses)


@pytest.mark.parametrize(
    ("y", "text"),
    [
        (np.full(30, -1), "no label"),
        (np.zeros(30, int), "only one class"),
        (np.zeros(29, int), "29 labels for 30 points"),
        (None, "y"),
    ],
)
def test_labels_that_do_not_do(y, text):
    with pytest.raises(ValueError, match=text):
        HypCSEClassifier().fit(np.random.default_rng(0).normal(size=(30, 2)), y)


@pytest.mark.parametrize(
    ("options", "text"),
    [
        ({"features": "pca"}, "features='pca'"),
        ({"validation_fraction": 1.0}, "validation_fraction=1.0"),
        ({"label_weight": 0.0}, "label_weight=0.0"),
        ({"guess_weight": -1.0}, "guess_weight=-1.0"),
        ({"training": TrainingOptions(decoder="single")}, "has no use for decoder. Omit it"),
        ({"training": {"dropout": 0.1}}, "must be a TrainingOptions"),
    ],
)
def test_parameters_that_do_not_do(options, text):
    X, y = blobs(30)
    with pytest.raises((ValueError, TypeError), match=text):
        HypCSEClassifier(**options).fit(X, y)


@pytest.mark.parametrize("features", ["table", "similarities"])
@pytest.mark.parametrize("names", [[3, 5, 9], ["x", "y", "z"], [0.0, 1.0, 2.0]])
def test_saved_and_loaded(tmp_path, features, names):
    X, y = blobs(60)
    model = HypCSEClassifier(features=features, **{**QUICK, "n_epochs": 3}).fit(X, np.array(names)[y])
    model.save(tmp_path / "model")
    loaded = HypCSEClassifier.load(tmp_path / "model")
    other = blobs(20, seed=3)[0]
    assert np.array_equal(loaded.predict(other), model.predict(other))
    assert np.array_equal(loaded.predict_proba(other), model.predict_proba(other))
    assert loaded.classes_.dtype == model.classes_.dtype and np.array_equal(loaded.transduction_, model.transduction_)
    assert loaded.tree_ == model.tree_ and loaded.get_params() == model.get_params()
    with pytest.raises(ModelFileError, match="HypCSEClassifier"):
        HypCSE.load(tmp_path / "model")


def test_a_failed_fit_leaves_the_model_as_it_was():
    X, y = blobs(60)
    model = HypCSEClassifier(**{**QUICK, "n_epochs": 2}).fit(X, y)
    before = model.predict(X)
    with pytest.raises(ValueError, match="one class"):
        model.fit(X, np.zeros(60, int))
    assert np.array_equal(model.predict(X), before)


def test_prototypes_stay_on_the_hyperboloid():
    X, y = blobs(60)
    points = HypCSEClassifier(**QUICK).fit(X, y).prototypes_
    assert np.allclose(-np.square(points[:, 0]) + np.square(points[:, 1:]).sum(axis=1), -1, atol=1e-3)


def test_scores_and_margin():
    prototypes = Prototypes(3, 4, torch.Generator().manual_seed(0))
    scores = prototypes(prototypes.points).detach()
    assert torch.allclose(scores.diagonal(), torch.zeros(4), atol=1e-5) and (scores <= 1e-5).all()
    codes = torch.tensor([0, -1, 2, 3])
    by_hand = [max(0.0, 1 - float(scores[k, k]) + float(scores[k, c])) for k in (0, 2, 3) for c in range(4)]
    assert float(margin_loss(scores, codes)) == pytest.approx(np.mean(by_hand), rel=1e-5)
    assert float(margin_loss(scores, torch.full((4,), -1))) == 0.0
