"""The sum behind dendrogram purity, all classes in one pass."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from hypcse.kernels._compile import helper, kernel
from hypcse.kernels.trees.ancestors import AncestorIndex, leaf_ancestor


@helper
def _by_class(code: NDArray[np.int64], n_classes: int) -> NDArray[np.int64]:
    """Positions class by class, ascending within each class."""
    next_place = np.zeros(n_classes + 1, np.int64)
    for p in range(code.size):
        next_place[code[p] + 1] += 1
    for c in range(n_classes):
        next_place[c + 1] += next_place[c]
    position = np.empty(code.size, np.int64)
    for p in range(code.size):
        position[next_place[code[p]]] = p
        next_place[code[p]] += 1
    return position


@kernel
def purity_sum(index: AncestorIndex, size: NDArray[np.int64], code: NDArray[np.int64], n_classes: int) -> float:
    """Sum of (members of the class under the LCA) / (leaves under it) over all pairs of leaves of one class.

    `code` is the class of each leaf from left to right. For each class in turn, the walk keeps the nodes where its
    members have met, up to the current leaf, on a stack; a node is settled when the next meeting lies above it, and by
    then all its members were seen. O(n).
    """
    position = _by_class(code, n_classes)
    n = position.size
    node = np.empty(n, np.int64)
    members = np.empty(n)
    pairs_below = np.empty(n)
    total = 0.0
    depth = 0
    seen = 1.0
    for k in range(1, n + 1):
        same_class = k < n and code[position[k]] == code[position[k - 1]]
        meeting = leaf_ancestor(index, position[k - 1], position[k]) if same_class else np.iinfo(np.int64).max
        while depth > 0 and node[depth - 1] < meeting:
            depth -= 1
            together = members[depth] + seen
            pairs = together * (together - 1) - pairs_below[depth] - seen * (seen - 1)
            total += 0.5 * pairs * together / size[node[depth]]
            seen = together
        if same_class:
            if depth == 0 or node[depth - 1] != meeting:
                node[depth], members[depth], pairs_below[depth] = meeting, 0.0, 0.0
                depth += 1
            members[depth - 1] += seen
            pairs_below[depth - 1] += seen * (seen - 1)
        seen = 1.0
    return total
