"""A binary tree that can be changed, laid out for search; and disjoint subtrees of it, searched by themselves.

A move inside a subtree changes nothing above it, so its own nodes and the edges inside are all that a search needs.
Positions as `start_search` gives them make a part three ranges: of leaves, of inner nodes, and of rows.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numba
import numpy as np
from numpy.typing import NDArray

from hypcse.kernels.arrays import Flags, Ids, Reals, ShortIds
from hypcse.kernels.compile import helper, kernel, parallel_kernel

# What is known of a node: two cache lines a visit. `mark` is the number that the last survey wrote: a new one needs no
# clearing. Then what the objective needs, and what a survey finds: A(v) is `amount`, g(v) `gain_phi`; `passing` is
# weight (g - h), the price of going below a node; `meeting` is the weight from S that meets a node of its old path.
LINK = np.dtype([(name, np.int32) for name in ("parent", "left", "right", "mark")])
VALUE = np.dtype(
    [(name, np.float64) for name in ("measure", "phi", "weight", "amount", "cost", "gain_phi", "passing", "meeting")]
)
# What the last survey listed and walked, the number of surveys, and the steps that they may still walk in this sweep.
COUNTS = np.dtype([(name, np.int64) for name in ("n_path", "n_off_path", "clock", "n_steps", "credit")])
Records = NDArray[Any]


class Rows(NamedTuple):
    """The graph in compressed rows."""

    indptr: Ids
    indices: ShortIds
    weights: Reals


class WorkingTree(NamedTuple):
    """A binary tree that can be changed, leaves first, with scratch for pricing the places of one subtree.

    `stale` marks the subtrees whose surroundings have changed since they were last offered a place.
    """

    link: Records
    value: Records
    path: ShortIds
    off_path: ShortIds
    stack: ShortIds
    stale: Flags
    counts: Records


@helper
def phi_of(measure: float, logarithmic: bool) -> float:
    """log2 or the identity; 0 for an empty measure, which no weight meets."""
    if not logarithmic:
        return measure
    return np.log2(measure) if measure > 0 else 0.0


@kernel
def make_working_tree(parent: Ids, measure: Reals, weight: Reals, logarithmic: bool) -> WorkingTree:
    """A binary tree, children before parents, laid out to be changed."""
    tree = _room(parent.size)
    for node in range(parent.size):
        above = parent[node]
        tree.link[node].parent = above
        if above >= 0:
            if tree.link[above].left < 0:
                tree.link[above].left = node
            else:
                tree.link[above].right = node
        tree.value[node].measure, tree.value[node].weight = measure[node], weight[node]
        tree.value[node].phi = phi_of(measure[node], logarithmic)
    return tree


@helper
def _room(n_nodes: int) -> WorkingTree:
    """Nodes that nothing joins yet."""
    link, value, counts = np.zeros(n_nodes, LINK), np.zeros(n_nodes, VALUE), np.zeros(1, COUNTS)
    for node in range(n_nodes):
        link[node].parent = link[node].left = link[node].right = -1
    scratch, stale = np.zeros((3, n_nodes), np.int32), np.ones(n_nodes, np.bool_)
    return WorkingTree(link, value, scratch[0], scratch[1], scratch[2], stale, counts)


@parallel_kernel
def fill_rows(rows: Rows, order: Ids, position: Ids, indptr: Ids, indices: ShortIds, weights: Reals) -> None:
    """Write the rows of the vertices in `order`, whose new ids are `position`; row k begins at `indptr[k]`."""
    for k in numba.prange(order.size):
        begin = rows.indptr[order[k]]
        for e in range(rows.indptr[order[k] + 1] - begin):
            indices[indptr[k] + e] = position[rows.indices[begin + e]]
            weights[indptr[k] + e] = rows.weights[begin + e]


@helper
def hang(tree: WorkingTree, above: int, old: int, new: int) -> None:
    """Put `new` where `old` hangs; -1 above means that it becomes the root."""
    tree.link[new].parent = above
    if above >= 0:
        if tree.link[above].right == old:
            tree.link[above].right = new
        else:
            tree.link[above].left = new


@kernel
def read_parents(tree: WorkingTree, n_leaves: int) -> tuple[Ids, Ids]:
    """Parents of the tree as it stands, and the number that each node has there: children come before parents."""
    n_nodes = tree.link.shape[0]
    top = 0
    while tree.link[top].parent >= 0:
        top = tree.link[top].parent
    number = np.arange(n_nodes)
    tree.stack[0] = top
    depth, next_id = 1, n_nodes - 1
    while depth > 0:
        depth -= 1
        node = tree.stack[depth]
        if node >= n_leaves:
            number[node] = next_id
            next_id -= 1
            tree.stack[depth], tree.stack[depth + 1] = tree.link[node].left, tree.link[node].right
            depth += 2
    parent = np.full(n_nodes, -1, np.int64)
    for node in range(n_nodes):
        if tree.link[node].parent >= 0:
            parent[number[node]] = number[tree.link[node].parent]
    return parent, number


@kernel
def list_parts(tree: WorkingTree, n_leaves: int, largest: int) -> Ids:
    """First leaf, number of leaves, first inner node of the maximal subtrees of 2 to `largest` leaves, as laid out."""
    n_nodes = tree.link.shape[0]
    size, first = np.zeros(n_nodes, np.int64), np.arange(n_nodes)
    for node in range(n_nodes):
        if node < n_leaves:
            size[node] = 1
        else:
            size[node] = size[tree.link[node].left] + size[tree.link[node].right]
            first[node] = first[tree.link[node].left]
    parts = np.empty((n_leaves // 2, 3), np.int64)
    n_parts = 0
    for node in range(n_leaves, n_nodes):
        above = tree.link[node].parent
        if size[node] <= largest and (above < 0 or size[above] > largest):
            parts[n_parts, 0], parts[n_parts, 1] = first[node], size[node]
            # Its inner nodes stand side by side, itself the last.
            parts[n_parts, 2] = node - size[node] + 2
            n_parts += 1
    return parts[:n_parts].copy()


@kernel
def take_part(tree: WorkingTree, rows: Rows, first: int, size: int, inner: int) -> tuple[WorkingTree, Rows]:
    """A part as a tree of its own, leaves first, and the edges inside it."""
    n_leaves, part = rows.indptr.size - 1, _room(2 * size - 1)
    for node in range(2 * size - 1):
        known = _known_as(node, first, size, inner)
        part.value[node], part.stale[node] = tree.value[known], tree.stale[known]
        if node >= size:
            left, right = tree.link[known].left, tree.link[known].right
            part.link[node].left = left - first if left < n_leaves else left - inner + size
            part.link[node].right = right - first if right < n_leaves else right - inner + size
            part.link[part.link[node].left].parent = part.link[part.link[node].right].parent = node
    return part, _rows_inside(rows, first, size)


@kernel
def put_part(tree: WorkingTree, rows: Rows, part: WorkingTree, first: int, size: int, inner: int) -> None:
    """Write a part back where it was taken from.

    What was not offered a place stays stale, and so do subtrees with an edge that leaves: a part cannot judge them.
    """
    # Where it was laid out, the root is the last; a search of the same part before may have put another node on top.
    root = inner + size - 2
    while inner <= tree.link[root].parent < inner + size - 1:
        root = tree.link[root].parent
    above = tree.link[root].parent
    for node in range(2 * size - 1):
        known = _known_as(node, first, size, inner)
        tree.stale[known] = False
        tree.value[known] = part.value[node]
        if part.link[node].parent < 0:
            hang(tree, above, root, known)
        else:
            tree.link[known].parent = _known_as(part.link[node].parent, first, size, inner)
        if node >= size:
            tree.link[known].left = _known_as(part.link[node].left, first, size, inner)
            tree.link[known].right = _known_as(part.link[node].right, first, size, inner)
    for leaf in range(first, first + size):
        for e in range(rows.indptr[leaf], rows.indptr[leaf + 1]):
            if not first <= rows.indices[e] < first + size:
                node = leaf
                while node != above and not tree.stale[node]:
                    tree.stale[node] = True
                    node = tree.link[node].parent
                break
    # Last: the ways up end at what is stale already.
    for node in range(2 * size - 1):
        tree.stale[_known_as(node, first, size, inner)] |= part.stale[node]


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
