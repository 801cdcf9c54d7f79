"""What kind of data a value is, and the names of its rows."""

from __future__ import annotations

from typing import Any

from scipy import sparse

from hypcse._checks import number_repeated
from hypcse.graph.compressed import is_networkx as is_networkx
from hypcse.graph.convert import as_graph as as_graph
from hypcse.graph.convert import node_names as node_names

CELL_PARTS = ("obs", "obsm", "obsp", "uns", "obs_names")


def is_cells(value: Any) -> bool:
    """Whether it is an AnnData."""
    return all(hasattr(value, part) for part in CELL_PARTS)


def is_affinity(X: Any) -> bool:
    """Whether it is a sparse matrix that is square, symmetric and not negative."""
    if not sparse.issparse(X) or X.shape[0] != X.shape[1] or X.shape[0] < 2:
        return False
    matrix = sparse.csr_array(X)
    gap = abs(matrix - matrix.T)
    return bool(gap.max() <= 1e-6 * abs(matrix).max() and matrix.min() >= 0)


def row_names(X: Any) -> tuple[str, ...] | None:
    """The index of a data frame, if it is more than row numbers; names that repeat get a number."""
    index = getattr(X, "index", None)
    if index is None or callable(index) or type(index).__name__ == "RangeIndex":
        return None
    return number_repeated(map(str, index))
