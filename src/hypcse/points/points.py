"""`Points`: user data as one checked value."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from operator import itemgetter
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy import sparse

from hypcse._arrays import check_unmasked, plain
from hypcse._checks import check_features, check_no_path, check_real, first_duplicate, label_array, say_count
from hypcse._choices import Bandwidth, Metric, Scale
from hypcse.graph import Graph
from hypcse.graph.features import learn_reduction, reduce_columns
from hypcse.graph.scaling import Scaling, fit_scaling
from hypcse.graph.similarity import GraphOptions, scaled_similarity
from hypcse.points.convert import as_graph, is_affinity, is_cells, is_networkx, node_names, row_names


@dataclass(frozen=True, eq=False)
class Points:
    """Points to cluster: features, a graph, distances, and what is known about each point.

    Pass it wherever features go: to `fit` of the estimators, `methods.run`, `similarity_graph` and `view`. Make one
    with `hypcse.read(path)` or `Points.of(X)`.

    Parameters
    ----------
    features
        (n, d) numbers, dense or sparse, or None.
    graph
        A graph over the points, or None to make one from the features or distances.
    names
        Names of the points, all different, or None.
    labels
        Known classes of the points, used only for scores; None or NaN where a label is unknown.
    feature_names
        Names of the columns.
    kinds
        For each column: None if it holds numbers; the name of the text column if it marks one of its texts; its own
        name if it holds booleans. Columns of one kind together count about as much as one numeric column.
    units
        How the numbers of columns are written, by their names, with # for the digits: "$#" or "# km"; "date" for days
        since 1970-01-01.
    gaps
        (n, d) where numbers were missing and are filled, or None.
    distances
        Instead of features: square, condensed or sparse.
    metric
        How features are compared: "euclidean" or "cosine".
    one_scale
        Whether the features are on one scale already, as principal components are. By default they are then not
        scaled, and the bandwidth of the similarities is "auto".
    made_of_features
        Whether the graph was made from the features, so that the features say more than the graph.
    notes
        What was done to the data, for people to read.
    frame
        The table as it was read, with all its columns: a data frame with one row per point, or None.

    Examples
    --------
    >>> points = Points([[0.0, 1.0], [2.0, 3.0]], names=["a", "b"])
    >>> points.n_points, points.names
    (2, ('a', 'b'))
    >>> points
    Points(2 rows, 2 features)
    """

    features: Any = None
    graph: Graph | None = None
    names: tuple[str, ...] | None = None
    labels: NDArray[Any] | None = None
    feature_names: tuple[str, ...] | None = None
    kinds: tuple[str | None, ...] | None = None
    units: Mapping[str, str] = field(default_factory=dict)
    gaps: NDArray[np.bool_] | None = None
    distances: Any = None
    metric: Metric = "euclidean"
    one_scale: bool = False
    made_of_features: bool = False
    notes: tuple[str, ...] = ()
    frame: Any = None

    def __post_init__(self) -> None:
        """Turn lists into arrays and tuples, and check sizes and names; a masked label is unknown."""
        check_unmasked("the features", self.features)
        check_unmasked("the distances", self.distances)
        plain: dict[str, Any] = {name: getattr(self, name) for name in ("names", "feature_names", "kinds")}
        plain = {name: None if values is None else tuple(values) for name, values in plain.items()}
        plain["features"] = self.features if hasattr(self.features, "shape") else _or_none(np.asarray, self.features)
        plain["labels"] = self.labels if type(self.labels) is np.ndarray else _or_none(label_array, self.labels)
        for name, values in plain.items():
            object.__setattr__(self, name, values)
        if self.features is not None and len(self.features.shape) != 2:
            raise ValueError(f"features have shape {self.features.shape}; pass one row per point, in two dimensions.")
        n = self.n_points
        if self.distances is not None and _count_precomputed(self.distances) != n:
            raise ValueError(f"there are distances of {_count_precomputed(self.distances)} points for {n} rows.")
        if self.graph is not None and self.graph.n_vertices != n:
            raise ValueError(f"the graph has {self.graph.n_vertices} vertices for {n} rows of X.")
        for what in ("names", "labels"):
            if plain[what] is not None and len(plain[what]) != n:
                raise ValueError(f"there are {len(plain[what])} {what} for {n} points. Pass one per point.")
        for what in ("feature_names", "kinds") if self.features is not None else ():
            if plain[what] is not None and len(plain[what]) != self.features.shape[1]:
                raise ValueError(f"there are {len(plain[what])} {what} for {self.features.shape[1]} columns.")
        twice = first_duplicate(self.feature_names or ()) if any(self.kinds or ()) else None
        if twice is not None:
            raise ValueError(f"two columns are called {twice!r}; names of text columns must be unique. Rename one.")
        twice = first_duplicate(self.names or ())
        if twice is not None:
            raise ValueError(f"two points are called {twice!r}; leaf names must be unique. Is it the id column?")

    @classmethod
    def of(
        cls,
        X: Any = None,
        graph: Any = None,
        *,
        metric: Metric = "euclidean",
        names: Sequence[str] | None = None,
        labels: ArrayLike | None = None,
        table: Callable[[Any], Any] | None = None,
    ) -> Self:
        """Make points from any supported data.

        Parameters
        ----------
        X
            A table (array, data frame or sparse matrix), a `Graph`, a networkx graph, a sparse symmetric affinity, an
            AnnData, `Points`; or with metric="precomputed" distances: square, condensed or sparse.
        graph
            A graph over the rows of X: a `Graph`, a networkx graph or a symmetric matrix. X may then be None.
        metric
            How features are compared; "precomputed" if X holds distances.
        names
            Names of the points. By default, the index of a data frame or the nodes of a networkx graph.
        labels
            Known classes of the points.
        table
            Function that checks a table and turns it into an array; `check_features` by default.

        Returns
        -------
        Points
            The points.

        Examples
        --------
        >>> Points.of([[0.0, 1.0], [2.0, 3.0]]).n_points
        2
        """
        check_no_path(X)
        check_unmasked("X", X)
        if is_cells(X):
            from hypcse.points.cells import points_of_cells

            X = points_of_cells(X)[0]
        if isinstance(X, Points):
            points: Any = X
            if graph is not None:
                points = replace(points, graph=as_graph(graph, X.names), made_of_features=False)
            if names is not None:
                points = replace(points, names=tuple(map(str, names)))
            if labels is not None:
                points = replace(points, labels=label_array(labels))
            if metric == "precomputed" and points.features is not None and points.distances is None:
                points = replace(points, features=None, distances=points.features, feature_names=None, kinds=None)
            return points
        names = tuple(map(str, names)) if names is not None else row_names(X)
        known = _or_none(label_array, labels)
        over = None if graph is None else as_graph(graph, row_names(X))
        if X is None and over is None:
            raise ValueError("there is nothing to cluster: pass X, or graph=.")
        if X is None or isinstance(X, Graph) or is_networkx(X) or (metric != "precomputed" and is_affinity(X)):
            if X is not None and over is not None:
                raise ValueError("X and graph= are both graphs. Pass one of them, or features as X.")
            return cls(
                graph=as_graph(X) if over is None else over,
                names=names or node_names(graph if X is None else X),
                labels=known,
            )
        if metric == "precomputed":
            return cls(distances=X, graph=over, names=names, labels=known)
        if table is not None:
            features = table(X)
        elif sparse.issparse(X):
            check_real("the features X", X)
            features = sparse.csr_array(X)
        else:
            features = check_features(X)
        titles = getattr(X, "columns", None)
        columns = None if titles is None else tuple(map(str, titles))
        names = names or (None if graph is None else node_names(graph))
        return cls(features, over, names, known, columns, metric=metric)

    def rows(self, order: ArrayLike) -> Self:
        """Select some of the points, or all in another order; a graph keeps the edges between them.

        Parameters
        ----------
        order
            Positions of the points to select.

        Returns
        -------
        Points
            Those points, in that order.
        """
        rows = plain("order", order)
        if np.array_equal(rows, np.arange(self.n_points)):
            return self
        if self.distances is not None:
            raise ValueError("points with distances keep their order. Reorder the distances themselves.")
        return replace(
            self,
            **{name: _or_none(itemgetter(rows), getattr(self, name)) for name in ("features", "gaps", "labels")},
            graph=None if self.graph is None else self.graph.subgraph(rows)[0],
            names=None if self.names is None else tuple(self.names[k] for k in rows.tolist()),
            frame=None if self.frame is None else self.frame.iloc[rows].reset_index(drop=True),
        )

    def __repr__(self) -> str:
        alone = self.graph is not None and self.features is None and self.distances is None
        parts = [] if alone else [say_count(self.n_points, "row")]
        if self.features is not None:
            parts.append(say_count(self.features.shape[1], "feature"))
        if self.distances is not None:
            parts.append("distances")
        if self.graph is not None:
            parts += [say_count(self.n_points, "vertex", "vertices"), say_count(self.graph.n_edges, "edge")]
        if self.labels is not None:
            known = {str(label) for label in self.labels.tolist() if label is not None and label == label}
            parts.append(say_count(len(known), "class", "classes"))
        return f"Points({', '.join(parts)})"

    @property
    def n_points(self) -> int:
        """Number of points."""
        if self.features is not None:
            return int(self.features.shape[0])
        if self.graph is not None:
            return self.graph.n_vertices
        if self.distances is not None:
            return _count_precomputed(self.distances)
        return max(len(known) for known in (self.names, self.labels, ()) if known is not None)

    @property
    def table(self) -> NDArray[Any]:
        """The features, dense; a ValueError if there are none."""
        if self.features is None:
            what = "a graph" if self.distances is None else "distances"
            raise ValueError(f"features are needed, but these points hold only {what}. Pass a table of numbers.")
        return self.features.toarray() if sparse.issparse(self.features) else self.features

    def suited(self, scale: Scale, bandwidth: Bandwidth) -> tuple[Scale, Bandwidth]:
        """Scale and bandwidth to use for these points: with the defaults, features on one scale keep it.

        Parameters
        ----------
        scale, bandwidth
            What is asked for, as for `similarity_graph`.

        Returns
        -------
        scale, bandwidth
            Those to use.
        """
        if self.one_scale and scale == "minmax":
            return "none", "auto" if bandwidth == 1.0 else bandwidth
        return scale, bandwidth

    def similarity(self, n_neighbors: int = 10, bandwidth: Bandwidth = 1.0, scale: Scale = "minmax") -> Graph:
        """The graph of the points, or else the similarity graph of their features or distances.

        Parameters
        ----------
        n_neighbors, bandwidth, scale
            As for `similarity_graph`.

        Returns
        -------
        Graph
            A graph over the points.
        """
        if self.graph is not None:
            return self.graph
        scale, bandwidth = self.suited(scale, bandwidth)
        options = GraphOptions(n_neighbors, bandwidth, scale, "precomputed" if self.features is None else self.metric)
        return scaled_similarity(self.distances if self.features is None else self.scaled(scale)[1], options)[0]

    def scaled(self, scale: Scale = "minmax") -> tuple[Scaling, NDArray[np.float32]]:
        """The scaling and the scaled features; sparse features with many columns are reduced first.

        Parameters
        ----------
        scale
            As for `similarity_graph`.

        Returns
        -------
        scaling, features
            How columns are scaled, and the scaled features (n, d).
        """
        table = self.features if sparse.issparse(self.features) else self.table
        return fit_scaling(reduce_columns(table, learn_reduction(table)), scale, self.kinds, self.metric)


def _or_none(function: Callable[[Any], Any], value: Any) -> Any:
    return None if value is None else function(value)


def in_columns(points: Points, names: Sequence[str], kinds: Sequence[str | None] | None = None) -> NDArray[Any]:
    """Named features arranged in the columns of other points, (n, len(names)); NaN where one was missing.

    A text that these points lack is 0 everywhere, and one that only they have is left out; case does not count.
    """
    titles = points.feature_names or ()
    others = dict(zip(names, kinds or [None] * len(names), strict=True))
    own = dict(zip(titles, points.kinds or [None] * len(titles), strict=True))
    texts = {kind for name, kind in others.items() if kind not in (None, name)}

    def key(name: str, kind: str | None) -> str:
        return name.casefold() if kind in texts else name

    extra = [name for name, kind in own.items() if name not in others and kind not in texts]
    known = texts.intersection(own.values())
    missing = [name for name, kind in others.items() if name not in own and kind not in known]
    if extra or missing:
        what = f"{extra[0]!r} is not among them" if extra else f"{missing[0]!r} is missing"
        raise ValueError(
            f"these points do not have the columns that the model was fitted on: {what}. Pass the same columns; "
            "hypcse.read uses those that use= or keep= names, whatever they look like."
        )
    table = points.table if points.gaps is None else np.where(points.gaps, np.nan, points.table)
    columns = {key(name, kind): table[:, k] for k, (name, kind) in enumerate(own.items())}
    zeros = np.zeros(len(table), table.dtype)
    return np.column_stack([columns.get(key(name, kind), zeros) for name, kind in others.items()])


def _count_precomputed(X: Any) -> int:
    """Number of points of square, condensed or sparse distances; they are checked later, when they are read."""
    shape = X.shape if hasattr(X, "shape") else np.asarray(X).shape
    if len(shape) == 1:
        return round((1 + (1 + 8 * shape[0]) ** 0.5) / 2)
    return int(shape[0])
