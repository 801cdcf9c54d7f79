"""Dendrogram purity and Dasgupta's cost."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

from hypcse._checks import check_labels
from hypcse.entropy import lca_weights
from hypcse.graph import GraphLike
from hypcse.kernels.trees.comparison import purity_sum
from hypcse.tree import Tree


def dendrogram_purity(tree: Tree, labels: ArrayLike) -> float:
    """Mean purity of the lowest common ancestor over all pairs of leaves of one class, Eq. (29), between 0 and 1.

    Parameters
    ----------
    tree
        The tree.
    labels
        One per leaf: numbers, texts or other hashable values. None and NaN are unknown labels: the purity is then that
        of the tree over only the labeled leaves. The number -1 is a class like any other here.

    Returns
    -------
    float
        Between 0 and 1; NaN if no two leaves are of one class.

    Notes
    -----
    O(n log n) time, O(n) memory, for any number of classes.

    Examples
    --------
    >>> from hypcse import Tree
    >>> dendrogram_purity(Tree.from_linkage([[0, 1, 1, 2], [2, 3, 1, 2], [4, 5, 2, 4]]), ["a", "a", "b", "b"])
    1.0
    """
    codes = check_labels(labels, tree.n_leaves, allow_unknown=True)
    known = codes >= 0
    counts = np.bincount(codes[known]).astype(np.float64)
    n_pairs = float(np.sum(counts * (counts - 1) / 2))
    if n_pairs == 0:
        return float("nan")
    if not known.all():
        tree, codes = tree.prune(known), codes[known]
    return purity_sum(tree.ancestor_index, tree.sizes, codes[tree.leaf_order()], counts.size) / n_pairs


def dasgupta_cost(tree: Tree, graph: GraphLike) -> float:
    """Compute Dasgupta's cost, 2 sum_{i<j} W_ij |leaves(i v j)|: both directions of each edge, without loops.

    Parameters
    ----------
    tree
        The tree. Its leaf k is vertex k of the graph.
    graph
        A `Graph`, a networkx graph or a symmetric matrix, as for `structural_entropy`.

    Returns
    -------
    float
        Lower is better.

    Examples
    --------
    >>> from hypcse import Graph, Tree
    >>> dasgupta_cost(Tree.from_linkage([[0, 1, 1, 2], [2, 3, 2, 3]]), Graph.from_edges([0, 1], [1, 2]))
    10.0
    """
    return dasgupta_from_weights(tree, lca_weights(tree, graph))


def dasgupta_from_weights(tree: Tree, weights: NDArray[np.float64]) -> float:
    """`dasgupta_cost` from known `lca_weights`."""
    return float(2 * np.dot(weights, tree.sizes.astype(np.float64)))
