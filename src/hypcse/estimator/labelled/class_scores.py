"""Classes of new points in a fitted classifier."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.special import softmax
from sklearn.utils.validation import check_is_fitted

from hypcse._torch import torch
from hypcse.encoder.prototypes import class_scores
from hypcse.estimator.similarities import Similarities
from hypcse.estimator.trained import Embedding


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
