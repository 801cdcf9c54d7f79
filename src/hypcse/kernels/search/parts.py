"""Disjoint subtrees searched by themselves.

Entropy and cost add up over nodes, and a move inside a subtree changes nothing above it: edges that leave it meet above
its root wherever their ends stand. So its own nodes, at their measures, and the edges inside are all that a search of
it needs. Positions as `start_search` gives them make a part three ranges: of leaves, of inner nodes, and of rows.
"""

from __future__ import annotations

import numpy as np

from hypcse.kernels.arrays import Ids
from hypcse.kernels.compile import helper, kernel
from hypcse.kernels.search.descent import hang
from hypcse.kernels.search.working_tree import LEFT, MARK, PARENT, PHI, RIGHT, WEIGHT, Rows, WorkingTree

# What a part shares with the tree it comes from: the columns of `link` before MARK, and of `value` up to WEIGHT.
N_LINKS, N_VALUES = MARK, max(PHI, WEIGHT) + 1


@kernel
def list_parts(tree: WorkingTree, n_leaves: int, largest: int) -> Ids:
    """First leaf, number of leaves and first inner node of each maximal subtree of 2 to `largest` leaves.

    For a tree that has not been changed since it was laid out. O(n).
    """
    n_nodes = tree.link.shape[0]
    size, first = np.zeros(n_nodes, np.int64), np.arange(n_nodes)
    for node in range(n_nodes):
        if node < n_leaves:
            size[node] = 1
        else:
            size[node] = size[tree.link[node, LEFT]] + size[tree.link[node, RIGHT]]
            first[node] = first[tree.link[node, LEFT]]
    parts = np.empty((n_leaves // 2, 3), np.int64)
    n_parts = 0
    for node in range(n_leaves, n_nodes):
        above = tree.link[node, PARENT]
        if size[node] <= largest and (above < 0 or size[above] > largest):
            parts[n_parts, 0], parts[n_parts, 1] = first[node], size[node]
            # Its inner nodes stand side by side, itself the last.
            parts[n_parts, 2] = node - size[node] + 2
            n_parts += 1
    return parts[:n_parts].copy()


@kernel
def take_part(tree: WorkingTree, rows: Rows, first: int, size: int, inner: int) -> tuple[WorkingTree, Rows]:
    """A part as a tree of its own, leaves first, and the edges inside it."""
    n_leaves, n_nodes = rows.indptr.size - 1, 2 * size - 1
    link, value = np.full((n_nodes, 4), -1, np.int32), np.zeros((n_nodes, 8))
    for node in range(n_nodes):
        known = _known_as(node, first, size, inner)
        for k in range(N_LINKS):
            other = tree.link[known, k]
            if other >= 0 and not (k == PARENT and node == n_nodes - 1):
                link[node, k] = other - first if other < n_leaves else other - inner + size
        link[node, MARK] = 0
        for k in range(N_VALUES):
            value[node, k] = tree.value[known, k]
    scratch = np.zeros((3, n_nodes), np.int32)
    stale = np.ones(n_nodes, np.bool_)
    part = WorkingTree(link, value, scratch[0], scratch[1], scratch[2], stale, np.zeros(5, np.int64))
    return part, _rows_inside(rows, first, size)


@kernel
def put_part(tree: WorkingTree, rows: Rows, part: WorkingTree, first: int, size: int, inner: int) -> None:
    """Write a part back where it was taken from; other parts may be written at the same time.

    Of its nodes, only those that the search of a part cannot judge are left stale: subtrees with an edge that leaves.
    """
    n_nodes = 2 * size - 1
    root = inner + size - 2
    above = tree.link[root, PARENT]
    for node in range(n_nodes):
        known = _known_as(node, first, size, inner)
        tree.stale[known] = False
        for k in range(N_VALUES):
            tree.value[known, k] = part.value[node, k]
        if part.link[node, PARENT] < 0:
            hang(tree, above, root, known)
        else:
            tree.link[known, PARENT] = _known_as(part.link[node, PARENT], first, size, inner)
        if node >= size:
            tree.link[known, LEFT] = _known_as(part.link[node, LEFT], first, size, inner)
            tree.link[known, RIGHT] = _known_as(part.link[node, RIGHT], first, size, inner)
    for leaf in range(first, first + size):
        for e in range(rows.indptr[leaf], rows.indptr[leaf + 1]):
            if not first <= rows.indices[e] < first + size:
                node = leaf
                while node != above and not tree.stale[node]:
                    tree.stale[node] = True
                    node = tree.link[node, PARENT]
                break


@helper
def _known_as(node: int, first: int, size: int, inner: int) -> int:
    """What a node of a part is called in the whole tree."""
    return first + node if node < size else inner + node - size


@helper
def _rows_inside(rows: Rows, first: int, size: int) -> Rows:
    """The edges among a range of vertices, counted from its first."""
    n_most, n_inside = rows.indptr[first + size] - rows.indptr[first], 0
    indptr, indices, weights = np.zeros(size + 1, np.int64), np.empty(n_most, np.int32), np.empty(n_most)
    for leaf in range(size):
        for e in range(rows.indptr[first + leaf], rows.indptr[first + leaf + 1]):
            if first <= rows.indices[e] < first + size:
                indices[n_inside], weights[n_inside] = rows.indices[e] - first, rows.weights[e]
                n_inside += 1
        indptr[leaf + 1] = n_inside
    return Rows(indptr, indices[:n_inside], weights[:n_inside])
