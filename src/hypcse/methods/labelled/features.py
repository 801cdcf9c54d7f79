"""Classifiers of features: scikit-learn's, trained on the labelled rows."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from hypcse._checks import check_count
from hypcse._threads import FEW_POINTS, openmp_threads
from hypcse.methods.labelled.inputs import Codes, LabelledInputs, check_inputs
from hypcse.methods.progress import check_positive


def nearest_neighbors(
    X: ArrayLike, y: ArrayLike, *, n_neighbors: int = 5, random_state: int = 0, validation: ArrayLike | None = None
) -> Codes:
    """The most frequent class among the nearest labelled points (all of them, if there are fewer)."""
    from sklearn.neighbors import KNeighborsClassifier

    inputs = check_inputs(X, y, random_state, validation)
    k = min(check_count("n_neighbors", n_neighbors, 1), inputs.rows.size)
    return predict_with(KNeighborsClassifier(n_neighbors=k), inputs.features, inputs)


def logistic_regression(
    X: ArrayLike, y: ArrayLike, *, C: float = 1.0, random_state: int = 0, validation: ArrayLike | None = None
) -> Codes:
    """Multinomial logistic regression; C is the inverse of the weight of its squared penalty."""
    inputs = check_inputs(X, y, random_state, validation)
    return predict_with(linear_model(C), inputs.features, inputs)


def gradient_boosting(
    X: ArrayLike,
    y: ArrayLike,
    *,
    n_rounds: int = 100,
    min_leaf: int = 1,
    random_state: int = 0,
    validation: ArrayLike | None = None,
) -> Codes:
    """Boosted decision trees on histograms, `n_rounds` trees per class.

    `min_leaf` is the smallest number of rows in a leaf. With scikit-learn's default of 20, few labels allow no split.
    """
    from sklearn.ensemble import HistGradientBoostingClassifier

    inputs = check_inputs(X, y, random_state, validation)
    check_count("n_rounds", n_rounds, 1)
    check_count("min_leaf", min_leaf, 1)
    model = HistGradientBoostingClassifier(
        max_iter=n_rounds, min_samples_leaf=min_leaf, early_stopping=False, random_state=inputs.random_state
    )
    # On few rows its threads mostly wait for each other.
    with openmp_threads(1 if inputs.rows.size < FEW_POINTS else None):
        return predict_with(model, inputs.features, inputs)


def linear_model(C: float) -> Any:
    """Multinomial logistic regression, with enough steps to converge."""
    from sklearn.linear_model import LogisticRegression

    return LogisticRegression(C=check_positive("C", C), max_iter=10_000)


def predict_with(model: Any, features: NDArray[np.float64], inputs: LabelledInputs) -> Codes:
    """Class codes (n,) by a model of scikit-learn, trained on the labelled rows of the features (n, d)."""
    if inputs.classes.size == 1:
        return np.full(inputs.n_points, inputs.classes[0])
    with openmp_threads():
        found: Codes = model.fit(features[inputs.rows], inputs.codes).predict(features)
    return inputs.classes[found]
