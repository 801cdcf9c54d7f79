"""From what `fit` is given to what is clustered: points, their features on one scale, and a graph."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse
from sklearn.base import BaseEstimator
from sklearn.utils.validation import validate_data

from hypcse._choices import Bandwidth, Metric, Scale
from hypcse.chance import Structure, beyond_chance, stability
from hypcse.discrete import join_components
from hypcse.graph import Graph
from hypcse.graph.features import Scaling, fit_scaling, learn_reduction, reduce_columns
from hypcse.graph.neighbors import unit_rows
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


def prepare(points: Points, n_neighbors: int, bandwidth: Bandwidth, scale: Scale, metric: Metric) -> Prepared:
    """Scale the features and make the graph, where none was given."""
    scale, bandwidth = points.suited(scale, bandwidth)
    metric = points.metric if points.metric != "euclidean" else metric
    if points.features is None and points.distances is not None:
        metric = "precomputed"
    scaler, scaled = (None, None) if points.features is None else _scale(points, scale)
    compared = points.distances if scaled is None else scaled
    graph, width = points.graph, 1.0 if isinstance(bandwidth, str) else float(bandwidth)
    if graph is None or (compared is not None and isinstance(bandwidth, str)):
        similarity, width = scaled_similarity(compared, n_neighbors, bandwidth, metric=metric)
        graph = similarity if graph is None else graph
    return Prepared(points, scaler, scaled, graph, width, metric)


def _scale(points: Points, scale: Scale) -> tuple[Scaling, NDArray[np.float32]]:
    scaler, scaled = fit_scaling(points.features, scale, points.kinds)
    # A copy where nothing was scaled: what the caller does to X later must not reach the model.
    return scaler, scaled.copy() if np.may_share_memory(scaled, points.features) else scaled


def take_points(model: BaseEstimator, X: Any, graph: Any, metric: Metric, least: int, random_state: int) -> Points:
    """What X and graph mean together, with dense features; at least so many points.

    Sets `n_features_in_`, `feature_names_in_` and `_reduction`, the map of a sparse table of many columns.
    """
    model._reduction = None
    # What an earlier fit learned about named columns says nothing about these.
    for name in ("feature_names_in_", "n_features_in_"):
        vars(model).pop(name, None)

    def table(X: Any) -> Any:
        _check_frame(X)
        return validate_data(model, X, dtype=[np.float64, np.float32], accept_sparse="csr", ensure_min_samples=least)

    points = Points.of(X, graph, metric=metric, table=table)
    if points.features is None and points.graph is None and points.distances is None:
        raise ValueError("these points have no features, graph or distances: there is nothing to cluster.")
    if points.n_points < least:
        what = "row" if points.graph is None else "vertex"
        raise ValueError(f"there is {points.n_points} {what}; at least {least} are needed to make a hierarchy.")
    if points.features is None:
        model.n_features_in_ = points.n_points
        return points
    if isinstance(X, Points) or not hasattr(model, "n_features_in_"):
        validate_data(model, points.features, accept_sparse="csr", ensure_min_samples=least)
        if points.feature_names is not None:
            model.feature_names_in_ = np.array(points.feature_names, dtype=object)
    if not sparse.issparse(points.features):
        return points
    model._reduction = learn_reduction(points.features, random_state)
    return _replace_features(points, reduce_columns(points.features, model._reduction))


def _check_frame(X: Any) -> None:
    """Raise for columns of a data frame that hold texts or dates, with the way that reads them."""
    kinds = getattr(X, "dtypes", None)
    if not hasattr(X, "columns") or kinds is None:
        return
    odd = [str(name) for name, kind in zip(X.columns, kinds, strict=True) if getattr(kind, "kind", "f") not in "iufbc"]
    # A column of objects may hold numbers; what holds something else fails to be one.
    texts = [name for name in odd if not _holds_numbers(X[name])]
    if texts:
        raise ValueError(
            f"columns of X are no numbers: {', '.join(map(repr, texts[:8]))}. hypcse.read(X, categorical=[...], "
            "label_column=..., drop=[...]) makes points of such a frame, which fit takes."
        )


def _holds_numbers(column: Any) -> bool:
    try:
        np.asarray(column, dtype=np.float64)
    except (TypeError, ValueError):
        return False
    return getattr(column.dtype, "kind", "") not in "mM"


def _replace_features(points: Points, features: Any) -> Points:
    """The points with other features; kinds of columns stay with columns that stay."""
    same = features.shape[1] == points.features.shape[1]
    names, kinds = (points.feature_names, points.kinds) if same else (None, None)
    return replace(points, features=features, feature_names=names, kinds=kinds)
