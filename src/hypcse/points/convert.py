"""What a value is, and graphs of other libraries as `Graph`."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy import sparse

from hypcse.graph import Graph

CELL_PARTS = ("obs", "obsm", "obsp", "uns", "obs_names")


def is_networkx(value: Any) -> bool:
    """Whether it is a graph of networkx."""
    return hasattr(value, "number_of_nodes") and hasattr(value, "is_directed")


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


def as_graph(value: Any, rows: tuple[str, ...] | None = None) -> Graph:
    """A graph of any kind; the nodes of a networkx graph are matched to the names of the rows, where there are any."""
    if isinstance(value, Graph):
        return value
    if is_networkx(value):
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


def node_names(value: Any) -> tuple[str, ...] | None:
    """Names of the nodes of a networkx graph, where they differ; None of any other graph."""
    names = tuple(map(str, value.nodes)) if is_networkx(value) else ()
    return names if names and len(set(names)) == len(names) else None


def row_names(X: Any) -> tuple[str, ...] | None:
    """The index of a data frame, where it says more than the number of the row; names must differ."""
    index = getattr(X, "index", None)
    if index is None or callable(index) or type(index).__name__ == "RangeIndex":
        return None
    names = tuple(map(str, index))
    if len(set(names)) != len(names):
        twice = next(name for k, name in enumerate(names) if name in set(names[:k]))
        raise ValueError(f"two rows of X are called {twice!r}; leaves need different names. Reset the index of X.")
    return names
