"""Shared by estimators with a trained encoder: new points in the ball, device and memory, and storage."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import ClassNamePrefixFeaturesOutMixin, TransformerMixin
from sklearn.utils.validation import check_is_fitted

from hypcse._memory import check_memory
from hypcse._threads import worker_threads
from hypcse.estimators.new_points import NewPoints
from hypcse.estimators.preparing import Prepared
from hypcse.graph import Graph, scale_features
from hypcse.graph.features import spectral_features
from hypcse.neural.backend import choose_device
from hypcse.neural.training.config import TrainingConfig
from hypcse.neural.training.extend import Encoding, place_points
from hypcse.neural.training.state import CONFIG, HISTORY, STATE, check_state
from hypcse.storage.values import GRAPH, array

ENCODED = {
    "embedding_": array(np.float64, 2),
    "history_": HISTORY,
    "_config": CONFIG,
    "_state": STATE,
    "_encoded_on": GRAPH,
}
"""Attributes of a trained encoder."""


class Embedding(NewPoints, ClassNamePrefixFeaturesOutMixin, TransformerMixin):
    """`transform` of a model with a trained encoder, besides `predict` and `places`."""

    new_by = ("euclidean",)
    device: str
    embedding_: NDArray[np.float64]
    _config: TrainingConfig
    _state: dict[str, Any]
    _encoded_on: Graph

    def transform(self, X: ArrayLike) -> NDArray[np.float64]:
        """Embed each row in the ball, (m, embed_dim), at the radius of `embedding_`.

        In every layer of the encoder a row aggregates its neighbours, which are encoded as in training and do not see
        the new points. A row equal to a training point, after scaling, gets that point's place (the first one's, if
        several are equal).

        Parameters
        ----------
        X
            New points, in the columns that `fit` saw.

        Returns
        -------
        ndarray of shape (m, embed_dim)
            Points in the ball.
        """
        check_is_fitted(self)
        return self._extended(X, self.embedding_, self._fed(self._training_points()))

    def _extended(
        self,
        X: ArrayLike,
        known: NDArray[np.float64],
        inputs: NDArray[np.float32],
        score: Callable[[NDArray[np.float64]], NDArray[np.float64]] | None = None,
    ) -> NDArray[np.float64]:
        """What is known of training points for their copies in X; for other rows their leaves, or a score of them.

        inputs : of the encoder, for the training points.
        score  : of points on the hyperboloid.
        """
        features, links = self._linked(X)
        values = known[links.indices[:, 0]]
        others = ~links.copies()
        if others.any():
            encoding = Encoding(self._state, self._config, inputs, self._encoded_on)
            new, device = (self._fed(features[others]), links.part(others)), choose_device(self.device)
            with worker_threads(self.n_jobs, len(inputs)):
                placed = place_points(encoding, *new, device, leaves=score is None)
            values[others] = placed if score is None else score(placed)
        return values

    def _fed(self, features: NDArray[np.float32]) -> NDArray[np.float32]:
        """The encoder's input for scaled features: the features themselves."""
        return features

    @property
    def _n_features_out(self) -> int:
        return self.embedding_.shape[1]


def encoder_inputs(ready: Prepared, random_state: int) -> NDArray[np.float32]:
    """The encoder's input: the scaled features or, without any, features made from the graph."""
    if ready.scaled is not None:
        return ready.scaled
    return scale_features(spectral_features(ready.graph, random_state=random_state))


def sizes_of_encoder(found: dict[str, Any]) -> dict[str, bool]:
    """For each attribute of the encoder, whether it fits the tree; raise if the weights do not fit its networks."""
    n_points, config = found["tree_"].n_leaves, found["_config"]
    check_state(found["_state"], n_inputs(found["_state"]), config)
    return {
        "embedding_": found["embedding_"].shape == (n_points, config.embed_dim),
        "history_": all(step.n_epochs == config.n_epochs for step in found["history_"]),
        "_encoded_on": found["_encoded_on"].n_vertices == n_points,
    }


def n_inputs(state: dict[str, Any]) -> int:
    """Width of the encoder's input: features, reduced features, or those of the graph."""
    first = state.get("encoder.linears.0.weight")
    if first is None or first.ndim != 2 or first.shape[1] < 2:
        raise ValueError("the weights of the encoder's first layer are missing")
    return int(first.shape[1]) - 1


def check_fit_memory(n_points: int, n_neighbors: int, options: dict[str, Any], smaller: str) -> None:
    """Raise if a fit of this many points does not fit into memory; `smaller` says what to do with fewer points.

    The graph and its tensors, the hidden states of all points at evaluation, and the square matrices of one subgraph;
    the factors are those that met the measured peaks at 20,000 and 100,000 points.
    """
    batch = min(n_points, options.get("batch_size", TrainingConfig.batch_size))
    hidden = options.get("hidden_dim", TrainingConfig.hidden_dim)
    check_memory(
        f"fitting {n_points:,} points",
        n_points * (150 * n_neighbors + 22 * hidden) + 80 * batch * batch,
        f"Lower batch_size, n_neighbors or hidden_dim, or {smaller} and use predict for the rest.",
    )
