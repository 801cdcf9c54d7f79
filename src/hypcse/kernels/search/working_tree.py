"""A binary tree that can be changed, laid out for search."""

from __future__ import annotations

from typing import NamedTuple

import numba
import numpy as np

from hypcse.kernels.arrays import Flags, Ids, Reals, ShortIds
from hypcse.kernels.compile import helper, kernel, parallel_kernel

# Columns of `link`. MARK holds the number that the last survey wrote: a new survey needs no clearing.
PARENT, LEFT, RIGHT, MARK = 0, 1, 2, 3
# Columns of `value`: what the objective needs, and what a survey finds. A(v) is AMOUNT, g(v) GAIN_PHI; PASSING is
# weight (g - h), the price of going below a node; MEETING is the weight from S that meets a node of its old path.
MEASURE, PHI, WEIGHT, AMOUNT, COST, GAIN_PHI, PASSING, MEETING = 0, 1, 2, 3, 4, 5, 6, 7
# Entries of `counts`. N_STEPS is what the last survey walked, CREDIT what surveys may still walk in this sweep.
N_PATH, N_OFF_PATH, CLOCK, N_STEPS, CREDIT = 0, 1, 2, 3, 4


class Rows(NamedTuple):
    """The graph in compressed rows."""

    indptr: Ids
    indices: ShortIds
    weights: Reals


class WorkingTree(NamedTuple):
    """A binary tree that can be changed, leaves first, with scratch for pricing the places of one subtree.

    All that is known of a node lies side by side: two cache lines a node visited. `stale` marks the subtrees whose
    surroundings have changed since they were last offered a place.
    """

    link: ShortIds
    value: Reals
    path: ShortIds
    off_path: ShortIds
    stack: ShortIds
    stale: Flags
    counts: Ids


@helper
def phi_of(measure: float, logarithmic: bool) -> float:
    """log2 or the identity; 0 for an empty measure, which no weight meets."""
    if not logarithmic:
        return measure
    return np.log2(measure) if measure > 0 else 0.0


@kernel
def make_working_tree(parent: Ids, measure: Reals, weight: Reals, logarithmic: bool) -> WorkingTree:
    """A binary tree, children before parents, laid out to be changed."""
    n_nodes = parent.size
    link = np.full((n_nodes, 4), -1, np.int32)
    value = np.zeros((n_nodes, 8))
    for node in range(n_nodes):
        above = parent[node]
        link[node, PARENT], link[node, MARK] = above, 0
        if above >= 0:
            link[above, LEFT if link[above, LEFT] < 0 else RIGHT] = node
        value[node, MEASURE], value[node, WEIGHT] = measure[node], weight[node]
        value[node, PHI] = phi_of(measure[node], logarithmic)
    scratch = np.zeros((3, n_nodes), np.int32)
    stale = np.ones(n_nodes, np.bool_)
    return WorkingTree(link, value, scratch[0], scratch[1], scratch[2], stale, np.zeros(5, np.int64))


@parallel_kernel
def fill_rows(rows: Rows, order: Ids, position: Ids, indptr: Ids, indices: ShortIds, weights: Reals) -> None:
    """Write the rows of the vertices in `order`, whose new ids are `position`; row k begins at `indptr[k]`."""
    for k in numba.prange(order.size):
        begin = rows.indptr[order[k]]
        for e in range(rows.indptr[order[k] + 1] - begin):
            indices[indptr[k] + e] = position[rows.indices[begin + e]]
            weights[indptr[k] + e] = rows.weights[begin + e]


@kernel
def read_parents(tree: WorkingTree, n_leaves: int) -> tuple[Ids, Ids]:
    """Parents of the tree as it stands, and the number that each node has there: children come before parents."""
    n_nodes = tree.link.shape[0]
    top = 0
    while tree.link[top, PARENT] >= 0:
        top = tree.link[top, PARENT]
    number = np.arange(n_nodes)
    tree.stack[0] = top
    depth, next_id = 1, n_nodes - 1
    while depth > 0:
        depth -= 1
        node = tree.stack[depth]
        if node >= n_leaves:
            number[node] = next_id
            next_id -= 1
            tree.stack[depth], tree.stack[depth + 1] = tree.link[node, LEFT], tree.link[node, RIGHT]
            depth += 2
    parent = np.full(n_nodes, -1, np.int64)
    for node in range(n_nodes):
        if tree.link[node, PARENT] >= 0:
            parent[number[node]] = number[tree.link[node, PARENT]]
    return parent, number
