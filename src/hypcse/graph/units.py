"""Takes the unit out of weights: what entropy and search answer does not depend on it."""

from __future__ import annotations

import math

from hypcse.graph.graph import Graph


def unit_exponent(graph: Graph) -> int:
    """The power of two that brings the volume into [1, 2); 0 without edges."""
    return 1 - math.frexp(graph.volume)[1] if graph.volume > 0 else 0


def in_range(graph: Graph) -> Graph:
    """The graph, its weights multiplied by a power of two so that its volume is in [1, 2).

    This keeps every bit, and no product of volumes overflows or underflows. Logarithms round differently at other
    volumes, so only a common unit decides ties alike.

    >>> in_range(Graph.from_edges([0], [1], [2.0**900])).volume, in_range(Graph.from_edges([0], [1], [5e-324])).volume
    (1.0, 1.0)
    """
    exponent = unit_exponent(graph)
    if exponent == 0:
        return graph
    # 2 to a power above 1023 overflows, but half of it twice does not.
    half = exponent // 2
    return graph.scaled(2.0**half).scaled(2.0 ** (exponent - half))
