"""Cosine similarities of all pairs, never stored as a matrix."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from hypcse.tree import Tree


def unit_rows(X: NDArray[np.floating]) -> NDArray[np.float64]:
    """Scale columns to mean 0 and variance 1, then divide rows by their lengths; a row of zeros stays zero."""
    from hypcse.graph import scale_features

    rows = scale_features(X, "standard").astype(np.float64)
    lengths = np.linalg.norm(rows, axis=1, keepdims=True)
    return rows / np.where(lengths > 0, lengths, 1.0)


def cosine_dasgupta(tree: Tree, rows: NDArray[np.float64]) -> float:
    """Dasgupta's cost, 2 sum_{i<j} s_ij |leaves(i v j)|, on the complete graph with s_ij = (1 + <x_i, x_j>) / 2.

    The similarities are linear in each point, so those that meet at a node follow from the sums of the rows below it
    and below its children: O(n d), without looping over pairs.
    """
    sums = _subtree_rows(tree, rows)
    inside = _between_all(tree.sizes, sums)
    meeting = inside.copy()
    np.subtract.at(meeting, tree.parent[:-1], inside[:-1])
    meeting[: tree.n_leaves] = 0.0
    return float(np.dot(meeting, tree.sizes))


def _between_all(sizes: NDArray[np.int64], sums: NDArray[np.float64]) -> NDArray[np.float64]:
    """Sum of s over all ordered pairs of members, a member with itself included, of clusters of these sums."""
    return (np.square(sizes.astype(np.float64)) + np.einsum("ij,ij->i", sums, sums)) / 2


def _subtree_rows(tree: Tree, rows: NDArray[np.float64]) -> NDArray[np.float64]:
    """Sum of the rows of the leaves under each node, by differences of sums from left to right."""
    running = np.concatenate([np.zeros((1, rows.shape[1])), np.cumsum(rows[tree.leaf_order()], axis=0)])
    return running[tree.first_positions + tree.sizes] - running[tree.first_positions]
