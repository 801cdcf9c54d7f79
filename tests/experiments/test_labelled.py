"""Classes from few labels, as experiments."""

import numpy as np
import pytest
from sklearn.datasets import make_blobs

from hypcse.experiments import experiment, plan
from hypcse.experiments.labelled import FEW, few_of, few_scores, predicted, split_of, split_scores

SPLIT = {"n_epochs": 60, "learning_rate": 3e-3, "label_weight": 1.0, "hidden_dim": 16, "embed_dim": 4}


def blobs():
    return make_blobs(150, centers=[[0, 0], [8, 0], [0, 8]], random_state=0)


@pytest.mark.parametrize("stratified", [False, True])
def test_splits(stratified):
    y = np.repeat([0, 1, 2], [100, 60, 40])
    split = split_of(y, 0, stratified=stratified)
    known = split.codes >= 0
    assert np.array_equal(known, ~split.test) and not (split.validation & ~known).any()
    assert (split.test.sum(), split.validation.sum()) == (120, 20)
    assert np.array_equal(split.codes[known], y[known])
    if stratified:
        assert np.bincount(y[split.test]).tolist() == [60, 36, 24]
    again, other = (split_of(y, seed, stratified=stratified) for seed in (0, 1))
    assert np.array_equal(again.codes, split.codes) and not np.array_equal(other.codes, split.codes)


def test_a_few_of_each_class():
    y = np.repeat([0, 1, 2], [100, 60, 3])
    split = few_of(y, 5, 0)
    assert np.bincount(split.codes[split.codes >= 0]).tolist() == [5, 5, 3]
    assert not split.validation.any() and split.test.sum() == 150


@pytest.mark.parametrize("method", ["spread-labels", "label-propagation-graph", "nearest-neighbors"])
def test_clear_classes_are_found(method):
    X, y = blobs()
    assert set(split_scores(method, X, y, 0)) == {"accuracy", "accuracy_stratified"}
    assert min(split_scores(method, X, y, 0).values()) > 0.95


def test_our_classifier():
    X, y = blobs()
    found = predicted("hypcse-classifier", X, split_of(y, 0, stratified=True), 0, **SPLIT)
    assert np.mean(found == y) > 0.95


def test_few_scores_by_the_number_of_labels():
    X, y = blobs()
    scores = few_scores("spread-labels", X, y, 0)
    assert list(scores) == [f"accuracy_{number}" for number in FEW] and min(scores.values()) > 0.95


def test_unknown_methods():
    X, y = blobs()
    with pytest.raises(ValueError, match="'svm' is not known"):
        predicted("svm", X, few_of(y, 1, 0), 0)


def test_plans():
    cells = [cell for _, cell in plan(experiment("table3"))]
    assert len(cells) == len({cell.key for cell in cells}) == 4 * 10 * 5
    assert {cell.task for cell in cells} == {"labelled"}
    few = {(cell.method, cell.data) for _, cell in plan(experiment("few-labels"))}
    assert ("spread-labels", "pen-digits") in few and not any("hyphc" in method for method, _ in few)
