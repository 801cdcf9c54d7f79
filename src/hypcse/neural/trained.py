"""Shared by estimators with a trained encoder: new points in the ball, options of training, memory, and storage."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Self

import numpy as np
import torch
from numpy.typing import ArrayLike, NDArray
from scipy import sparse
from sklearn.base import BaseEstimator, ClassNamePrefixFeaturesOutMixin, TransformerMixin
from sklearn.utils.validation import check_is_fitted

from hypcse._memory import check_memory
from hypcse._random import generator
from hypcse._threads import worker_threads
from hypcse.estimators.attributes import n_points
from hypcse.estimators.new_points import NewPoints
from hypcse.estimators.preparing import Prepared
from hypcse.graph import Graph, scale_features
from hypcse.graph.similarity import Links
from hypcse.neural.backend import choose_device
from hypcse.neural.training.checkpoint import CONFIG, HISTORY, STATE, check_state
from hypcse.neural.training.config import TrainingConfig, TrainingOptions
from hypcse.neural.training.run import evaluation_edges
from hypcse.neural.training.terms import Networks
from hypcse.storage.values import GRAPH, array

# Rows encoded at a time, always so many: a matrix product may round by its number of rows.
BLOCK = 256
# Smoothing steps: each damps what is not smooth on the graph, and costs one product with the matrix.
N_STEPS = 60
# Additional columns; the last ones converge slowest and are dropped.
N_SPARE = 8
# Beyond this the linear map has reached its limit, which depends on the direction alone, and squares leave float32.
FAR = 1e15


class Embedding(NewPoints, ClassNamePrefixFeaturesOutMixin, TransformerMixin, BaseEstimator):
    """`transform` of a model with a trained encoder, besides `predict` and `places`."""

    new_by = ("euclidean",)
    device: str
    training: TrainingOptions | None
    embedding_: NDArray[np.float64]
    _config: TrainingConfig
    _state: dict[str, Any]
    _encoded_on: Graph

    def set_params(self, **params: Any) -> Self:
        """Set parameters; options of training as `training__name`, also where there is no `training` yet.

        Parameters
        ----------
        **params
            Parameters by name.

        Returns
        -------
        Self
            The estimator itself.
        """
        if self.training is None and any(name.startswith("training__") for name in params):
            params = {"training": TrainingOptions(), **params}
        return super().set_params(**params)

    def transform(self, X: ArrayLike) -> NDArray[np.float64]:
        """Embed each row in the ball, (m, embed_dim), at the radius of `embedding_`.

        In every layer of the encoder a row aggregates its neighbors, which are encoded as in training and do not see
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
        """The known values of training points for their copies in X; for other rows leaves, or the score of points."""
        features, links = self._linked(X)
        values = known[links.indices[:, 0]]
        others = ~links.copies()
        if others.any():
            with worker_threads(self.n_jobs, len(inputs)):
                points = self._place(inputs, self._fed(features[others]), links.part(others), leaves=score is None)
            values[others] = points if score is None else score(points)
        return values

    def _place(
        self, inputs: NDArray[np.float32], features: NDArray[np.float32], links: Links, *, leaves: bool = True
    ) -> NDArray[np.float64]:
        """Leaves, or points of the hyperboloid, of new points, which training points do not see, nor one another."""
        device, choice = choose_device(self.device), self._config.encode_on
        networks = Networks(features.shape[1], self._config, torch.Generator())
        networks.load_state_dict(self._state)
        encoder = networks.to(device).encoder
        edges = evaluation_edges(self._encoded_on.to_tensors().to(device), choice)
        weights = _link_weights(links, self._encoded_on, normalized=choice != "raw")
        within = features * np.minimum(1, FAR / np.abs(features).max(axis=1, keepdims=True, initial=1))
        blocks = []
        with torch.no_grad():
            sources = encoder.sources(torch.tensor(inputs, device=device), edges)
            for start in range(0, len(features), BLOCK):
                rows = slice(start, start + BLOCK)
                missing = (0, BLOCK - len(within[rows])), (0, 0)
                tables = (np.pad(table[rows], missing) for table in (within, links.indices, weights))
                block = (torch.from_numpy(table).to(device) for table in tables)
                points = encoder.extend(sources, *block)
                blocks.append((encoder.leaves(points) if leaves else points).double().cpu().numpy())
        return np.concatenate(blocks)[: len(features)]

    def _fed(self, features: NDArray[np.float32]) -> NDArray[np.float32]:
        """The encoder's input for scaled features: the features themselves."""
        return features

    def _training(self) -> TrainingOptions:
        if not isinstance(self.training, TrainingOptions | None):
            raise TypeError(f"training={self.training!r:.60} must be a TrainingOptions or None.")
        return self.training or TrainingOptions()

    @property
    def _n_features_out(self) -> int:
        return self.embedding_.shape[1]


