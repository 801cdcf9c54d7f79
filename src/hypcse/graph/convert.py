"""Converts graphs of other libraries to `Graph`, and a `Graph` to one with other edges or weights in range."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from hypcse._arrays import freeze
from hypcse.graph.compressed import is_networkx
from hypcse.graph.graph import Graph
from hypcse.kernels.arrays import Flags
from hypcse.kernels.symmetric_rows import both_ways

if TYPE_CHECKING:
    import networkx

GraphLike: TypeAlias = "Graph | networkx.Graph[Any] | sparse.sparray | sparse.spmatrix | np.ndarray[Any, Any]"
"""What `as_graph` takes."""


def as_graph(value: Any, names: tuple[str, ...] | None = None, of: str = "rows of X") -> Graph:
    """Convert a `Graph`, a networkx graph, or a symmetric matrix (sparse or dense) to a `Graph`.

    The nodes of a networkx graph are put in the order of the points' `names`, if any; nodes named 0 .. n - 1 are
    matched by position if the points have other names. `of` is what has these names, for the error message.
    """
    if isinstance(value, Graph):
        return value
    if is_networkx(value):
        return _in_order(value, names, of)
    if sparse.issparse(value) or isinstance(value, np.ndarray):
        return Graph.from_scipy(value)
    raise TypeError(
        f"a graph must be a hypcse.Graph, a networkx graph or a symmetric matrix, got {type(value).__name__}. "
        "Graph.from_edges makes one from a list of edges."
    )


def node_names(value: Any) -> tuple[str, ...] | None:
    """Names of the nodes of a networkx graph, if all differ; None for any other graph."""
    names = tuple(map(str, value.nodes)) if is_networkx(value) else ()
    return names if names and len(set(names)) == len(names) else None


def _in_order(graph: networkx.Graph[Any], names: tuple[str, ...] | None, of: str) -> Graph:
    """A networkx graph with its nodes in the order of the names."""
    converted = Graph.from_networkx(graph)
    nodes = tuple(map(str, graph.nodes))
    if names is None or nodes == names:
        return converted
    place = {node: k for k, node in enumerate(nodes)}
    if len(nodes) == len(names) == len(place) and place.keys() == set(names):
        return converted.subgraph([place[name] for name in names])[0]
    if nodes == tuple(map(str, range(len(nodes)))):
        return converted
    raise ValueError(
        f"the nodes of the graph ({nodes[0]!r}, ...) are not the {of} ({names[0]!r}, ...). Rename them, or pass "
        "Graph.from_networkx(graph) to match by position."
    )


def unit_exponent(graph: Graph) -> int:
    """The power of two that brings the volume into [1, 2); 0 without edges."""
    return 1 - math.frexp(graph.volume)[1] if graph.volume > 0 else 0


def in_range(graph: Graph) -> Graph:
    """The graph, its weights multiplied by a power of two so that its volume is in [1, 2): so ties fall alike."""
    exponent = unit_exponent(graph)
    if exponent == 0:
        return graph
    # 2 to a power above 1023 overflows, but half of it twice does not.
    half = exponent // 2
    return graph.scaled(2.0**half).scaled(2.0 ** (exponent - half))


def with_edges(graph: Graph, i: NDArray[Any], j: NDArray[Any], weights: NDArray[np.float64]) -> Graph:
    """The same vertices and diagonal, with these edges."""
    loops = np.arange(graph.n_vertices)
    return Graph.from_edges(
        np.append(i, loops), np.append(j, loops), np.append(weights, graph.self_weights), graph.n_vertices
    )


def some_edges(graph: Graph, chosen: Flags) -> Graph:
    """The same vertices and diagonal, with the chosen edges, one flag for each in the order of `edges`. O(n + m)."""
    stays = both_ways(graph.indptr, graph.indices, chosen)
    indptr = np.append(0, np.cumsum(stays))[graph.indptr]
    return Graph(freeze(indptr), freeze(graph.indices[stays]), freeze(graph.weights[stays]), graph.self_weights)
