"""The trees that one tree induces on groups of its leaves."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from hypcse.kernels._compile import kernel, read_only


def induced_forest(
    leaves: NDArray[np.int64], group: NDArray[np.int64], meeting: NDArray[np.int64]
) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.int64]]:
    """Parents within the tree that each group of leaves induces, the node of the whole tree behind each, and the roots.

    leaves  : all leaves, group 0 first, within a group from left to right.
    group   : (n,) the group of each leaf, from 0.
    meeting : (n - 1,) the lowest common ancestor of each of them and the next; read within groups only.

    Nodes 0 .. n - 1 are the leaves; a node that groups share appears once for each. Parents are -1 at the roots and may
    stand before their children. A stack holds the way from the last leaf up, as far as it is known. O(n).
    """
    return _induced_forest(*read_only(leaves, group, meeting))


@kernel
def _induced_forest(
    leaves: NDArray[np.int64], group: NDArray[np.int64], meeting: NDArray[np.int64]
) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.int64]]:
    n = leaves.size
    parent = np.full(2 * n, -1, np.int64)
    origin = np.empty(2 * n, np.int64)
    n_groups = 0
    for leaf in range(n):
        origin[leaf] = leaf
        n_groups = max(n_groups, group[leaf] + 1)
    roots = np.empty(n_groups, np.int64)
    stack = np.empty(n + 1, np.int64)
    made, height = n, 0
    for k in range(n):
        stack[height] = leaves[k]
        height += 1
        last = k == n - 1 or group[leaves[k]] != group[leaves[k + 1]]
        above = np.iinfo(np.int64).max if last else meeting[k]
        while height > 1 and origin[stack[height - 2]] <= above:
            parent[stack[height - 1]] = stack[height - 2]
            height -= 1
        if last:
            roots[group[leaves[k]]] = stack[0]
            height = 0
        elif origin[stack[height - 1]] < above:
            parent[stack[height - 1]] = made
            origin[made] = above
            stack[height - 1] = made
            made += 1
    return parent[:made], origin[:made], roots
