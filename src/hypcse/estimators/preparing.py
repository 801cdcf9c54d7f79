"""Prepares the input of `fit`: points, their scaled features, and a graph."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse
from sklearn.base import BaseEstimator
from sklearn.utils.validation import validate_data

from hypcse._arrays import check_unmasked
from hypcse._checks import check_no_path, say_count
from hypcse._choices import Effort, Linkage, Metric
from hypcse._progress import Callback
from hypcse.graph import Graph
from hypcse.graph.features import learn_reduction, reduce_columns
from hypcse.graph.neighbors.search import unit_rows
from hypcse.graph.scaling import Scaling, fit_scaling
from hypcse.graph.similarity import GraphOptions, scaled_similarity
from hypcse.partitions.evidence import Structure
from hypcse.partitions.resampling import stability
from hypcse.partitions.significance import beyond_chance
from hypcse.partitions.tables import classical_coordinates
from hypcse.points import Points
from hypcse.search import search_tree
from hypcse.search.join import warn_of_order
from hypcse.tree import Tree


@dataclass(frozen=True, eq=False)
class Prepared:
    """What is clustered.

    scaler, scaled : the scaling and the scaled features; None if there are none.
    graph          : the graph to cluster, the user's or of similarities.
    bandwidth      : the width of similarities, for links of new points too; None if nothing was compared.
    """

    points: Points
    scaler: Scaling | None
    scaled: NDArray[np.float32] | None
    graph: Graph
    bandwidth: float | None
    metric: Metric

    def search(
        self,
        random_state: int,
        callback: Callback | None = None,
        *,
        graph: Graph | None = None,
        linkage: Linkage | None = "average",
        effort: Effort | None = "fast",
        starts: Sequence[Tree] = (),
    ) -> Tree:
        """The tree that `search_tree` finds on the graph, or on another one over the same points.

        Warns if nothing says how to join the components of the graph.
        """
        distances = self.points.distances if self.scaled is None else None
        if graph is None and self.scaled is None and distances is None:
            warn_of_order(self.graph.components())
        return search_tree(
            self.graph if graph is None else graph,
            self.scaled,
            linkage=linkage,
            effort=effort,
            starts=starts,
            scale="none",
            metric=self.metric,
            distances=distances,
            random_state=random_state,
            callback=callback,
        )

    def structure(self, random_state: int, reduced: bool = False) -> Structure:
        """Structure beyond chance: of a given graph not made from features, else of these, unnamed if `reduced`."""
        points = self.points
        if points.graph is not None and not points.made_of_features:
            return beyond_chance(points.graph, random_state=random_state)
        data = points.distances if self.scaled is None else self.scaled
        metric = "precomputed" if self.scaled is None else self.metric
        verdict = beyond_chance(data, scale="none", metric=metric, random_state=random_state)
        if reduced:
            return replace(verdict, rests_on=())
        names = points.feature_names
        return verdict if names is None else replace(verdict, rests_on=tuple(names[int(k)] for k in verdict.rests_on))

    def stability(self, levels: Sequence[NDArray[np.int64]], random_state: int) -> NDArray[np.float64] | None:
        """Stability of the levels if X holds distances, which are not kept; otherwise None: it is measured later."""
        if self.points.distances is None:
            return None
        return np.array(stability(levels, self.graph, distances=self.points.distances, random_state=random_state))

    def telling(self, structure: Structure) -> NDArray[np.floating] | None:
        """The points by which levels are rated: without columns of few values that alone set rows apart."""
        compared, names = self.compared, self.points.feature_names
        if compared is None and self.points.distances is not None:
            return classical_coordinates(self.points.distances)
        if compared is None or structure.found or len(structure.rests_on) in (0, compared.shape[1]):
            return compared
        columns = [
            column if isinstance(column, int) else list(names or ()).index(column) for column in structure.rests_on
        ]
        return np.delete(compared, columns, axis=1)

    def attributes(self, seed: int) -> dict[str, Any]:
        """What a fitted model keeps of it."""
        return {
            "graph_": self.graph,
            "bandwidth_": self.bandwidth,
            "_scaler": self.scaler,
            "_scaled": self.compared,
            "_seed": seed,
            "_kinds": self.points.kinds,
            "_metric": self.metric,
        }

    @property
    def compared(self) -> NDArray[np.float32] | None:
        """The points whose Euclidean distances the graph is based on; None without features."""
        if self.scaled is None or self.metric != "cosine":
            return self.scaled
        return unit_rows(self.scaled).astype(np.float32)


def prepare(points: Points, options: GraphOptions) -> Prepared:
    """Scale the features, and make the graph if none was given."""
    scale, bandwidth = points.suited(options.scale, options.bandwidth)
    metric = points.metric if points.metric != "euclidean" else options.metric
    if points.features is None and points.distances is not None:
        metric = "precomputed"
    options = replace(options, scale=scale, bandwidth=bandwidth, metric=metric)
    scaler, scaled, graph, width = None, None, points.graph, None
    if points.features is not None:
        scaler, scaled = fit_scaling(points.features, scale, points.kinds, metric)
        # A copy if nothing was scaled: later changes to X must not affect the model.
        scaled = scaled.copy() if np.may_share_memory(scaled, points.features) else scaled
    compared = points.distances if scaled is None else scaled
    if compared is not None and (graph is None or isinstance(options.width, str)):
        similarity, width = scaled_similarity(compared, options)
        graph = similarity if graph is None else graph
    elif compared is not None:
        width = float(options.width)
    assert graph is not None
    return Prepared(points, scaler, scaled, graph, width, metric)


def take_points(model: BaseEstimator, X: Any, graph: Any, metric: Metric, least: int, random_state: int) -> Points:
    """The points from X and graph, with dense features; sets what `predict` needs. Raises if there are too few."""
    model._reduction = None
    # Forget the named columns of an earlier fit.
    for name in ("feature_names_in_", "n_features_in_"):
        vars(model).pop(name, None)

    def table(X: Any) -> Any:
        check_table(X)
        return validate_data(model, X, dtype=[np.float64, np.float32], accept_sparse="csr", ensure_min_samples=least)

    points = Points.of(X, graph, metric=metric, table=table)
    if points.features is None and points.graph is None and points.distances is None:
        raise ValueError("these points have no features, graph or distances, so there is nothing to cluster.")
    if points.n_points < least:
        what = "row" if points.graph is None else "vertex"
        raise ValueError(f"there is {points.n_points} {what}; at least {least} are needed to make a hierarchy.")
    if points.features is None:
        model.n_features_in_ = points.n_points
        return points
    if isinstance(X, Points) or not hasattr(model, "n_features_in_"):
        check_complete(points.features, points.feature_names)
        validate_data(model, points.features, accept_sparse="csr", ensure_min_samples=least)
        if points.feature_names is not None:
            model.feature_names_in_ = np.array(points.feature_names, dtype=object)
    if not sparse.issparse(points.features):
        return points
    model._reduction = learn_reduction(points.features, random_state)
    features = reduce_columns(points.features, model._reduction)
    if features.shape[1] == points.features.shape[1]:
        return replace(points, features=features)
    return replace(points, features=features, feature_names=None, kinds=None)


def check_table(X: Any) -> None:
    """Raise for missing dates, and for columns of a data frame that hold text or dates; say how to read them."""
    check_no_path(X)
    check_unmasked("X", X)
    if isinstance(X, list | tuple):
        check_unmasked("X", np.asarray(X))
    kinds = getattr(X, "dtypes", None)
    if not hasattr(X, "columns") or kinds is None:
        check_complete(X)
        return
    odd = [str(name) for name, kind in zip(X.columns, kinds, strict=True) if getattr(kind, "kind", "f") not in "iufbc"]
    # An object column may hold numbers; if it does not, the conversion fails.
    texts = [name for name in odd if not _holds_numbers(X[name])]
    if texts:
        raise ValueError(
            f"columns of X are not numbers: {', '.join(map(repr, texts[:8]))}. Pass hypcse.read(X) instead, which "
            "makes features of texts and dates and says how."
        )
    check_complete(X)


def check_complete(X: Any, names: Sequence[str] | None = None) -> None:
    """Raise for missing and infinite numbers: name the column, and say how to fill it."""
    is_frame = hasattr(X, "isna") and hasattr(X, "columns")
    table = sparse.coo_array(X) if sparse.issparse(X) else None
    whole = X.to_numpy(np.float64, na_value=np.nan) if is_frame else X
    values = np.asarray(whole) if table is None else table.data
    # Other shapes and types are judged by scikit-learn's checks.
    if values.dtype.kind != "f" or getattr(X, "ndim", values.ndim) != 2 or np.isfinite(values).all():
        return
    bad = np.flatnonzero(~np.isfinite(values))
    rows, columns = np.unravel_index(bad, values.shape) if table is None else (table.row[bad], table.col[bad])
    first = int(columns[0])
    titles = list(X.columns) if is_frame else names
    title = f"column {first}" if titles is None else f"column {titles[first]!r}"
    n_columns, n_bad = np.unique(columns).size, int((columns == first).sum())
    others = f" (and {say_count(n_columns - 1, 'more column')})" if n_columns > 1 else ""
    what = "missing, NaN" if np.isnan(values.flat[bad[0]]) else "infinite, inf"
    raise ValueError(
        f"{title} of X{others} has {say_count(n_bad, 'value')} {what}, the first in row {int(rows[0])}. Fill or remove "
        f"them, or pass hypcse.read({'X' if is_frame else 'pandas.DataFrame(X)'}), which fills them."
    )


def _holds_numbers(column: Any) -> bool:
    try:
        np.asarray(column, dtype=np.float64)
    except (TypeError, ValueError):
        return False
    return getattr(column.dtype, "kind", "") not in "mM"
