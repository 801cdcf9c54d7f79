"""When the nodes of a tree split as a limit on its parts is raised."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from hypcse.kernels._compile import kernel


@kernel
def split_thresholds(
    parent: NDArray[np.int64], value: NDArray[np.float64], large: NDArray[np.bool_], apart: NDArray[np.bool_]
) -> NDArray[np.float64]:
    """The least limit c at which each node is split in the finest cut whose large parts have values of at most c. O(n).

    value : of each node as a part, such as its conductance.
    large : which nodes count; a node above one of them must be one too.
    apart : which nodes are never parts: `from_above` splits them as soon as they are reached.

    A node can be split at c when each of its large children can stay whole or be split itself. Small children are never
    in the way and never a reason: a node with one large child is split when that child is. Infinite where a node is
    never split.
    """
    n_nodes = parent.size
    threshold = np.full(n_nodes, np.inf)
    n_large = np.zeros(n_nodes, np.int64)
    hardest = np.zeros(n_nodes)
    for node in range(n_nodes):
        if n_large[node] > 1:
            threshold[node] = hardest[node]
        above = parent[node]
        if above >= 0 and large[node]:
            n_large[above] += 1
            needed = hardest[node] if apart[node] else min(value[node], threshold[node])
            hardest[above] = max(hardest[above], needed)
            # Holds while this is the only large child; with a second one `hardest` takes its place.
            threshold[above] = threshold[node]
    return threshold


@kernel
def from_above(
    parent: NDArray[np.int64], threshold: NDArray[np.float64], apart: NDArray[np.bool_], least: float
) -> NDArray[np.float64]:
    """The limit from which on each node is split: none before the node above it, those apart together with it. O(n)."""
    reached = threshold.copy()
    for node in range(parent.size - 1, -1, -1):
        floor = least if parent[node] < 0 else reached[parent[node]]
        reached[node] = floor if apart[node] else max(threshold[node], floor)
    return reached
