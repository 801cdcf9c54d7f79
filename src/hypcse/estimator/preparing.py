"""From what was given to what is clustered: scaled features and a graph."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from hypcse._choices import Bandwidth, Metric, Scale
from hypcse.chance import Structure, beyond_chance, stability
from hypcse.discrete import join_components
from hypcse.graph import Graph
from hypcse.graph.neighbors import unit_rows
from hypcse.graph.scaling import Scaling, fit_scaling
from hypcse.graph.similarity import scaled_similarity
from hypcse.points import Points
from hypcse.tree import Tree


@dataclass(frozen=True, eq=False)
class Prepared:
    """What is clustered.

    points         : as they were given.
    scaler, scaled : the scale of the features and the features on it; None where there are none.
    graph          : the one to cluster, given or of similarity.
    bandwidth      : by which new points are linked.
    metric         : by which features compare.
    """

    points: Points
    scaler: Scaling | None
    scaled: NDArray[np.float32] | None
    graph: Graph
    bandwidth: float
    metric: Metric

    def joined(self, tree: Tree) -> Tree:
        """The tree with what no edge joins joined by features, or by distances that were given."""
        if self.scaled is None:
            return join_components(tree, self.graph, distances=self.points.distances, bridges=True)
        return join_components(tree, self.graph, self.scaled, scale="none", metric=self.metric, bridges=True)

    def structure(self, random_state: int) -> Structure:
        """What there is beyond chance: of a graph that was given, unless it was made of features; else of these."""
        points = self.points
        if points.graph is not None and not points.made_of_features:
            return beyond_chance(points.graph, random_state=random_state)
        data = points.distances if self.scaled is None else self.scaled
        metric = "precomputed" if self.scaled is None else self.metric
        return beyond_chance(data, scale="none", metric=metric, random_state=random_state)

    def stability(self, levels: list[NDArray[np.int64]], random_state: int) -> NDArray[np.float64] | None:
        """Of levels of distances, which are not kept; None where all that it takes is, so that it can wait."""
        if self.points.distances is None:
            return None
        found = stability(levels, self.graph, distances=self.points.distances, random_state=random_state)
        return np.array(found)

    @property
    def compared(self) -> NDArray[np.float32] | None:
        """The points whose Euclidean distances the graph goes by; None without features."""
        if self.scaled is None or self.metric != "cosine":
            return self.scaled
        return unit_rows(self.scaled).astype(np.float32)


def prepared(points: Points, n_neighbors: int, bandwidth: Bandwidth, scale: Scale, metric: Metric) -> Prepared:
    """Scale the features and make the graph, where none was given."""
    scale, bandwidth = points.suited(scale, bandwidth)
    metric = points.metric if points.metric != "euclidean" else metric
    if points.features is None and points.distances is not None:
        metric = "precomputed"
    scaler, scaled = (None, None) if points.features is None else _scaled(points, scale)
    compared = points.distances if scaled is None else scaled
    graph, width = points.graph, 1.0 if isinstance(bandwidth, str) else float(bandwidth)
    if graph is None or (compared is not None and isinstance(bandwidth, str)):
        similarity, width = scaled_similarity(compared, n_neighbors, bandwidth, metric=metric)
        graph = similarity if graph is None else graph
    return Prepared(points, scaler, scaled, graph, width, metric)


def _scaled(points: Points, scale: Scale) -> tuple[Scaling, NDArray[np.float32]]:
    scaler, scaled = fit_scaling(points.features, scale, points.kinds)
    # A copy where nothing was scaled: what the caller does to X later must not reach the model.
    return scaler, scaled.copy() if np.may_share_memory(scaled, points.features) else scaled
