"""Which nodes to keep when a tree may have only so many levels."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from hypcse.kernels._compile import kernel


@kernel
def _best_below(
    top: int,
    count: NDArray[np.int64],
    parent: NDArray[np.int64],
    inside: NDArray[np.float64],
    bits: NDArray[np.float64],
    deeper: NDArray[np.float64],
    best: NDArray[np.float64],
) -> float:
    """Highest gain of a set of nodes under `top`, none above another, kept as its children.

    Nodes are in post-order, `count[v]` of them under v and v itself. Keeping v gains its inside weight times what its
    name gets shorter by, and `deeper[v]` below it. Afterwards best[v] > 0 where v or nodes under it are worth keeping.
    """
    first = top - count[top] + 1
    for node in range(first, top + 1):
        best[node] = 0.0
    for node in range(first, top):
        own = inside[node] * (bits[top] - bits[node]) + deeper[node]
        best[node] = max(best[node], own)
        best[parent[node]] += best[node]
    return best[top]


@kernel
def _keep_below(
    top: int,
    count: NDArray[np.int64],
    inside: NDArray[np.float64],
    bits: NDArray[np.float64],
    deeper: NDArray[np.float64],
    best: NDArray[np.float64],
    level: NDArray[np.int64],
    depth: int,
) -> None:
    """Mark the nodes of that set with their level, from the marks that `_best_below` left; larger nodes win ties."""
    node = top - 1
    while node > top - count[top]:
        own = inside[node] * (bits[top] - bits[node]) + deeper[node]
        if own > 0.0 and own >= best[node]:
            level[node] = depth
            node -= count[node]
        else:
            node -= 1


@kernel
def best_levels(
    parent: NDArray[np.int64],
    count: NDArray[np.int64],
    inside: NDArray[np.float64],
    bits: NDArray[np.float64],
    n_levels: int,
) -> NDArray[np.int64]:
    """Level of every node to keep, from 1 under the root to n_levels - 1; 0 at nodes to contract.

    Nodes in post-order; the last is the root. Exact, by dynamic programming: O(n_levels times the sum of all counts).
    """
    n_nodes = parent.size
    deeper = np.zeros((n_levels, n_nodes))
    best = np.zeros(n_nodes)
    for below in range(1, n_levels - 1):
        for node in range(n_nodes):
            deeper[below, node] = _best_below(node, count, parent, inside, bits, deeper[below - 1], best)
    level = np.zeros(n_nodes, np.int64)
    for depth in range(1, n_levels):
        for top in range(n_nodes):
            is_top = top == n_nodes - 1 if depth == 1 else level[top] == depth - 1
            if is_top:
                gains = deeper[n_levels - 1 - depth]
                _best_below(top, count, parent, inside, bits, gains, best)
                _keep_below(top, count, inside, bits, gains, best, level, depth)
    return level
