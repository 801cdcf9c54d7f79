"""New points in a fitted model: their labels, and their places in the tree."""

from __future__ import annotations

from typing import Any
from weakref import WeakKeyDictionary

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.utils.validation import check_is_fitted, validate_data

from hypcse._choices import Metric
from hypcse._threads import worker_threads
from hypcse.estimators.preparing import check_table
from hypcse.graph import Graph
from hypcse.graph.features import reduce_columns
from hypcse.graph.neighbors.exact import TreeIndex
from hypcse.graph.neighbors.search import index_of, unit_rows, warn_of_zeros
from hypcse.graph.scaling import Scaling
from hypcse.graph.similarity import Links, links_to
from hypcse.partitions.outliers import Outliers, excess
from hypcse.points import Points
from hypcse.points.columns import Columns
from hypcse.points.convert import is_cells
from hypcse.points.points import in_columns
from hypcse.points.reading import read_points
from hypcse.search.places import cheapest_places
from hypcse.tree import Tree

_INDEXES: WeakKeyDictionary[Any, TreeIndex | None] = WeakKeyDictionary()
"""The index of the training points of each model, made when it is first needed and not stored."""


class NewPoints:
    """`predict` and `places` of a fitted model.

    Each new point is scaled like the training points and linked to its `n_neighbors` nearest among them, with the
    weights of the similarity graph. New points are never linked to each other, so the result for a point does not
    depend on the others.

    new_by : the metrics by which new points can be compared with the training points.
    """

    new_by: tuple[Metric, ...] = ("euclidean", "cosine")
    metric: Metric
    n_neighbors: int
    n_jobs: int | None
    mark_outliers: bool = False
    tree_: Tree
    graph_: Graph
    labels_: NDArray[np.int64]
    bandwidth_: float | None
    _scaled: NDArray[np.float32] | None
    _scaler: Scaling | None
    _reduction: NDArray[np.float64] | None
    _kinds: tuple[str | None, ...] | None
    _metric: Metric
    _outliers: Outliers | None

    def predict(self, X: ArrayLike) -> NDArray[np.int64]:
        """Predict the flat label of each row: the heaviest among the `labels_` of its neighbors.

        Ties go to the smaller label. With `mark_outliers`, outliers among the neighbors have no vote, and a row that
        lies as far from its neighbors as outliers do is one: -1. A row equal to a training point, after scaling, gets
        the label of that point (of the first, if several are equal).

        Parameters
        ----------
        X
            New points, in the columns that `fit` saw.

        Returns
        -------
        ndarray of shape (m,)
            One cluster per row.
        """
        check_is_fitted(self)
        return self._vote(X, self.labels_, self.mark_outliers)

    def _vote(self, X: ArrayLike, labels: NDArray[np.int64], mark: bool) -> NDArray[np.int64]:
        """Of each row the label of most weight among its neighbors; -1 for outliers, if they are to be marked."""
        _, links = self._linked(X)
        found = labels[links.indices]
        voted = heaviest_labels(found, np.where(found < 0, 0.0, links.weights))
        if mark and self._outliers is not None:
            distances = np.sqrt(2 * links.distances) if self._metric == "cosine" else links.distances
            voted[excess(distances.mean(axis=1), self._outliers.usual[links.indices[:, 0]]) > self._outliers.limit] = -1
        return np.where(links.copies(), found[:, 0], voted)

    def places(self, X: ArrayLike) -> NDArray[np.int64]:
        """For each row, the node of `tree_` beside which it adds the least structural entropy, (m,).

        `model.tree_.attach(model.places(X))` is the tree with the rows as new leaves. Each is placed as if it were the
        only new one; see `hypcse.search.places.cheapest_places` for the formula.

        Parameters
        ----------
        X
            New points, in the columns that `fit` saw.

        Returns
        -------
        ndarray of shape (m,)
            Ids of nodes.
        """
        _, links = self._linked(X)
        with worker_threads(self.n_jobs, len(links.indices)):
            return cheapest_places(self.tree_, self.graph_, links)

    def _linked(self, X: ArrayLike) -> tuple[NDArray[np.float32], Links]:
        """The rows on the training scale, and their links to the training points."""
        points, features = self._on_scale(X)
        assert self.bandwidth_ is not None
        with worker_threads(self.n_jobs, len(points)):
            index = _INDEXES[self] = index_of(points, len(features), _INDEXES.get(self))
            return features, links_to(points, features, self.n_neighbors, self.bandwidth_, self._metric, index)

    def _on_scale(self, X: ArrayLike) -> tuple[NDArray[np.float32], NDArray[np.float32]]:
        """The training points, and the rows on their scale."""
        check_is_fitted(self)
        points = self._training_points()
        table, gaps = self._in_columns(X)
        table = validate_data(self, table, dtype=[np.float64, np.float32], accept_sparse="csr", reset=False)
        assert self._scaler is not None
        features = self._scaler.apply(reduce_columns(table, self._reduction))
        if gaps is not None and features.shape == gaps.shape and self._metric != "cosine":
            # What is missing is as in the middle of the training points.
            features = np.where(gaps, np.median(points, axis=0), features)
        if self._metric == "cosine":
            warn_of_zeros(features)
            features = unit_rows(features, features.shape[1] + 1).astype(np.float32)
            # Rows of zeros have a column of their own.
            points = np.pad(points, ((0, 0), (0, features.shape[1] - points.shape[1])))
        return points, features

    def _in_columns(self, X: Any) -> tuple[Any, NDArray[np.bool_] | None]:
        """Input for scikit-learn's checks, and where it is filled; a table is read as the training table was."""
        X = Points.of(X) if is_cells(X) else X
        names: Any = getattr(self, "feature_names_in_", None)
        if isinstance(X, Points):
            fits = names is None or X.feature_names is None or set(names) <= set(X.feature_names)
            frame = None if fits else X.frame
        else:
            frame = X if hasattr(X, "iloc") and names is not None else None
        if frame is not None and self._kinds is not None:
            X = read_points(frame, Columns(in_python=True).as_fitted(names.tolist(), self._kinds))
        if not isinstance(X, Points):
            check_table(X)
            return X, None
        if names is None or X.feature_names is None:
            return X.features, X.gaps
        import pandas as pd

        table = in_columns(X, names.tolist(), self._kinds)
        gaps = np.isnan(table)
        return pd.DataFrame(np.where(gaps, 0.0, table), columns=names), gaps

    def _training_points(self) -> NDArray[np.float32]:
        if self._scaled is None:
            raise ValueError(
                "this model was fitted on a graph alone or on distances, so nothing says where a new point belongs. "
                "Fit it on features; a graph may be given too: fit(X, graph=g)."
            )
        if self._metric not in self.new_by:
            raise ValueError(
                f"this {type(self).__name__} was fitted with metric={self._metric!r} and takes new points with "
                f"{' or '.join(map(repr, self.new_by))} only. EntropyClustering takes them with 'cosine' too."
            )
        return self._scaled


def heaviest_labels(labels: NDArray[np.int64], weights: NDArray[np.float64]) -> NDArray[np.int64]:
    """The heaviest label in each row of (m, k); ties go to the smaller label."""
    totals = np.zeros(weights.shape)
    for column in range(labels.shape[1]):
        totals += weights[:, column, None] * (labels == labels[:, column, None])
    heaviest = totals == totals.max(axis=1, keepdims=True)
    return np.where(heaviest, labels, np.iinfo(np.int64).max).min(axis=1)
