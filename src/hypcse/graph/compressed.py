"""Checks and storage of a graph's matrix in compressed rows."""

from __future__ import annotations

from numbers import Real
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from hypcse._memory import check_memory

if TYPE_CHECKING:
    import networkx

Ids = NDArray[np.int64]

MAX_SHORT = 2**31 - 1
"""The largest 32-bit integer."""
_BYTES_PER_VERTEX, _BYTES_PER_ENTRY = 24, 50
"""Memory that making a graph takes, per vertex without entries, and per entry of its matrix."""


def stored_position(matrix: Any, entry: int) -> tuple[int, int]:
    """Row and column of an entry of the data of a matrix in compressed rows."""
    return int(np.searchsorted(matrix.indptr, entry, side="right")) - 1, int(matrix.indices[entry])


def vertex_ids(name: str, ids: NDArray[Any], n: int | None = None) -> NDArray[np.int64]:
    """Ids in one dimension, each one of n vertices if n is known; `name` is the caller's name for them."""
    if ids.ndim != 1 or (ids.size and ids.dtype.kind not in "iu"):
        raise TypeError(f"{name} must be a list of vertex ids (integers), got {ids.dtype} of shape {ids.shape}.")
    wrong = ids[(ids < 0) | (ids >= n)] if n is not None else ids[ids < 0]
    if wrong.size:
        limits = "are numbered from 0, none is below 0" if n is None else f"are 0 .. {n - 1}"
        raise ValueError(f"{name} names vertex {wrong[0]}, but vertices {limits}.")
    return ids.astype(np.int64)


def check_size(n: int, entries: int) -> None:
    """Raise, before anything is allocated, unless n vertices fit into memory and their ids into 32 bits."""
    way_out = f"The largest id is {n - 1}; number vertices from 0 without gaps: numpy.unique(ids, return_inverse=True)."
    check_memory(f"a graph of {n:,} vertices", _BYTES_PER_VERTEX * n + _BYTES_PER_ENTRY * entries, way_out)
    if n > MAX_SHORT + 1:
        raise ValueError(f"a graph has at most {MAX_SHORT + 1:,} vertices, got {n:,}. {way_out}")


def symmetrize(matrix: sparse.csr_array) -> sparse.csr_array:
    """The matrix, made exactly symmetric; raise if it differs from its transpose by more than 1e-9 (relative)."""
    gap = abs(matrix - matrix.T).tocoo()
    if gap.nnz == 0:
        return matrix
    worst = int(np.argmax(gap.data))
    row, column = int(gap.row[worst]), int(gap.col[worst])
    if gap.data[worst] > 1e-9 * float(matrix.data.max()):
        raise ValueError(
            f"the weights are not symmetric: ({row}, {column}) has {matrix[row, column]} and ({column}, {row}) has "
            f"{matrix[column, row]}. Pass (W + W.T) / 2."
        )
    average = sparse.csr_array((matrix + matrix.T) / 2)
    average.sort_indices()
    return average


def is_networkx(value: Any) -> bool:
    """Whether it is a networkx graph."""
    return hasattr(value, "number_of_nodes") and hasattr(value, "is_directed")


def network_edges(graph: networkx.Graph[Any], weight: str) -> tuple[Ids, Ids, NDArray[np.float64], int]:
    """Source, target and weight of each edge, with nodes numbered in their order, and the number of nodes."""
    if not is_networkx(graph):
        raise TypeError(
            f"graph must be a networkx graph, got {type(graph).__name__}. "
            "Use Graph.from_scipy for a matrix and Graph.from_edges for a list of edges."
        )
    if graph.is_directed():
        raise ValueError("the networkx graph is directed. Pass graph.to_undirected().")
    if graph.number_of_nodes() == 0:
        raise ValueError("the networkx graph is empty; at least one vertex is needed.")
    number = {node: k for k, node in enumerate(graph.nodes)}
    edges = list(graph.edges(data=weight, default=1.0))
    ends = np.array([(number[a], number[b]) for a, b, _ in edges], dtype=np.int64).reshape(-1, 2)
    # Not text that looks like a number, nor None, which float64 reads as NaN.
    values = [value if isinstance(value, Real | np.bool_) else np.nan for _, _, value in edges]
    weights = np.array(values, dtype=np.float64)
    wrong = ~(np.isfinite(weights) & (weights >= 0))
    if wrong.any():
        first, second, value = edges[int(np.argmax(wrong))]
        raise ValueError(
            f"the edge between {first!r} and {second!r} has {weight}={value!r}; a weight is a finite number of at "
            f"least 0. Set it with graph[{first!r}][{second!r}][{weight!r}] = ..., or remove the attribute for a "
            "weight of 1."
        )
    return ends[:, 0], ends[:, 1], weights, len(number)
