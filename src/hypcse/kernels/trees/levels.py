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
    joined: NDArray[np.bool_],
    deeper: NDArray[np.float64],
    best: NDArray[np.float64],
) -> float:
    """Highest gain of a set of nodes under `top`, none above another, kept as its children.

    Nodes are in post-order, `count[v]` of them under v and v itself. Keeping v gains its inside weight times what its
    name gets shorter by, and `deeper[v]` below it. A node where no edge meets never gains more than its children and is
    not kept. Afterwards best[v] > 0 where v or nodes under it are worth keeping.
    """
    first = top - count[top] + 1
    for node in range(first, top + 1):
        best[node] = 0.0
    for node in range(first, top):
        if joined[node]:
            best[node] = max(best[node], inside[node] * (bits[top] - bits[node]) + deeper[node])
        best[parent[node]] += best[node]
    return best[top]


@kernel
def _keep_below(
    top: int,
    count: NDArray[np.int64],
    inside: NDArray[np.float64],
    bits: NDArray[np.float64],
    joined: NDArray[np.bool_],
    deeper: NDArray[np.float64],
    best: NDArray[np.float64],
    level: NDArray[np.int64],
    depth: int,
) -> None:
    """Mark the nodes of that set with their level, from the marks that `_best_below` left; larger nodes win ties."""
    node = top - 1
    while node > top - count[top]:
        own = inside[node] * (bits[top] - bits[node]) + deeper[node]
        if joined[node] and own > 0.0 and own >= best[node]:
            level[node] = depth
            node -= count[node]
        else:
            node -= 1


@kernel
def best_gain_at_root(
    parent: NDArray[np.int64],
    count: NDArray[np.int64],
    inside: NDArray[np.float64],
    bits: NDArray[np.float64],
    joined: NDArray[np.bool_],
    deeper: NDArray[np.float64],
) -> float:
    """Highest gain of a level below the root, which is the last node. O(n)."""
    return _best_below(parent.size - 1, count, parent, inside, bits, joined, deeper, np.zeros(parent.size))


@kernel
def gains_below(
    parent: NDArray[np.int64],
    count: NDArray[np.int64],
    inside: NDArray[np.float64],
    bits: NDArray[np.float64],
    joined: NDArray[np.bool_],
    deeper: NDArray[np.float64],
) -> NDArray[np.float64]:
    """Highest gain below every node with one level more than `deeper` allows. O(sum of all counts)."""
    best = np.zeros(parent.size)
    gains = np.zeros(parent.size)
    for node in range(parent.size):
        gains[node] = _best_below(node, count, parent, inside, bits, joined, deeper, best)
    return gains


@kernel
def best_levels(
    parent: NDArray[np.int64],
    count: NDArray[np.int64],
    inside: NDArray[np.float64],
    bits: NDArray[np.float64],
    joined: NDArray[np.bool_],
    deeper: NDArray[np.float64],
) -> NDArray[np.int64]:
    """Level of every node to keep, from 1 under the root; 0 at nodes to contract.

    Nodes in post-order; the last is the root. `deeper[b]` are the gains below each node with b levels; there are as
    many rows as levels to choose. O(n) a level.
    """
    n_nodes, n_rows = parent.size, deeper.shape[0]
    best = np.zeros(n_nodes)
    level = np.zeros(n_nodes, np.int64)
    for depth in range(1, n_rows + 1):
        for top in range(n_nodes):
            is_top = top == n_nodes - 1 if depth == 1 else level[top] == depth - 1
            if is_top:
                gains = deeper[n_rows - depth]
                _best_below(top, count, parent, inside, bits, joined, gains, best)
                _keep_below(top, count, inside, bits, joined, gains, best, level, depth)
    return level
