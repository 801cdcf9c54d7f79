"""Sparse tables as dense features."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from hypcse._checks import check_finite, check_real
from hypcse.graph.compressed import stored_position

MAX_DENSE_COLUMNS, N_REDUCED = 512, 64
"""A sparse table with more columns than the first number is reduced to the second number of columns."""


def learn_reduction(table: Any, random_state: int = 0) -> NDArray[Any] | None:
    """The main directions (64, d), or fewer at a low rank, of a sparse table of over 512 columns; None for others."""
    if not sparse.issparse(table) or table.shape[1] <= MAX_DENSE_COLUMNS:
        return None
    from sklearn.decomposition import TruncatedSVD

    width = max(1, min(N_REDUCED, min(table.shape) - 1))
    found = TruncatedSVD(width, random_state=random_state).fit(table)
    # Along others, rows differ by rounding, which scaling would blow up.
    rounding = max(table.shape) * np.finfo(found.components_.dtype).eps * found.singular_values_[0]
    return found.components_[: max(1, int((found.singular_values_ > rounding).sum()))]


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
