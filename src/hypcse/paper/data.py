"""Data for experiments: sizes and names, made points, and the splits in which few labels are known."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

import hypcse
from hypcse._random import generator
from hypcse.datasets import available, describe
from hypcse.paper.classifiers import features, hyphc
from hypcse.paper.classifiers.features import Codes, LabelledInputs
from hypcse.paper.flat.cases import FLAT_CASES, FlatCase
from hypcse.paper.hierarchies import CASES, Case

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

SIZES = (1_000, 2_000, 5_000, 10_000, 20_000, 50_000)
N_FEATURES = 16
_PREFIX = "nested-gaussians-"
_ALL: dict[str, Case | FlatCase] = {**CASES, **FLAT_CASES}
_MADE = {name: case for name, case in _ALL.items() if name not in available()}


def data_name(n_points: int) -> str:
    """The name under which a task asks for so many points.

    >>> size_of(data_name(1000))
    1000
    """
    return f"{_PREFIX}{n_points}"


def size_of(name: str) -> int | None:
    """Number of points of the nested Gaussians of a name, at least 2; None for any other name."""
    size = name.removeprefix(_PREFIX)
    return int(size) if size != name and size.isdecimal() and int(size) > 1 else None


def made_size(name: str) -> int | None:
    """Number of points of a data set that is made, or scikit-learn's; None for one that `load` reads."""
    return _MADE[name].n_points if name in _MADE else size_of(name)


def has_features(name: str) -> bool:
    """Whether a data set is more than a graph."""
    return name not in _MADE or _MADE[name].n_features > 0


def is_noise(name: str) -> bool:
    """Whether all points of a data set are one cluster."""
    return name in _MADE and _MADE[name].n_clusters == 1


def number_of_classes(name: str) -> int:
    """The true number of clusters of a data set."""
    return _MADE[name].n_clusters if name in _MADE else describe(name).n_classes


def nested_gaussians(n_points: int, seed: int = 0) -> tuple[NDArray[np.float64], NDArray[np.int64]]:
    """Points of 25 Gaussians, five in each of five groups, and the Gaussian of each."""
    import numpy as np

    rng = np.random.default_rng(seed)
    groups = 8 * rng.normal(size=(5, 1, N_FEATURES))
    centers = (groups + 3 * rng.normal(size=(5, 5, N_FEATURES))).reshape(25, N_FEATURES)
    y = rng.integers(0, 25, n_points)
    return centers[y] + rng.normal(size=(n_points, N_FEATURES)), y


TRAINED, JUDGED = 0.3, 0.1
"""Shares of the points whose labels are trained on, and that pick an epoch; the rest is the test."""
FEW = (1, 5, 20)
"""Labels per class, where there are few."""


def draw_split(X: NDArray[Any], y: Codes, seed: int, *, stratified: bool) -> LabelledInputs:
    """30 % to train on, 10 % for validation, 60 % to test, drawn by the seed; of each class so much if `stratified`."""
    rng = generator(seed, "splits of Table 3")
    groups = [np.flatnonzero(y == label) for label in np.unique(y)] if stratified else [np.arange(y.size)]
    train, validation = np.zeros(y.size, np.bool_), np.zeros(y.size, np.bool_)
    for group in groups:
        order = rng.permutation(group)
        first, second = round(TRAINED * group.size), round((TRAINED + JUDGED) * group.size)
        train[order[:first]], validation[order[first:second]] = True, True
    return LabelledInputs(X, np.where(train | validation, y, -1), validation, seed)


def draw_few(X: NDArray[Any], y: Codes, n_labels: int, seed: int) -> LabelledInputs:
    """So many labels per class, drawn by the seed; all other points are the test."""
    rng = generator(seed, f"{n_labels} labels per class")
    known = np.zeros(y.size, np.bool_)
    for label in np.unique(y):
        known[rng.permutation(np.flatnonzero(y == label))[:n_labels]] = True
    return LabelledInputs(X, np.where(known, y, -1), np.zeros(y.size, np.bool_), seed)


def score_splits(method: str, X: NDArray[Any], y: Codes, seed: int, **options: Any) -> dict[str, float]:
    """Share of the points without a label that is right, of a random and of a stratified split."""
    names = {"accuracy": False, "accuracy_stratified": True}
    splits = {name: draw_split(X, y, seed, stratified=stratified) for name, stratified in names.items()}
    return {name: _accuracy(method, split, y, options) for name, split in splits.items()}


def score_few(method: str, X: NDArray[Any], y: Codes, seed: int, **options: Any) -> dict[str, float]:
    """Share of the points without a label that is right, by the number of labels per class."""
    splits = {f"accuracy_{number}": draw_few(X, y, number, seed) for number in FEW}
    return {name: _accuracy(method, split, y, options) for name, split in splits.items()}


def _accuracy(method: str, inputs: LabelledInputs, y: Codes, options: dict[str, Any]) -> float:
    classes, hidden = CLASSIFIERS[method](inputs, **options), inputs.y < 0
    return float(np.mean(classes[hidden] == y[hidden]))


def _classify(inputs: LabelledInputs, **options: Any) -> Codes:
    """Our classifier, which draws its validation rows among the known ones by itself: as many as the split has."""
    share = inputs.validation.sum() / np.count_nonzero(inputs.y >= 0)
    model = hypcse.HypCSEClassifier(random_state=inputs.random_state, validation_fraction=float(share), **options)
    return model.fit(inputs.X, inputs.y).transduction_


def _spread(inputs: LabelledInputs) -> Codes:
    """The labels to train on, spread over the tree of a graph that respects them: no training, nothing to validate."""
    labels, seed = np.where(inputs.validation, -1, inputs.y), inputs.random_state
    graph = hypcse.respect_labels(hypcse.similarity_graph(inputs.X), labels, random_state=seed)
    return hypcse.spread_labels(hypcse.search_tree(graph, inputs.X, random_state=seed), labels)


CLASSIFIERS: dict[str, Callable[..., Codes]] = {
    "hypcse-classifier": _classify,
    "spread-labels": _spread,
    "label-propagation": features.label_propagation,
    "label-propagation-graph": features.label_propagation_graph,
    "hyphc-two-step": hyphc.hyphc_two_step,
    "hyphc-end-to-end": hyphc.hyphc_end_to_end,
    "nearest-neighbors": features.nearest_neighbors,
    "logistic-regression": features.logistic_regression,
    "gradient-boosting": features.gradient_boosting,
}
"""Functions from `LabelledInputs`, and options by keyword, to the class of every point."""
