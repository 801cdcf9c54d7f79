"""Structural entropy on the complete similarity graph, without storing it."""

from __future__ import annotations

from functools import cached_property

import numpy as np
from numpy.typing import ArrayLike, NDArray

from hypcse.entropy.volumes import node_volumes
from hypcse.kernels.losses.complete import complete_degrees, complete_row_sums
from hypcse.tree import Tree


class CompleteGraph:
    """The graph of all similarities exp(-d^2) between scaled points, the diagonal of ones included.

    Only the points and the degrees are stored: O(n d) memory; each entropy takes O(n^2 d) time on all threads.
    """

    def __init__(self, scaled: ArrayLike) -> None:
        self.points = np.asarray(scaled, dtype=np.float32)

    @cached_property
    def degrees(self) -> NDArray[np.float64]:
        """Row sums of the similarities."""
        return complete_degrees(np.ascontiguousarray(self.points.T))

    def entropy(self, tree: Tree) -> float:
        """Structural entropy of a tree over the points, loops counted as in the paper's tables."""
        n = len(self.points)
        if tree.n_leaves != n:
            raise ValueError(f"the tree has {tree.n_leaves} leaves, but there are {n} points.")
        bits = np.log2(node_volumes(tree, self.degrees))
        if n == 1:
            return float(-bits[0])
        order = tree.leaf_order()
        joins = bits[tree.lca(order[:-1], order[1:])]
        sums = complete_row_sums(np.ascontiguousarray(self.points[order].T), joins)
        return float((2 * sums.sum() - np.dot(self.degrees, bits[:n])) / self.degrees.sum())
