"""Classes from few labels, as experiments."""

import numpy as np
import pytest
from sklearn.datasets import make_blobs

from hypcse.experiments import experiment, plan
from hypcse.experiments.labelled import FEW, draw_few, draw_split, predict_classes, score_few, score_splits

SPLIT = {"n_epochs": 60, "learning_rate": 3e-3, "label_weight": 1.0, "hidden_dim": 16, "embed_dim": 4}


def blobs():
    return make_blobs(150, centers=[[0, 0], [8, 0], [0, 8]], random_state=0)


@pytest.mark.parametrize("stratified", [False, True])
def test_splits(stratified):
    y = np.repeat([0, 1, 2], [100, 60, 40])
    split = draw_split(y, 0, stratified=stratified)
    known = split.codes >= 0
    assert np.array_equal(known, ~split.test) and not (split.validation & ~known).any()
    assert (split.test.sum(), split.validation.sum()) == (120, 20)
    assert np.array_equal(split.codes[known], y[known])
    if stratified:
        assert np.bincount(y[split.test]).tolist() == [60, 36, 24]
    again, other = (draw_split(y, seed, stratified=stratified) for seed in (0, 1))
    assert np.array_equal(again.codes, split.codes) and not np.array_equal(other.codes, split.codes)


def test_a_draw_few_each_class():
    y = np.repeat([0, 1, 2], [100, 60, 3])
    split = draw_few(y, 5, 0)
    assert np.bincount(split.codes[split.codes >= 0]).tolist() == [5, 5, 3]
    assert not split.validation.any() and split.test.sum() == 150


@pytest.mark.parametrize("method", ["spread-labels", "label-propagation-graph", "nearest-neighbors"])
def test_clear_classes_are_found(method):
    X, y = blobs()
    assert set(score_splits(method, X, y, 0)) == {"accuracy", "accuracy_stratified"}
    assert min(score_splits(method, X, y, 0).values()) > 0.95


def test_our_classifier():
    X, y = blobs()
    found = predict_classes("hypcse-classifier", X, draw_split(y, 0, stratified=True), 0, **SPLIT)
    assert np.mean(found == y) > 0.95


def test_score_few_by_the_number_of_labels():
    X, y = blobs()
    scores = score_few("spread-labels", X, y, 0)
    assert list(scores) == [f"accuracy_{number}" for number in FEW] and min(scores.values()) > 0.95


def test_unknown_methods():
    X, y = blobs()
    with pytest.raises(ValueError, match="'svm' is not known"):
        predict_classes("svm", X, draw_few(y, 1, 0), 0)


def test_plans():
    tasks = [task for _, task in plan(experiment("table3"))]
    assert len(tasks) == len({task.key for task in tasks}) == 4 * 10 * 5
    assert {task.kind for task in tasks} == {"labelled"}
    few = {(task.method, task.data) for _, task in plan(experiment("few-labels"))}
    assert ("spread-labels", "pen-digits") in few and not any("hyphc" in method for method, _ in few)
