"""What classifiers add to an estimator: classes of points, and the hierarchy found with a few labels."""

from __future__ import annotations

from typing import Any

import numpy as np
import torch
from numpy.typing import ArrayLike, NDArray
from scipy.special import softmax
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import check_is_fitted, column_or_1d

from hypcse._checks import label_array
from hypcse._random import generator
from hypcse.estimators.labels import label_codes, respect_labels, spread_labels
from hypcse.estimators.preparing import Prepared
from hypcse.estimators.similarities import Similarities
from hypcse.neural.encoder import class_scores
from hypcse.neural.trained import Embedding


class ClassScores(Embedding):
    """`predict` and related methods of a model with one prototype on the hyperboloid per class."""

    classes_: NDArray[Any]
    prototypes_: NDArray[np.float64]
    biases_: NDArray[np.float64]
    _scores: NDArray[np.float64]
    _inputs: NDArray[np.float32]
    _similarities: Similarities | None

    def predict(self, X: ArrayLike) -> NDArray[Any]:
        """Predict the class of each row. A row equal to a training point gets the class found in training.

        Parameters
        ----------
        X
            New points, in the columns that `fit` saw.

        Returns
        -------
        ndarray of shape (m,)
            One of `classes_` per row.
        """
        scores = self._class_scores(X)
        return self.classes_[scores.argmax(axis=1)]

    def predict_proba(self, X: ArrayLike) -> NDArray[np.float64]:
        """For each row, a probability for each of the `classes_`, with sum 1.

        This is the softmax of the scores; it ranks classes but is not calibrated.

        Parameters
        ----------
        X
            New points, in the columns that `fit` saw.

        Returns
        -------
        ndarray of shape (m, n_classes)
            The shares.
        """
        return softmax(self._class_scores(X), axis=1)

    def decision_function(self, X: ArrayLike) -> NDArray[np.float64]:
        """The scores 2 + 2 <z, p_c> + b_c of each row, (m, n_classes); with two classes, second minus first.

        Parameters
        ----------
        X
            New points, in the columns that `fit` saw.

        Returns
        -------
        ndarray of shape (m, n_classes), or (m,) of two classes
            The scores.
        """
        scores = self._class_scores(X)
        return scores[:, 1] - scores[:, 0] if scores.shape[1] == 2 else scores

    def _class_scores(self, X: ArrayLike) -> NDArray[np.float64]:
        """Scores (m, n_classes) of rows; copies of a training point get that point's scores."""
        check_is_fitted(self)

        def score(points: NDArray[np.float64]) -> NDArray[np.float64]:
            arrays = points, self.prototypes_, self.biases_
            return class_scores(*map(torch.from_numpy, arrays)).numpy()

        return self._extended(X, self._scores, self._inputs, score)

    def _fed(self, features: NDArray[np.float32]) -> NDArray[np.float32]:
        """The encoder's input: the scaled features, or the components of their similarities."""
        return features if self._similarities is None else self._similarities.apply(features)


LEAST_VALIDATION = 10
"""With fewer labels, epochs cannot be compared."""


def known_classes(y: ArrayLike, n_points: int) -> tuple[NDArray[Any], NDArray[np.int64]]:
    """The classes and the code of each point, -1 for no label; there must be at least two classes."""
    if y is None:
        raise ValueError("requires y to be passed, but the target y is None. Pass one label per point, -1 for unknown.")
    given = label_array(y) if isinstance(y, np.ma.MaskedArray) else np.asarray(y)
    given = column_or_1d(given, warn=True) if given.ndim == 2 else given
    if given.dtype.kind == "f":
        check_classification_targets(given[~np.isnan(given)])
    classes, codes = label_codes(given)
    if codes.size != n_points:
        raise ValueError(f"y has {codes.size} labels for {n_points} points. Pass one per point, -1 for unknown.")
    if len(classes) == 0:
        raise ValueError("y has no label: all are -1, None or NaN. Label some points, or use HypCSE, which needs none.")
    if len(classes) == 1:
        raise ValueError(f"y has only one class, {classes[0]!r}; a classifier needs at least two classes.")
    return classes, codes


def validation_rows(codes: NDArray[np.int64], fraction: float, random_state: int) -> NDArray[np.bool_]:
    """The labelled rows that pick the epoch: this share, or none if that is fewer than 10.

    Every class keeps a label to learn from.
    """
    labelled = np.flatnonzero(codes >= 0)
    wanted = round(fraction * labelled.size)
    chosen = np.zeros(codes.size, np.bool_)
    if wanted < LEAST_VALIDATION:
        return chosen
    order = generator(random_state, "validation").permutation(labelled)
    # The first of each class in this order stays with training.
    firsts = np.unique(codes[order], return_index=True)[1]
    chosen[np.delete(order, firsts)[:wanted]] = True
    return chosen


def guess_labels(taught: NDArray[np.int64], ready: Prepared, seed: int) -> NDArray[np.int64]:
    """Labels for all other points, spread over a tree from the training labels; -1 for points that have one."""
    tree = ready.search(seed, graph=respect_labels(ready.graph, taught, random_state=seed))
    return np.where(taught >= 0, -1, spread_labels(tree, taught))
