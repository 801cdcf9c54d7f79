"""Classifiers that learn from part of the labels, as in the paper's study, and their accuracy on the other points."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property, partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

import hypcse
from hypcse._random import generator
from hypcse._threads import FEW_POINTS, openmp_threads
from hypcse.graph import Graph, scale_features, similarity_graph
from hypcse.paper.methods.hyphc import hyphc_end_to_end, hyphc_leaves

Codes = NDArray[np.int64]
TRAINED, JUDGED = 0.3, 0.1
"""Shares of the points whose labels are trained on, and that pick an epoch; the rest is the test."""
FEW = (1, 5, 20)
"""Labels per class, where there are few."""
# Relative residual at which the conjugate gradients stop.
_TOLERANCE = 1e-10


@dataclass(frozen=True)
class LabeledInputs:
    """Features X (n, d), codes y (n,), -1 without a label, and a mask of labels that pick an epoch and never train."""

    X: NDArray[np.floating]
    y: Codes
    validation: NDArray[np.bool_]
    random_state: int = 0

    @cached_property
    def rows(self) -> Codes:
        """Ids (m,) of the points to train on."""
        return np.flatnonzero((self.y >= 0) & ~self.validation)

    @cached_property
    def held(self) -> Codes:
        """Ids of the validation points that have a label."""
        return np.flatnonzero((self.y >= 0) & self.validation)

    @cached_property
    def classes(self) -> Codes:
        """Class codes among the points to train on, ascending."""
        return np.unique(self.y[self.rows])

    @cached_property
    def codes(self) -> Codes:
        """Position (m,) in `classes` of the class of each point to train on."""
        return np.searchsorted(self.classes, self.y[self.rows])

    @cached_property
    def features(self) -> NDArray[np.float64]:
        """Features scaled to [0, 1] column by column, over all points."""
        return scale_features(self.X).astype(np.float64)


def nearest_neighbors(inputs: LabeledInputs) -> Codes:
    """The most frequent class among the 5 nearest labeled points, or all of fewer."""
    from sklearn.neighbors import KNeighborsClassifier

    return predict_with(KNeighborsClassifier(n_neighbors=min(5, inputs.rows.size)), inputs.features, inputs)


def logistic_regression(inputs: LabeledInputs, *, features: NDArray[np.float64] | None = None) -> Codes:
    """Multinomial logistic regression on the scaled features, or others, with enough steps to converge."""
    from sklearn.linear_model import LogisticRegression

    return predict_with(LogisticRegression(max_iter=10_000), inputs.features if features is None else features, inputs)


def gradient_boosting(inputs: LabeledInputs) -> Codes:
    """Boosted decision trees on histograms; few labels would allow no split with scikit-learn's least leaf of 20."""
    from sklearn.ensemble import HistGradientBoostingClassifier

    model = HistGradientBoostingClassifier(min_samples_leaf=1, early_stopping=False, random_state=inputs.random_state)
    # On few rows its threads mostly wait for each other.
    with openmp_threads(1 if inputs.rows.size < FEW_POINTS else None):
        return predict_with(model, inputs.features, inputs)


def predict_with(model: Any, features: NDArray[np.float64], inputs: LabeledInputs) -> Codes:
    """Class codes (n,) by a model of scikit-learn, trained on the labeled rows of the features (n, d)."""
    if inputs.classes.size == 1:
        return np.full(len(inputs.X), inputs.classes[0])
    with openmp_threads():
        codes: Codes = model.fit(features[inputs.rows], inputs.codes).predict(features)
    return inputs.classes[codes]


def hyphc_two_step(inputs: LabeledInputs, *, n_epochs: int = 50, n_triples: int | None = None) -> Codes:
    """Logistic regression on HypHC's leaves in the tangent space at the origin, where it is linear."""
    return logistic_regression(inputs, features=hyphc_leaves(inputs, n_epochs, n_triples))


def label_propagation(inputs: LabeledInputs, *, n_neighbors: int | None = None) -> Codes:
    """Label propagation (Zhu, Ghahramani and Lafferty, 2003) on the similarity graph; by default of all pairs."""
    graph = similarity_graph(inputs.X, n_neighbors or max(len(inputs.X) - 1, 1))
    shares = propagate(graph, inputs.rows, np.eye(inputs.classes.size)[inputs.codes])
    # The shares of a point add up to 1 in the exact solution, and to 0 where no label arrives.
    reached = shares.sum(axis=1) > 0.5
    return inputs.classes[np.where(reached, shares.argmax(axis=1), np.bincount(inputs.codes).argmax())]


def propagate(graph: Graph, rows: Codes, known: NDArray[np.float64]) -> NDArray[np.float64]:
    """Shares (n, c) of every vertex from those (m, c) `known` at the vertices `rows`, which keep theirs.

    Others have the weighted mean of their neighbors', (D_UU - W_UU) f_U = W_UL f_L, by conjugate gradients.
    """
    from scipy import sparse
    from scipy.sparse.linalg import cg

    W, degrees = graph.without_loops().to_scipy(), graph.edge_degrees
    free = np.setdiff1d(np.arange(graph.n_vertices), rows)
    shares = np.zeros((graph.n_vertices, known.shape[1]))
    shares[rows] = known
    between = W[free]
    system = sparse.diags_array(degrees[free]) - between[:, free]
    # By its diagonal; a vertex without edges has 0 there.
    inverse = sparse.diags_array(1 / np.where(degrees[free] > 0, degrees[free], 1.0))
    for column, arriving in enumerate((between[:, rows] @ known).T):
        shares[free, column], _ = cg(system, arriving, rtol=_TOLERANCE, M=inverse)
    return shares


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


def score_labeled(method: str, X: NDArray[Any], y: Codes, seed: int, *, few: bool, **options: Any) -> dict[str, float]:
    """Share of the points without a label that is right: by the number of labels per class, or by the kind of split."""
    if few:
        splits = {f"accuracy_{number}": draw_few(X, y, number, seed) for number in FEW}
    else:
        names = {"accuracy": False, "accuracy_stratified": True}
        splits = {name: draw_split(X, y, seed, stratified=stratified) for name, stratified in names.items()}
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
    "label-propagation-graph": partial(label_propagation, n_neighbors=10),
    "hyphc-two-step": hyphc_two_step,
    "hyphc-end-to-end": hyphc_end_to_end,
    "nearest-neighbors": nearest_neighbors,
    "logistic-regression": logistic_regression,
    "gradient-boosting": gradient_boosting,
}
"""Functions from `LabeledInputs`, and options by keyword, to the class of every point."""
