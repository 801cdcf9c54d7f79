"""What a tree shares with another or with classes: clades (Day 1985), purity, and the tree over chosen leaves."""

from __future__ import annotations

import numpy as np

from hypcse.kernels.arrays import Ids
from hypcse.kernels.compile import helper, kernel, read_only
from hypcse.kernels.trees.ancestors import AncestorIndex, leaf_ancestor

_ABOVE_ALL = 2**63 - 1


@kernel
def shared_clades(parent: Ids, size: Ids, start: Ids, other: Ids, rank: Ids) -> int:
    """Return the number of clusters, except leaves and root, that both trees have. O(n).

    In the order of the first tree's leaves (`rank`) its clusters are intervals. Of nodes that start at one position,
    the highest is filed by its start; the others, first children all, by their ends, which differ.
    """
    n_leaves = rank.size
    end_of_start = np.full(n_leaves, -1, np.int64)
    start_of_end = np.full(n_leaves, -1, np.int64)
    for node in range(n_leaves, parent.size - 1):
        end = start[node] + size[node] - 1
        if start[node] == start[parent[node]]:
            start_of_end[end] = start[node]
        else:
            end_of_start[start[node]] = end
    low = np.full(other.size, n_leaves, np.int64)
    high = np.full(other.size, -1, np.int64)
    count = np.zeros(other.size, np.int64)
    for leaf in range(n_leaves):
        low[leaf] = high[leaf] = rank[leaf]
        count[leaf] = 1
    shared = 0
    for node in range(other.size - 1):
        above = other[node]
        low[above] = min(low[above], low[node])
        high[above] = max(high[above], high[node])
        count[above] += count[node]
        if node >= n_leaves and high[node] - low[node] + 1 == count[node]:
            known = end_of_start[low[node]] == high[node] or start_of_end[high[node]] == low[node]
            shared += 1 if known else 0
    return shared


@helper
def _by_class(code: Ids, n_classes: int) -> Ids:
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
def purity_sum(index: AncestorIndex, size: Ids, code: Ids, n_classes: int) -> float:
    """Return the sum of (members of the class under the LCA) / (leaves under it) over all pairs of leaves of one class.

    `code` is the class of each leaf from left to right. A stack holds the nodes where members of the class have met; a
    node is settled when the next meeting lies above it. O(n).
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


def induced_forest(leaves: Ids, group: Ids, meeting: Ids) -> tuple[Ids, Ids, Ids]:
    """Parents within the tree that each group of leaves induces, the node of the whole tree behind each, and the roots.

    leaves  : all leaves, group 0 first, within a group from left to right.
    meeting : (n - 1,) the lowest common ancestor of each of them and the next; read within groups only.

    Nodes 0 .. n - 1 are the leaves; a node that groups share appears once for each. Parents are -1 at the roots and may
    stand before their children. O(n).
    """
    return _induced_forest(*read_only(leaves, group, meeting))


@kernel
def _induced_forest(leaves: Ids, group: Ids, meeting: Ids) -> tuple[Ids, Ids, Ids]:
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
