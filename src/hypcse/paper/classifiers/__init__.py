"""Classifiers that learn from part of the labels, as in the paper's study, and their accuracy on the other points."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

import hypcse
from hypcse._random import generator
from hypcse.paper.classifiers.features import (
    Codes,
    LabeledInputs,
    gradient_boosting,
    label_propagation,
    label_propagation_graph,
    logistic_regression,
    nearest_neighbors,
)
from hypcse.paper.classifiers.hyphc_leaves import hyphc_end_to_end, hyphc_two_step

TRAINED, JUDGED = 0.3, 0.1
"""Shares of the points whose labels are trained on, and that pick an epoch; the rest is the test."""
FEW = (1, 5, 20)
"""Labels per class, where there are few."""


def draw_split(X: NDArray[Any], y: Codes, seed: int, *, stratified: bool) -> LabeledInputs:
    """30 % to train on, 10 % for validation, 60 % to test, drawn by the seed; of each class so much if `stratified`."""
    rng = generator(seed, "splits of Table 3")
    groups = [np.flatnonzero(y == label) for label in np.unique(y)] if stratified else [np.arange(y.size)]
    train, validation = np.zeros(y.size, np.bool_), np.zeros(y.size, np.bool_)
    for group in groups:
        order = rng.permutation(group)
        first, second = round(TRAINED * group.size), round((TRAINED + JUDGED) * group.size)
        train[order[:first]], validation[order[first:second]] = True, True
    return LabeledInputs(X, np.where(train | validation, y, -1), validation, seed)


def draw_few(X: NDArray[Any], y: Codes, n_labels: int, seed: int) -> LabeledInputs:
    """So many labels per class, drawn by the seed; all other points are the test."""
    rng = generator(seed, f"{n_labels} labels per class")
    known = np.zeros(y.size, np.bool_)
    for label in np.unique(y):
        known[rng.permutation(np.flatnonzero(y == label))[:n_labels]] = True
    return LabeledInputs(X, np.where(known, y, -1), np.zeros(y.size, np.bool_), seed)


def score_splits(method: str, X: NDArray[Any], y: Codes, seed: int, **options: Any) -> dict[str, float]:
    """Share of the points without a label that is right, of a random and of a stratified split."""
    names = {"accuracy": False, "accuracy_stratified": True}
    splits = {name: draw_split(X, y, seed, stratified=stratified) for name, stratified in names.items()}
    return _accuracies(method, splits, y, options)


def score_few(method: str, X: NDArray[Any], y: Codes, seed: int, **options: Any) -> dict[str, float]:
    """Share of the points without a label that is right, by the number of labels per class."""
    splits = {f"accuracy_{number}": draw_few(X, y, number, seed) for number in FEW}
    return _accuracies(method, splits, y, options)


def _accuracies(method: str, splits: dict[str, LabeledInputs], y: Codes, options: dict[str, Any]) -> dict[str, float]:
    classes = {name: CLASSIFIERS[method](split, **options) for name, split in splits.items()}
    return {name: float(np.mean((classes[name] == y)[split.y < 0])) for name, split in splits.items()}


def _classify(inputs: LabeledInputs, **options: Any) -> Codes:
    """Our classifier, which draws its validation rows among the known ones by itself: as many as the split has."""
    share = inputs.validation.sum() / np.count_nonzero(inputs.y >= 0)
    model = hypcse.HypCSEClassifier(random_state=inputs.random_state, validation_fraction=float(share), **options)
    return model.fit(inputs.X, inputs.y).transduction_


def _spread(inputs: LabeledInputs) -> Codes:
    """The labels to train on, spread over the tree of a graph that respects them: no training, nothing to validate."""
    labels, seed = np.where(inputs.validation, -1, inputs.y), inputs.random_state
    graph = hypcse.respect_labels(hypcse.similarity_graph(inputs.X), labels, random_state=seed)
    return hypcse.spread_labels(hypcse.search_tree(graph, inputs.X, random_state=seed), labels)


CLASSIFIERS: dict[str, Callable[..., Codes]] = {
    "hypcse-classifier": _classify,
    "spread-labels": _spread,
    "label-propagation": label_propagation,
    "label-propagation-graph": label_propagation_graph,
    "hyphc-two-step": hyphc_two_step,
    "hyphc-end-to-end": hyphc_end_to_end,
    "nearest-neighbors": nearest_neighbors,
    "logistic-regression": logistic_regression,
    "gradient-boosting": gradient_boosting,
}
"""Functions from `LabeledInputs`, and options by keyword, to the class of every point."""
