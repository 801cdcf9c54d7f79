"""Edges of networkx graphs."""

from __future__ import annotations

from numbers import Real
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

if TYPE_CHECKING:
    import networkx

Ids = NDArray[np.int64]


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
    found = list(graph.edges(data=weight, default=1.0))
    ends = np.array([(number[a], number[b]) for a, b, _ in found], dtype=np.int64).reshape(-1, 2)
    return ends[:, 0], ends[:, 1], _weights(found, weight), len(number)


def _weights(edges: list[tuple[Any, Any, Any]], name: str) -> NDArray[np.float64]:
    """The weights of networkx edges; raise with the first edge that has an infinite, missing or negative weight."""
    weights = np.empty(len(edges))
    for k, (_, _, weight) in enumerate(edges):
        # Not text that looks like a number, nor None, which float64 reads as NaN.
        weights[k] = weight if isinstance(weight, Real | np.bool_) else np.nan
    wrong = ~(np.isfinite(weights) & (weights >= 0))
    if wrong.any():
        first, second, weight = edges[int(np.argmax(wrong))]
        raise ValueError(
            f"the edge between {first!r} and {second!r} has {name}={weight!r}; a weight is a finite number of at least "
            f"0. Set it with graph[{first!r}][{second!r}][{name!r}] = ..., or remove the attribute for a weight of 1."
        )
    return weights
