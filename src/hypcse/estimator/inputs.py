"""What `HypCSE.fit` understands: tables, affinities, distances and graphs."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse
from sklearn.base import BaseEstimator
from sklearn.utils.validation import validate_data

from hypcse.graph import Graph

# A sparse table with more columns than this is reduced to so many before anything else.
MAX_DENSE_COLUMNS, N_REDUCED = 512, 64


@dataclass(frozen=True)
class Given:
    """Points as they were given.

    features  : (n, d) dense, or None where there is only a graph or distances.
    graph     : over the points, or None where it is to be made of features or distances.
    distances : square, condensed or sparse, or None.
    n_points  : how many there are.
    names     : of the points, or None.
    """

    features: NDArray[Any] | None
    graph: Graph | None = None
    distances: Any = None
    n_points: int = 0
    names: tuple[str, ...] | None = None


def understood(model: BaseEstimator, X: Any, graph: Any, metric: str, random_state: int) -> Given:
    """What X and graph mean together; sets what scikit-learn expects of a fitted model about its columns."""
    model._reduction = None
    over = None if graph is None else _as_graph(graph, _row_names(X))
    if isinstance(X, Graph) or _is_networkx(X) or X is None or metric == "precomputed" or sparse.issparse(X):
        # What an earlier fit learned about named columns says nothing about these.
        vars(model).pop("feature_names_in_", None)
    if isinstance(X, Graph) or _is_networkx(X):
        return _graph_alone(model, X, over)
    if X is None:
        if over is None:
            raise ValueError("there is nothing to cluster: pass X, or graph=.")
        return _graph_alone(model, over, None)
    if metric != "precomputed" and sparse.issparse(X) and _is_affinity(X):
        if over is not None:
            raise ValueError("X is a symmetric affinity and graph= is another graph; pass one, or features as X.")
        return _graph_alone(model, Graph.from_scipy(X), None)
    features, distances = None, None
    if metric == "precomputed":
        distances, model.n_features_in_ = X, _count_precomputed(X)
    else:
        features = _features(model, X, random_state)
    n_points = model.n_features_in_ if features is None else len(features)
    if over is not None and over.n_vertices != n_points:
        raise ValueError(f"the graph has {over.n_vertices} vertices for {n_points} rows of X.")
    return Given(features, over, distances, n_points, _row_names(X))


def _graph_alone(model: BaseEstimator, X: Any, over: Graph | None) -> Given:
    if over is not None:
        raise ValueError("X is a graph and graph= is another: pass one of them, or features as X.")
    graph = _as_graph(X)
    if graph.n_vertices < 2:
        raise ValueError(f"the graph has {graph.n_vertices} vertex; at least 2 are needed to make a hierarchy.")
    model.n_features_in_ = graph.n_vertices
    names = tuple(map(str, X.nodes)) if _is_networkx(X) else None
    return Given(None, graph, None, graph.n_vertices, names if names and len(set(names)) == len(names) else None)


def _as_graph(value: Any, rows: tuple[str, ...] | None = None) -> Graph:
    """A graph of any kind; the nodes of a networkx graph are matched to the names of the rows, where there are any."""
    if isinstance(value, Graph):
        return value
    if _is_networkx(value):
        found = Graph.from_networkx(value)
        nodes = tuple(map(str, value.nodes))
        if rows is None or nodes == rows or nodes == tuple(map(str, range(len(nodes)))):
            return found
        if len(nodes) != len(rows) or set(nodes) != set(rows):
            raise ValueError(
                f"the nodes of the graph ({nodes[0]!r}, ...) are not the rows of X ({rows[0]!r}, ...). Rename them, or "
                "reset the index of X to go by position."
            )
        place = {node: k for k, node in enumerate(nodes)}
        return found.subgraph([place[row] for row in rows])[0]
    if sparse.issparse(value) or isinstance(value, np.ndarray):
        return Graph.from_scipy(value)
    raise TypeError(
        f"a graph must be a hypcse.Graph, a networkx graph or a symmetric matrix, got {type(value).__name__}. "
        "Graph.from_edges makes one of a list of edges."
    )


def _is_networkx(value: Any) -> bool:
    return hasattr(value, "number_of_nodes") and hasattr(value, "is_directed")


def _is_affinity(X: Any) -> bool:
    """Whether a sparse matrix is square, symmetric and not negative."""
    if X.shape[0] != X.shape[1] or X.shape[0] < 2:
        return False
    matrix = sparse.csr_array(X)
    gap = abs(matrix - matrix.T)
    return bool(gap.max() <= 1e-6 * abs(matrix).max() and matrix.min() >= 0)


def _features(model: BaseEstimator, X: Any, random_state: int) -> NDArray[Any]:
    """A dense table; a sparse one of many columns is reduced, and the map is kept for new points."""
    table = validate_data(
        model, X, dtype=[np.float64, np.float32], accept_sparse="csr", ensure_min_samples=2, ensure_min_features=1
    )
    if not sparse.issparse(table):
        return table
    if table.shape[1] > MAX_DENSE_COLUMNS:
        from sklearn.decomposition import TruncatedSVD

        width = min(N_REDUCED, min(table.shape) - 1)
        model._reduction = TruncatedSVD(width, random_state=random_state).fit(table).components_
    return reduced(table, model._reduction)


def reduced(table: Any, components: NDArray[Any] | None) -> NDArray[Any]:
    """The table as features: dense, and in the coordinates of `components` where there are some."""
    if components is not None:
        return np.asarray(table @ components.T)
    return table.toarray() if sparse.issparse(table) else table


def _count_precomputed(X: Any) -> int:
    """Number of points of square, condensed or sparse distances; what is wrong with them is told when they are read."""
    shape = X.shape if hasattr(X, "shape") else np.asarray(X).shape
    if len(shape) == 1:
        return round((1 + (1 + 8 * shape[0]) ** 0.5) / 2)
    return int(shape[0])


def _row_names(X: Any) -> tuple[str, ...] | None:
    """The index of a data frame, where it says more than the number of the row; names must differ."""
    index = getattr(X, "index", None)
    if index is None or callable(index) or type(index).__name__ == "RangeIndex":
        return None
    names = tuple(map(str, index))
    if len(set(names)) != len(names):
        twice = next(name for k, name in enumerate(names) if name in set(names[:k]))
        raise ValueError(f"two rows of X are called {twice!r}; leaves need different names. Reset the index of X.")
    return names
