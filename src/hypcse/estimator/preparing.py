"""From what was given to what training takes: scaled features and a graph."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from hypcse.estimator.inputs import Given
from hypcse.graph import Graph, scale_features
from hypcse.graph.scaling import Scaling, fit_scaling
from hypcse.graph.similarity import scaled_similarity
from hypcse.graph.spectral import spectral_features
from hypcse.training import TrainingConfig


@dataclass(frozen=True, eq=False)
class Prepared:
    """What training takes.

    scaler, scaled : the scale of the features and the features on it; None where there are none.
    graph          : the one to cluster, given or of similarity.
    bandwidth      : by which new points are linked.
    inputs         : what the encoder is fed: the scaled features, or the graph's own.
    distances      : between the points, where they were given instead of features.
    """

    scaler: Scaling | None
    scaled: NDArray[np.float32] | None
    graph: Graph
    bandwidth: float
    inputs: NDArray[np.float32]
    distances: Any = None


def prepared(
    given: Given, n_neighbors: int, bandwidth: float | str, scale: str, metric: str, random_state: int
) -> Prepared:
    """Scale the features, make the graph, and where there are no features take the graph's."""
    scaler, scaled = (None, None) if given.features is None else _scaled(given.features, scale)
    points = given.distances if scaled is None else scaled
    graph, width = given.graph, 1.0 if isinstance(bandwidth, str) else float(bandwidth)
    if graph is None or (points is not None and isinstance(bandwidth, str)):
        similarity, width = scaled_similarity(points, n_neighbors, bandwidth, metric=metric)
        graph = similarity if graph is None else graph
    if scaled is not None:
        return Prepared(scaler, scaled, graph, width, scaled)
    inputs = scale_features(spectral_features(graph, random_state=random_state))
    return Prepared(None, None, graph, width, inputs, given.distances)


def _scaled(features: NDArray[Any], scale: str) -> tuple[Scaling, NDArray[np.float32]]:
    scaler, scaled = fit_scaling(features, scale)
    # A copy where nothing was scaled: what the caller does to X later must not reach the model.
    return scaler, scaled.copy() if np.may_share_memory(scaled, features) else scaled


def needed_bytes(n_points: int, n_neighbors: int, options: dict[str, Any]) -> int:
    """About how much memory a fit takes at its highest, above what the libraries take.

    The graph and its tensors, the hidden states of all points at evaluation, and the square matrices of one subgraph;
    the factors are those that meet the peaks of `python -m benchmarks large` at its two sizes.
    """
    config = TrainingConfig()
    batch = min(n_points, options.get("batch_size", config.schedule.batch_size))
    hidden = options.get("hidden_dim", config.model.hidden_dim)
    return n_points * (150 * n_neighbors + 22 * hidden) + 80 * batch * batch
