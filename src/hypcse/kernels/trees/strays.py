"""Which cluster of a cut each leaf belongs to, strays too."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from hypcse.kernels.arrays import Flags, Ids
from hypcse.kernels.compile import helper, kernel
from hypcse.kernels.search.working_tree import Rows


class Spans(NamedTuple):
    """A tree whose leaves stand from left to right.

    parent : of each node.
    order  : the leaves.
    first  : position of the first leaf of each node.
    size   : number of leaves of each node.
    """

    parent: Ids
    order: Ids
    first: Ids
    size: Ids


@helper
def _heirs(tree: Spans, chosen: Flags) -> Ids:
    """The largest chosen node under each node, itself included; -1 where there is none."""
    heir = np.full(tree.parent.size, -1, np.int64)
    for node in range(tree.parent.size):
        if chosen[node]:
            heir[node] = node
        if heir[node] >= 0 and node < tree.parent.size - 1:
            above = tree.parent[node]
            if heir[above] < 0 or tree.size[heir[node]] > tree.size[heir[above]]:
                heir[above] = heir[node]
    return heir


@kernel
def stray_clusters(tree: Spans, rows: Rows, chosen: Flags, strays: Ids) -> Ids:
    """The chosen node that each leaf belongs to: the one above it, or for strays the one that they hang on. O(n + m).

    A stray subtree hangs on the chosen node below its parent that most of its edge weight goes to; without an edge
    there, on the largest one. `strays` come in the order of their parents.
    """
    n_nodes = tree.parent.size
    own = np.full(n_nodes, -1, np.int64)
    for node in range(n_nodes - 1, -1, -1):
        if chosen[node]:
            own[node] = node
        elif node < n_nodes - 1:
            own[node] = own[tree.parent[node]]
    heir = _heirs(tree, chosen)
    votes = np.zeros(n_nodes)
    for stray in strays:
        top, begin = tree.parent[stray], tree.first[stray]
        low, high = tree.first[top], tree.first[top] + tree.size[top]
        best = heir[top]
        for counting in (True, False):
            for leaf in tree.order[begin : begin + tree.size[stray]]:
                for k in range(rows.indptr[leaf], rows.indptr[leaf + 1]):
                    other = rows.indices[k]
                    home = own[other]
                    if home < 0 or not low <= tree.first[other] < high:
                        continue
                    votes[home] = votes[home] + rows.weights[k] if counting else 0.0
                    if votes[home] > votes[best]:
                        best = home
        for leaf in tree.order[begin : begin + tree.size[stray]]:
            own[leaf] = best
    return own[: tree.order.size]
