"""Some nodes of a tree, and which of them lies above which: what names, words and markers are found for."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy import sparse

from hypcse._checks import check_count
from hypcse.tree.outline import outline
from hypcse.tree.tree import Tree


class Layer(NamedTuple):
    """Chosen nodes that have the same number of chosen nodes above them, so that no two share a leaf.

    node    : (k,) their ids.
    above   : (k,) where in the layer before each finds the nearest chosen node above it.
    members : (k, n_leaves) sparse, 1 where a leaf lies under a node.
    """

    node: NDArray[np.int64]
    above: NDArray[np.int64]
    members: sparse.csr_array


@dataclass(frozen=True, eq=False)
class Chosen:
    """The root and some nodes under it.

    node  : (k,) ids, a node after all chosen nodes above it; the root first.
    above : (k,) position in `node` of the nearest chosen node above, -1 at the root.
    depth : (k,) how many chosen nodes lie above.
    """

    tree: Tree
    node: NDArray[np.int64]
    above: NDArray[np.int64]
    depth: NDArray[np.int64]

    def layers(self) -> Iterator[Layer]:
        """The nodes by depth, the root alone first. Each layer is made when it is asked for: O(n_leaves) memory."""
        place = np.empty(self.node.size, np.int64)
        for depth in range(int(self.depth.max()) + 1):
            here = np.flatnonzero(self.depth == depth)
            place[here] = np.arange(here.size)
            above = place[self.above[here]] if depth else np.zeros(1, np.int64)
            yield Layer(self.node[here], above, self._members(self.node[here]))

    def _members(self, nodes: NDArray[np.int64]) -> sparse.csr_array:
        size = self.tree.sizes[nodes]
        ends = np.concatenate([[0], np.cumsum(size)])
        position = np.arange(ends[-1]) + np.repeat(self.tree.first_positions[nodes] - ends[:-1], size)
        leaves = self.tree.leaf_order()[position]
        # Small indices: those of a table that it is multiplied with are not copied then.
        parts = np.ones(leaves.size), leaves.astype(np.int32), ends.astype(np.int32)
        return sparse.csr_array(parts, shape=(nodes.size, self.tree.n_leaves))


def choose_nodes(tree: Tree, levels: Sequence[ArrayLike] | None = None, min_size: int = 1) -> Chosen:
    """The root, and the nodes of at least `min_size` leaves that the clusters of `levels` are; without levels, all.

    >>> tree = Tree.from_newick("(((0,1),(2,3)),(4,5));")
    >>> chosen = choose_nodes(tree, [[0, 0, 0, 0, 1, 1]])
    >>> [tree.leaves(node).tolist() for node in chosen.node]
    [[0, 1, 2, 3, 4, 5], [4, 5], [0, 1, 2, 3]]
    """
    marked = np.full(tree.n_nodes, not levels)
    for level in levels or ():
        labels = np.asarray(level, np.int64)
        if labels.shape != (tree.n_leaves,):
            raise ValueError(f"a level has shape {labels.shape} for {tree.n_leaves} leaves. Pass one label per leaf.")
        top = outline(tree, labels)
        marked[top.node[: top.tree.n_leaves]] = True
    marked &= tree.sizes >= check_count("min_size", min_size, 1)
    marked[tree.root] = True
    nodes = np.flatnonzero(marked)
    start, size = tree.first_positions[nodes], tree.sizes[nodes]
    order = np.lexsort([-nodes, -size, start])
    return Chosen(tree, nodes[order], *_enclosing(start[order], size[order]))


def _enclosing(start: NDArray[np.int64], size: NDArray[np.int64]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Of nested intervals, each after those that hold it, the innermost that holds it, and how many do."""
    above, depth = np.full(start.size, -1), np.zeros(start.size, np.int64)
    open_now: list[int] = []
    ends = (start + size).tolist()
    for k, first in enumerate(start.tolist()):
        while open_now and ends[open_now[-1]] <= first:
            open_now.pop()
        if open_now:
            above[k], depth[k] = open_now[-1], len(open_now)
        open_now.append(k)
    return above, depth
