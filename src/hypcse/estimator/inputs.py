"""What `fit` is given, as `Points`; and what scikit-learn expects a fitted model to know about its columns."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
from scipy import sparse
from sklearn.base import BaseEstimator
from sklearn.utils.validation import validate_data

from hypcse._choices import Metric
from hypcse.graph.reduction import learn_reduction, reduced
from hypcse.points import Points


def given_points(model: BaseEstimator, X: Any, graph: Any, metric: Metric, least: int, random_state: int) -> Points:
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
    return _replaced(points, reduced(points.features, model._reduction))


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


def _replaced(points: Points, features: Any) -> Points:
    """The points with other features; kinds of columns stay with columns that stay."""
    same = features.shape[1] == points.features.shape[1]
    names, kinds = (points.feature_names, points.kinds) if same else (None, None)
    return replace(points, features=features, feature_names=names, kinds=kinds)
