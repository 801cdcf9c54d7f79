"""The graph that every graph method takes."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy import sparse

from hypcse._arrays import freeze, hold, plain
from hypcse._checks import check_count, check_finite, check_real, real_numbers
from hypcse.graph.compressed import MAX_SHORT, check_size, network_edges, stored_position, symmetrize, vertex_ids
from hypcse.kernels.symmetric_rows import component_labels

if TYPE_CHECKING:
    import networkx
    import torch

    from hypcse.neural.tensors import EdgeTensors


MAX_VOLUME = 1e300
"""For larger volumes, volume times logarithm overflows."""
MAX_SPREAD = 1e300
"""Largest ratio of the sum of all weights to the lightest; beyond it, shares of the volume and heights overflow too."""


@dataclass(frozen=True, eq=False, repr=False)
class Graph:
    """An undirected graph with positive weights, in compressed rows; every edge is stored from both ends.

    Use `from_scipy`, `from_edges` or `from_networkx`, which check their input; the constructor does not. It copies its
    arrays unless they are read-only, so that later changes to them do not affect the graph.

    Parameters
    ----------
    indptr
        Where each row starts.
    indices
        Columns of the rows of the symmetric matrix, ascending within a row, no loops.
    weights
        Their values.
    self_weights
        (n,) the diagonal, kept apart; zeros where there is none.

    Examples
    --------
    >>> path = Graph.from_edges([0, 1], [1, 2], [1.0, 3.0])
    >>> path.n_vertices, path.n_edges, path.degrees.tolist(), path.volume
    (3, 2, [1.0, 4.0, 3.0], 8.0)
    """

    # Whether edges stand for many others, so that they do not say which vertices belong together.
    is_outline = False
    indptr: NDArray[np.int64]
    indices: NDArray[np.int32]
    weights: NDArray[np.float64]
    self_weights: NDArray[np.float64]

    def __post_init__(self) -> None:
        for name, dtype in ROWS.items():
            object.__setattr__(self, name, hold(getattr(self, name), dtype, views=True))
        if self.indptr.size != self.self_weights.size + 1 or self.indices.size != self.weights.size:
            raise ValueError("the arrays of a Graph do not fit together. Use Graph.from_scipy or Graph.from_edges.")

    @property
    def n_vertices(self) -> int:
        """Number of vertices."""
        return self.self_weights.size

    @property
    def n_edges(self) -> int:
        """Number of edges, each once, loops not counted."""
        return self.indices.size // 2

    @cached_property
    def edge_degrees(self) -> NDArray[np.float64]:
        """Row sums of the weight matrix without `self_weights`; exact even if these are much larger."""
        filled = np.diff(self.indptr) > 0
        sums = np.zeros(self.n_vertices)
        if self.weights.size:
            sums[filled] = np.add.reduceat(self.weights, self.indptr[:-1][filled])
        return freeze(sums)

    @cached_property
    def degrees(self) -> NDArray[np.float64]:
        """Row sums of the weight matrix, `self_weights` included."""
        return freeze(self.edge_degrees + self.self_weights)

    @cached_property
    def volume(self) -> float:
        """Sum of all degrees."""
        return float(self.degrees.sum())

    def edges(self) -> tuple[NDArray[np.int32], NDArray[np.int32], NDArray[np.float64]]:
        """Return the vertices i < j and the weight of every edge, each once, without loops.

        Returns
        -------
        i, j, weights
            Three arrays of length `n_edges`.

        Examples
        --------
        >>> Graph.from_edges([0, 2], [1, 1], [1.0, 3.0]).edges()[2]
        array([1., 3.])
        """
        rows = np.repeat(np.arange(self.n_vertices, dtype=np.int32), np.diff(self.indptr))
        upper = rows < self.indices
        return rows[upper], self.indices[upper], self.weights[upper]

    def components(self) -> NDArray[np.int64]:
        """Label of the connected component of each vertex, numbered by smallest vertex.

        Returns
        -------
        ndarray of shape (n,)
            Numbers from 0.
        """
        return self._components

    @cached_property
    def _components(self) -> NDArray[np.int64]:
        return freeze(component_labels(self.indptr, self.indices))

    def subgraph(self, vertices: ArrayLike) -> tuple[Graph, NDArray[np.int64]]:
        """The subgraph of some vertices, and the map back: its vertex k is vertex `map[k]` here.

        Parameters
        ----------
        vertices
            Distinct ids, in the order of the subgraph, or a boolean mask with one value per vertex.

        Returns
        -------
        graph, map
            The `Graph`, and the ids here of its vertices.
        """
        ids = plain("vertices", vertices)
        if ids.dtype == np.bool_:
            if ids.shape != (self.n_vertices,):
                raise ValueError(f"vertices is a mask of {ids.size} values for {self.n_vertices} vertices.")
            ids = np.flatnonzero(ids)
        ids = vertex_ids("vertices", ids, self.n_vertices)
        if ids.size == 0:
            raise ValueError("vertices is empty; a graph has at least one vertex.")
        if np.unique(ids).size != ids.size:
            raise ValueError("vertices names a vertex twice; each may appear once.")
        matrix = self._matrix()[ids][:, ids]
        matrix.sort_indices()
        return Graph(*map(freeze, (matrix.indptr, matrix.indices, matrix.data, self.self_weights[ids]))), ids

    def scaled(self, factor: float) -> Graph:
        """The same graph with every weight multiplied by a positive number.

        Parameters
        ----------
        factor
            A positive number.

        Returns
        -------
        Graph
            The scaled graph.
        """
        if not (np.isfinite(factor) and factor > 0):
            raise ValueError(f"factor={factor} must be a positive number.")
        return Graph(self.indptr, self.indices, freeze(self.weights * factor), freeze(self.self_weights * factor))

    def without_loops(self) -> Graph:
        """The same graph with `self_weights` of zero, as training uses it.

        Returns
        -------
        Graph
            The graph without loops.
        """
        return Graph(self.indptr, self.indices, self.weights, freeze(np.zeros(self.n_vertices)))

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Graph):
            return NotImplemented
        return all(np.array_equal(getattr(self, name), getattr(other, name)) for name in ROWS)

    __hash__ = None  # type: ignore[assignment]

    def __repr__(self) -> str:
        return f"Graph({self.n_vertices:,} vertices, {self.n_edges:,} edges, volume {self.volume:.6g})"

    @classmethod
    def from_scipy(cls, W: Any) -> Graph:
        """From a symmetric matrix of weights, SciPy sparse or dense; the diagonal becomes `self_weights`.

        Zeros are not edges. Duplicate entries are added up, as in SciPy.

        Parameters
        ----------
        W
            Square, symmetric, not negative.

        Returns
        -------
        Graph
            A graph with one vertex per row.
        """
        if sparse.issparse(W):
            check_size(max(W.shape), W.nnz)
            check_real("the weights", W)
        else:
            W = real_numbers("the weights", W)
        matrix = sparse.csr_array(W, dtype=np.float64, copy=True)
        if matrix.ndim != 2 or matrix.shape[0] != matrix.shape[1] or matrix.shape[0] < 1:
            raise ValueError(f"the weights must be a square matrix with at least one row, got shape {matrix.shape}.")
        matrix.sum_duplicates()
        check_finite("the weights", matrix.data, lambda entry: stored_position(matrix, entry))
        if matrix.data.size and matrix.data.min() < 0:
            raise ValueError(
                f"the weight of {stored_position(matrix, int(np.argmin(matrix.data)))} is {matrix.data.min()}; weights "
                "must not be negative. Turn distances into similarities first, for example with exp(-d**2)."
            )
        matrix.eliminate_zeros()
        _check_extent(matrix.data)
        matrix = symmetrize(matrix)
        diagonal = matrix.diagonal()
        if diagonal.any():
            matrix.setdiag(0)
            matrix.eliminate_zeros()
        return cls(*map(freeze, (matrix.indptr, matrix.indices, matrix.data, diagonal)))

    @classmethod
    def from_edges(cls, i: ArrayLike, j: ArrayLike, w: ArrayLike | None = None, n: int | None = None) -> Graph:
        """From a list of edges, each given once, in either direction.

        Parameters
        ----------
        i, j
            The two vertices of each edge. Weights of repeated edges are added up. An edge from a vertex to itself adds
            to its `self_weights`.
        w
            Weights; 1 each by default.
        n
            Number of vertices; by default one more than the largest id.

        Returns
        -------
        Graph
            A graph over vertices 0 to n - 1.

        Examples
        --------
        >>> Graph.from_edges([0, 1], [1, 2]).degrees
        array([1., 2., 1.])
        """
        first, second = plain("i", i), plain("j", j)
        values = np.ones(first.shape) if w is None else real_numbers("the weights", w)
        if first.ndim != 1 or first.shape != second.shape or first.shape != values.shape:
            raise ValueError(
                f"i, j and w must have the same length, got shapes {first.shape}, {second.shape} and {values.shape}."
            )
        if n is not None:
            check_count("n", n, 1)
        first, second = vertex_ids("i", first, n), vertex_ids("j", second, n)
        n = int(max(first.max(initial=0), second.max(initial=0))) + 1 if n is None else int(n)
        loops = first == second
        rows = np.concatenate([first, second[~loops]])
        columns = np.concatenate([second, first[~loops]])
        entries = np.concatenate([values, values[~loops]])
        return cls.from_scipy(sparse.coo_array((entries, (rows, columns)), shape=(n, n)))

    @classmethod
    def from_networkx(cls, graph: networkx.Graph[Any], weight: str = "weight") -> Graph:
        """From an undirected networkx graph, vertices in its order; parallel edges add up.

        Parameters
        ----------
        graph
            The networkx graph.
        weight
            Edge attribute that holds the weight; an edge without it has weight 1. A weight that is not a finite number,
            or is negative, is an error.

        Returns
        -------
        Graph
            A graph whose vertex k is the k-th node.
        """
        return cls.from_edges(*network_edges(graph, weight))

    def to_scipy(self) -> sparse.csr_array:
        """The symmetric weight matrix, `self_weights` on the diagonal.

        Its indices are 32-bit integers up to 2^31 entries, because some libraries accept no others.

        Returns
        -------
        csr_array
            Shape (n, n).
        """
        matrix = self._matrix()
        if not self.self_weights.any():
            return matrix
        ids = np.arange(self.n_vertices + 1, dtype=np.int32)
        return sparse.csr_array(matrix + sparse.csr_array((self.self_weights, ids[:-1], ids), shape=matrix.shape))

    def to_tensors(self, device: torch.device | str = "cpu", dtype: torch.dtype | None = None) -> EdgeTensors:
        """The graph in torch, without `self_weights`; float32 by default.

        A weight too small for `dtype` becomes its smallest normal number, so that the edge is kept.

        Parameters
        ----------
        device
            Where the tensors live.
        dtype
            Type of the weights; float32 by default.

        Returns
        -------
        EdgeTensors
            Every edge in both directions.
        """
        import torch

        from hypcse.neural.tensors import EdgeTensors

        limits = torch.finfo(dtype or torch.float32)
        if self.edge_degrees.max() > limits.max:
            raise ValueError(
                f"a degree of {self.edge_degrees.max():.3g} is beyond the limit of {limits.dtype}, {limits.max:.3g}. "
                "Pass graph.scaled(1 / graph.volume), or dtype=torch.float64."
            )
        rows = np.repeat(np.arange(self.n_vertices), np.diff(self.indptr))
        index = torch.from_numpy(np.stack([rows, self.indices.astype(np.int64)]))
        weight = torch.from_numpy(np.maximum(self.weights, limits.tiny)).to(dtype or torch.float32)
        return EdgeTensors(index, weight, self.n_vertices).to(device)

    def _matrix(self) -> sparse.csr_array:
        """The matrix without its diagonal, as a writable copy."""
        shape = (self.n_vertices, self.n_vertices)
        indptr = self.indptr.astype(np.int32 if self.indices.size <= MAX_SHORT else np.int64)
        return sparse.csr_array((self.weights.copy(), self.indices.copy(), indptr), shape=shape)


def _check_extent(weights: NDArray[np.float64]) -> None:
    """Raise if sums of weights overflow, or if the smallest weight is lost to rounding beside the others."""
    least, total = weights.min(initial=np.inf), weights.sum()
    if not total < MAX_VOLUME:
        raise ValueError(f"the weights add up to {total:.3g}; the limit is {MAX_VOLUME}. Divide them by a constant.")
    with np.errstate(over="ignore"):
        # An infinite product is large enough; the quotient might be 0.
        lost = least * MAX_SPREAD < total
    if lost:
        raise ValueError(
            f"the lightest weight is {least:.3g}, and all add up to {total:.3g}: more than {MAX_SPREAD:.0e} times as "
            "much. Remove such edges, or raise their weight: numpy.maximum(w, 1e-100 * w.max())."
        )


ROWS: dict[str, type[Any]] = {
    "indptr": np.int64,
    "indices": np.int32,
    "weights": np.float64,
    "self_weights": np.float64,
}
"""The arrays of a graph, and their types."""
