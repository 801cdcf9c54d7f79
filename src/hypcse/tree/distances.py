"""How far apart the parts are that a tree joins."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from hypcse._checks import check_features
from hypcse.kernels.trees.moments import add_column, mean_squares_between
from hypcse.kernels.trees.sweep import lift_heights
from hypcse.tree.tree import Tree


def merge_distances(tree: Tree, X: NDArray[np.floating]) -> NDArray[np.float64]:
    """Root mean squared distance between the parts that each node joins, (n_nodes,), never falling upwards.

    The mean runs over all pairs of leaves in different children, in the coordinates of X as they are. It follows
    exactly from sizes, means and variances; a node below one of its children is lifted to it. Column by column: O(n d)
    time, O(n) memory beside X.

    >>> merge_distances(Tree.from_newick("((0,1),2);"), np.array([[0.0], [2.0], [5.0]])).round(3).tolist()
    [0.0, 0.0, 0.0, 2.0, 4.123]
    """
    features = check_features(X)
    if features.shape[0] != tree.n_leaves:
        raise ValueError(f"X has {features.shape[0]} rows, but the tree has {tree.n_leaves} leaves: one row per leaf.")
    between = np.zeros(tree.n_nodes)
    for column in range(features.shape[1]):
        values = features[:, column].astype(np.float64)
        add_column(tree.parent, tree.sizes, values - values.mean(), between)
    return lift_heights(tree.parent, np.sqrt(mean_squares_between(tree.parent, tree.sizes, between)))
