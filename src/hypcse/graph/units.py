"""Weights in another unit, where products of them would leave the range of floats."""

from __future__ import annotations

import math

from hypcse.graph.graph import Graph

MIN_VOLUME, MAX_VOLUME = 1e-100, 1e100
"""Between these, products of volumes are floats."""


def in_range(graph: Graph) -> Graph:
    """The graph or, where its volume is very large or small, the same with a volume of about 1.

    Weights have no unit in what uses it, and a power of two as the factor keeps every bit of them.

    >>> in_range(Graph.from_edges([0], [1], [2.0**900])).volume, in_range(Graph.from_edges([0], [1], [3.0])).volume
    (1.0, 6.0)
    """
    if graph.volume == 0 or MIN_VOLUME <= graph.volume <= MAX_VOLUME:
        return graph
    exponent = -math.frexp(graph.volume)[1] + 1
    # 2 to the power of more than 1023 is not a float, although half of it twice is.
    half = exponent // 2
    return graph.scaled(2.0**half).scaled(2.0 ** (exponent - half))
