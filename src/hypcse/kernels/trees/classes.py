"""Classes and groups of leaves in a tree: the purity of classes, and the tree that each group induces."""

from __future__ import annotations

import numpy as np

from hypcse.kernels.arrays import Ids
from hypcse.kernels.compile import kernel, reading_kernel
from hypcse.kernels.trees.ancestors import AncestorIndex, leaf_ancestor

_ABOVE_ALL = 2**63 - 1


@kernel
def purity_sum(index: AncestorIndex, size: Ids, code: Ids, position: Ids) -> float:
    """Return the sum of (members of the class under the LCA) / (leaves under it) over all pairs of leaves of one class.

    code     : the class of each leaf from left to right.
    position : these leaves class by class. A stack holds the nodes where members of the class have met. O(n).
    """
    n = position.size
    node = np.empty(n, np.int64)
    members = np.empty(n)
    pairs_below = np.empty(n)
    total = 0.0
    depth = 0
    seen = 1.0
    for k in range(1, n + 1):
        same_class = k < n and code[position[k]] == code[position[k - 1]]
        meeting = leaf_ancestor(index, position[k - 1], position[k]) if same_class else _ABOVE_ALL
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


@reading_kernel
def induced_forest(leaves: Ids, group: Ids, meeting: Ids) -> tuple[Ids, Ids, Ids]:
    """Parents within the tree that each group of leaves induces, the node of the whole tree behind each, and the roots.

    leaves  : all leaves, group 0 first, within a group from left to right.
    meeting : (n - 1,) the lowest common ancestor of each of them and the next; read within groups only.

    Nodes 0 .. n - 1 are the leaves; a node that groups share appears once for each. Parents are -1 at the roots and may
    stand before their children. O(n).
    """
    n = leaves.size
    parent = np.full(2 * n, -1, np.int64)
    origin = np.empty(2 * n, np.int64)
    n_groups = 0
    for leaf in range(n):
        origin[leaf] = leaf
        n_groups = max(n_groups, group[leaf] + 1)
    roots = np.empty(n_groups, np.int64)
    stack = np.empty(n + 1, np.int64)
    n_nodes, height = n, 0
    for k in range(n):
        stack[height] = leaves[k]
        height += 1
        last = k == n - 1 or group[leaves[k]] != group[leaves[k + 1]]
        above = _ABOVE_ALL if last else meeting[k]
        while height > 1 and origin[stack[height - 2]] <= above:
            parent[stack[height - 1]] = stack[height - 2]
            height -= 1
        if last:
            roots[group[leaves[k]]] = stack[0]
            height = 0
        elif origin[stack[height - 1]] < above:
            parent[stack[height - 1]] = n_nodes
            origin[n_nodes] = above
            stack[height - 1] = n_nodes
            n_nodes += 1
    return parent[:n_nodes], origin[:n_nodes], roots
