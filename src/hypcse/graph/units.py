"""Rescales weights if their products would overflow or underflow."""

from __future__ import annotations

import math

from hypcse.graph.graph import Graph

MIN_VOLUME, MAX_VOLUME = 1e-100, 1e100
"""Between these limits, products of volumes fit in a float."""


def in_range(graph: Graph) -> Graph:
    """The graph, rescaled to a volume of about 1 if its volume is very large or small.

    Callers do not depend on the unit of the weights, and a power of two as the factor keeps every bit.

    >>> in_range(Graph.from_edges([0], [1], [2.0**900])).volume, in_range(Graph.from_edges([0], [1], [3.0])).volume
    (1.0, 6.0)
    """
    if graph.volume == 0 or MIN_VOLUME <= graph.volume <= MAX_VOLUME:
        return graph
    exponent = -math.frexp(graph.volume)[1] + 1
    # 2 to a power above 1023 overflows, but half of it twice does not.
    half = exponent // 2
    return graph.scaled(2.0**half).scaled(2.0 ** (exponent - half))
