"""Classes from few labels, as experiments."""

import numpy as np
import pytest
from sklearn.datasets import make_blobs

from hypcse.neural.training.config import TrainingOptions
from hypcse.paper.classifiers import CLASSIFIERS, FEW, draw_few, draw_split, score_labeled
from hypcse.paper.experiments import experiment, plan

SPLIT = {"n_epochs": 60, "learning_rate": 3e-3, "label_weight": 1.0, "embed_dim": 4}
SPLIT["training"] = TrainingOptions(hidden_dim=16)


def blobs():
    return make_blobs(150, centers=[[0, 0], [8, 0], [0, 8]], random_state=0)


@pytest.mark.parametrize("stratified", [False, True])
def test_splits(stratified):
    y = np.repeat([0, 1, 2], [100, 60, 40])
    X = np.zeros((200, 1))
    split = draw_split(X, y, 0, stratified=stratified)
    known = split.y >= 0
    assert not (split.validation & ~known).any()
    assert (np.count_nonzero(~known), split.validation.sum()) == (120, 20)
    assert np.array_equal(split.y[known], y[known])
    if stratified:
        assert np.bincount(y[~known]).tolist() == [60, 36, 24]
    again, other = (draw_split(X, y, seed, stratified=stratified) for seed in (0, 1))
    assert np.array_equal(again.y, split.y) and not np.array_equal(other.y, split.y)


def test_a_draw_few_each_class():
    y = np.repeat([0, 1, 2], [100, 60, 3])
    split = draw_few(np.zeros((163, 1)), y, 5, 0)
    assert np.bincount(split.y[split.y >= 0]).tolist() == [5, 5, 3]
    assert not split.validation.any()


@pytest.mark.parametrize("method", ["spread-labels", "label-propagation-graph", "nearest-neighbors"])
def test_clear_classes_are_found(method):
    X, y = blobs()
    assert set(score_labeled(method, X, y, 0, few=False)) == {"accuracy", "accuracy_stratified"}
    assert min(score_labeled(method, X, y, 0, few=False).values()) > 0.95


def test_our_classifier():
    X, y = blobs()
    result = CLASSIFIERS["hypcse-classifier"](draw_split(X, y, 0, stratified=True), **SPLIT)
    assert np.mean(result == y) > 0.95


def test_scores_by_the_number_of_labels():
    X, y = blobs()
    scores = score_labeled("spread-labels", X, y, 0, few=True)
    assert list(scores) == [f"accuracy_{number}" for number in FEW] and min(scores.values()) > 0.95


def test_plans():
    tasks = [task for _, task in plan(experiment("table3"))]
    assert len(tasks) == len({task.key for task in tasks}) == 4 * 10 * 5
    assert {task.kind for task in tasks} == {"labelled"}
    few = {(task.method, task.data) for _, task in plan(experiment("few-labels"))}
    assert ("spread-labels", "pen-digits") in few and not any("hyphc" in method for method, _ in few)