def _link_weights(links: Links, graph: Graph, normalized: bool) -> NDArray[np.float32]:
    """w_j, or w_j / sqrt(d_j) with the degree of the neighbor, over their sum, which the hyperboloid allows."""
    weights = links.weights
    if normalized:
        degrees = graph.edge_degrees[links.indices]
        weights = weights / np.sqrt(np.where(degrees > 0, degrees, weights))
    return (weights / weights.sum(axis=1, keepdims=True)).astype(np.float32)


def encoder_inputs(ready: Prepared, random_state: int) -> NDArray[np.float32]:
    """The encoder's input: the scaled features or, without any, features made from the graph."""
    if ready.scaled is not None:
        return ready.scaled
    return scale_features(spectral_features(ready.graph, random_state=random_state))


def n_inputs(state: dict[str, Any]) -> int:
    """Width of the encoder's input: features, reduced features, or those of the graph."""
    first = state.get("encoder.linears.0.weight")
    if first is None or first.ndim != 2 or first.shape[1] < 2:
        raise ValueError("the weights of the encoder's first layer are missing")
    return int(first.shape[1]) - 1


def spectral_features(graph: Graph, n_components: int = 16, random_state: int = 0) -> NDArray[np.float64]:
    """Coordinates (n, n_components) in which neighbors are close: roughly the leading eigenvectors of the graph.

    Random columns are smoothed by the walk (I + D^-1/2 W D^-1/2) / 2 a fixed number of times and rotated to the
    eigenvectors within their span; each is scaled by its eigenvalue. Columns beyond the vertices are 0, and constants.
    """
    n = graph.n_vertices
    walk = _walk(graph)
    width = min(n, n_components + N_SPARE)
    basis = np.linalg.qr(generator(random_state, "spectral features").standard_normal((n, width)))[0]
    for _ in range(N_STEPS):
        basis = np.linalg.qr(walk @ basis)[0]
    values, turn = np.linalg.eigh(basis.T @ (walk @ basis))
    order = np.argsort(-values)[:n_components]
    features = (basis @ turn[:, order]) * values[order]
    # The sign of an eigenvector is arbitrary: the entry of largest magnitude is made positive.
    peaks = features[np.abs(features).argmax(axis=0), np.arange(features.shape[1])]
    # A range below single precision is rounding, which scaling would blow up.
    features *= np.where(peaks < 0, -1.0, 1.0) * (np.ptp(features, axis=0) > 10 * np.finfo(np.float32).eps)
    return np.pad(features, ((0, 0), (0, n_components - features.shape[1])))


def _walk(graph: Graph) -> sparse.csr_array:
    """(I + D^-1/2 W D^-1/2) / 2 without self-loops; a vertex without edges stays where it is."""
    degrees = graph.edge_degrees
    root = np.where(degrees > 0, 1 / np.sqrt(np.where(degrees > 0, degrees, 1.0)), 0.0)
    scale, identity = sparse.diags_array(root), sparse.diags_array(1.0 + (degrees == 0))
    return sparse.csr_array((identity + scale @ graph.without_loops().to_scipy() @ scale) / 2)


def _weights_fit(state: dict[str, Any], model: dict[str, Any]) -> bool:
    """Whether the encoder takes what its model has; raise if the weights are not those of its networks."""
    check_state(state, n_inputs(state), model["_config"])
    scaler = None if model.get("_similarities") is not None else model["_scaler"]
    return scaler is None or scaler.n_columns == n_inputs(state)


ENCODED = {
    "embedding_": array(np.float64, 2).where(
        lambda leaves, model: leaves.shape == (n_points(model), model["_config"].embed_dim)
    ),
    "history_": HISTORY.where(
        lambda history, model: all(step.n_epochs == model["_config"].n_epochs for step in history)
    ),
    "_config": CONFIG,
    "_state": STATE.where(_weights_fit),
    "_encoded_on": GRAPH.where(lambda graph, model: graph.n_vertices == n_points(model)),
}
"""Attributes of a trained encoder."""


def check_fit_memory(n_points: int, n_neighbors: int, options: dict[str, Any], smaller: str) -> None:
    """Raise if a fit of this many points does not fit into memory; `smaller` names a way to use fewer points."""
    batch = min(n_points, options.get("batch_size", TrainingConfig.batch_size))
    hidden = options.get("hidden_dim", TrainingConfig.hidden_dim)
    # The graph, the hidden states of all points, and the matrices of one subgraph; the factors meet measured peaks.
    check_memory(
        f"fitting {n_points:,} points",
        n_points * (150 * n_neighbors + 22 * hidden) + 80 * batch * batch,
        f"Lower batch_size, n_neighbors or hidden_dim, or {smaller} and use predict for the rest.",
    )
