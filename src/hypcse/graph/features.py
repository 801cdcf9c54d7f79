"""Tables as dense features: sparse ones reduced to main directions, graphs by leading eigenvectors."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from hypcse._checks import check_count, check_finite, check_real
from hypcse._random import generator
from hypcse.graph.compressed import stored_position
from hypcse.graph.graph import Graph

MAX_DENSE_COLUMNS, N_REDUCED = 512, 64
"""A sparse table with more columns than the first number is reduced to the second number of columns."""


def learn_reduction(table: Any, random_state: int = 0) -> NDArray[Any] | None:
    """The main directions (64, d), or fewer at a low rank, of a sparse table of over 512 columns; None for others."""
    if not sparse.issparse(table) or table.shape[1] <= MAX_DENSE_COLUMNS:
        return None
    from sklearn.decomposition import TruncatedSVD

    width = max(1, min(N_REDUCED, min(table.shape) - 1))
    fitted = TruncatedSVD(width, random_state=random_state).fit(table)
    # Along others, rows differ by rounding, which scaling would blow up.
    rounding = max(table.shape) * np.finfo(fitted.components_.dtype).eps * fitted.singular_values_[0]
    return fitted.components_[: max(1, int((fitted.singular_values_ > rounding).sum()))]


def reduce_columns(table: Any, components: NDArray[Any] | None) -> NDArray[Any]:
    """The table as dense features, in the coordinates of `components` if these are given."""
    if components is not None:
        return np.asarray(table @ components.T)
    return table.toarray() if sparse.issparse(table) else table


def dense_features(X: Any) -> Any:
    """Make sparse features dense; more than 512 columns are reduced to 64 main directions. Others stay as they are.

    >>> dense_features(sparse.csr_array([[0.0, 1.0], [2.0, 0.0]]))
    array([[0., 1.],
           [2., 0.]])
    """
    if not sparse.issparse(X):
        return X
    check_real("the features X", X)
    table = sparse.csr_array(X, dtype=X.dtype if X.dtype in (np.float32, np.float64) else np.float64)
    check_finite("X", table.data, lambda entry: stored_position(table, entry))
    return reduce_columns(table, learn_reduction(table))


# Smoothing steps: each damps what is not smooth on the graph, and costs one product with the matrix.
N_STEPS = 60
# Additional columns; the last ones converge slowest and are dropped.
N_SPARE = 8


def spectral_features(graph: Graph, n_components: int = 16, random_state: int = 0) -> NDArray[np.float64]:
    """Coordinates (n, n_components) in which neighbors are close: roughly the leading eigenvectors of the graph.

    Random columns are smoothed by the walk (I + D^-1/2 W D^-1/2) / 2 a fixed number of times and rotated to the
    eigenvectors within their span; each is scaled by its eigenvalue. Columns beyond the vertices are 0, and constants.

    >>> two_pairs = Graph.from_edges([0, 2], [1, 3])
    >>> a, b, c, _ = spectral_features(two_pairs, 2)
    >>> bool(np.allclose(a, b) and not np.allclose(a, c))
    True
    """
    check_count("n_components", n_components, 1)
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
