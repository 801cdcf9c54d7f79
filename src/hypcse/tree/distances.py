"""Distances between the parts that a tree joins."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from hypcse._checks import check_features
from hypcse.kernels.trees.moments import add_column, mean_squares_between
from hypcse.kernels.trees.sweep import lift_heights, subtree_sums
from hypcse.tree.tree import Tree


def merge_distances(tree: Tree, X: NDArray[np.floating]) -> NDArray[np.float64]:
    """Root mean squared distance between the parts that each node joins, (n_nodes,), never decreasing upwards.

    The mean is over all pairs of leaves in different children, in the unscaled coordinates of X. It follows exactly
    from sizes, means and variances; a node below one of its children is lifted to it. Column by column: O(n d) time,
    O(n) memory besides X.

    >>> merge_distances(Tree.from_newick("((0,1),2);"), np.array([[0.0], [2.0], [5.0]])).round(3).tolist()
    [0.0, 0.0, 0.0, 2.0, 4.123]
    """
    features = check_features(X)
    if features.shape[0] != tree.n_leaves:
        raise ValueError(f"X has {features.shape[0]} rows, but the tree has {tree.n_leaves} leaves: one row per leaf.")
    return part_distances(tree, features, np.ones(tree.n_leaves), np.zeros(tree.n_leaves))


def part_distances(
    tree: Tree, means: NDArray[np.floating], sizes: NDArray[np.float64], squares: NDArray[np.float64]
) -> NDArray[np.float64]:
    """`merge_distances` if each leaf is a group: its number of points, their mean, and their squared distances from it.

    means : (n_leaves, d); sizes and squares, summed over the points of a leaf : (n_leaves,).
    """
    counts = subtree_sums(tree.parent, np.concatenate([sizes, np.zeros(tree.n_nodes - tree.n_leaves)]))
    between = np.zeros(tree.n_nodes)
    for column in range(means.shape[1]):
        values = means[:, column].astype(np.float64)
        add_column(tree.parent, counts, sizes * (values - values.mean()), between)
    mean_squares = mean_squares_between(tree.parent, counts, between, squares)
    return lift_heights(tree.parent, np.sqrt(mean_squares))
