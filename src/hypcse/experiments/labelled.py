"""Classes from few labels: the splits of Table 3, a few labels per class, and how many points come out right."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from hypcse._random import generator

TRAINED, JUDGED = 0.3, 0.1
"""Shares of the points whose labels are trained on, and that pick an epoch; the rest is the test."""
FEW = (1, 5, 20)
"""Labels per class, where there are few."""
OURS = ("hypcse-classifier", "spread-labels")


@dataclass(frozen=True, eq=False)
class Split:
    """Which labels are known.

    codes      : (n,) the class of each point, -1 where it is hidden.
    validation : (n,) which of the known labels may pick an epoch, and are not trained on.
    test       : (n,) the points whose hidden labels count.
    """

    codes: NDArray[np.int64]
    validation: NDArray[np.bool_]
    test: NDArray[np.bool_]


def draw_split(y: NDArray[np.int64], seed: int, *, stratified: bool) -> Split:
    """30 % to train on, 10 % for validation, 60 % to test, drawn by the seed; of each class so much if `stratified`."""
    rng = generator(seed, "splits of Table 3")
    groups = [np.flatnonzero(y == label) for label in np.unique(y)] if stratified else [np.arange(y.size)]
    train, validation = np.zeros(y.size, np.bool_), np.zeros(y.size, np.bool_)
    for group in groups:
        order = rng.permutation(group)
        first, second = round(TRAINED * group.size), round((TRAINED + JUDGED) * group.size)
        train[order[:first]], validation[order[first:second]] = True, True
    known = train | validation
    return Split(np.where(known, y, -1), validation, ~known)


def draw_few(y: NDArray[np.int64], n_labels: int, seed: int) -> Split:
    """So many labels per class, drawn by the seed; all other points are the test."""
    rng = generator(seed, f"{n_labels} labels per class")
    known = np.zeros(y.size, np.bool_)
    for label in np.unique(y):
        known[rng.permutation(np.flatnonzero(y == label))[:n_labels]] = True
    return Split(np.where(known, y, -1), np.zeros(y.size, np.bool_), ~known)


def score_splits(method: str, X: NDArray[Any], y: NDArray[np.int64], seed: int, **options: Any) -> dict[str, float]:
    """Share of the test part that is right, of a random and of a stratified split."""
    return {
        name: _accuracy(method, X, y, draw_split(y, seed, stratified=stratified), seed, options)
        for name, stratified in (("accuracy", False), ("accuracy_stratified", True))
    }


def score_few(method: str, X: NDArray[Any], y: NDArray[np.int64], seed: int, **options: Any) -> dict[str, float]:
    """Share of the points without a label that is right, by the number of labels per class."""
    return {f"accuracy_{number}": _accuracy(method, X, y, draw_few(y, number, seed), seed, options) for number in FEW}


def _accuracy(
    method: str, X: NDArray[Any], y: NDArray[np.int64], split: Split, seed: int, options: dict[str, Any]
) -> float:
    found = predict_classes(method, X, split, seed, **options)
    return float(np.mean(found[split.test] == y[split.test]))


def predict_classes(method: str, X: NDArray[Any], split: Split, seed: int, **options: Any) -> NDArray[np.int64]:
    """The class of every point by a method: one of `OURS`, or of `hypcse.methods.labelled`."""
    if method == "hypcse-classifier":
        return _classify(X, split, seed, **options)
    if method == "spread-labels":
        return _spread(X, split, seed)
    from hypcse.methods.labelled import CLASSIFIERS

    if method not in CLASSIFIERS:
        raise ValueError(f"{method!r} is not known. Choose one of {', '.join((*OURS, *CLASSIFIERS))}.")
    validation = split.validation if split.validation.any() else None
    return CLASSIFIERS[method].predict(X, split.codes, random_state=seed, validation=validation, **options)


def _classify(X: NDArray[Any], split: Split, seed: int, **options: Any) -> NDArray[np.int64]:
    """Our classifier, which draws its validation rows among the known ones by itself: as many as the split has."""
    from hypcse import HypCSEClassifier

    share = split.validation.sum() / np.count_nonzero(split.codes >= 0)
    model = HypCSEClassifier(random_state=seed, validation_fraction=float(share), **options)
    return model.fit(X, split.codes).transduction_


def _spread(X: NDArray[Any], split: Split, seed: int) -> NDArray[np.int64]:
    """The labels to train on, spread over the tree of a graph that respects them: no training, nothing to validate."""
    import hypcse

    taught = np.where(split.validation, -1, split.codes)
    graph = hypcse.respect_labels(hypcse.similarity_graph(X), taught, random_state=seed)
    tree = hypcse.refine(hypcse.graph_linkage(graph), graph, random_state=seed)
    return hypcse.spread_labels(hypcse.join_components(tree, graph, X, bridges=True), taught)
