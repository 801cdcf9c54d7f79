"""Dendrogram purity, Dasgupta's cost, and all scores as one row."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

from hypcse._checks import check_labels
from hypcse.entropy import SelfLoops, entropy_from_weights, graph_over, lca_weights
from hypcse.graph import GraphLike
from hypcse.kernels.trees.purity import purity_sum
from hypcse.tree import Tree


def dendrogram_purity(tree: Tree, labels: ArrayLike) -> float:
    """Mean purity of the LCA over all unordered pairs of leaves of one class, Eq. (29), between 0 and 1.

    labels : one per leaf: numbers, texts or other hashable values. None and NaN are unknown labels: the purity is that
             of the tree over the labelled leaves alone. The number -1 is a class like any other here.

    O(n log n) time, O(n) memory, for any number of classes. Labels without a single pair give NaN.

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
    """Dasgupta's cost, 2 sum_{i<j} W_ij |leaves(i v j)|: both directions of each edge, loops left out.

    >>> from hypcse import Graph, Tree
    >>> dasgupta_cost(Tree.from_linkage([[0, 1, 1, 2], [2, 3, 2, 3]]), Graph.from_edges([0, 1], [1, 2]))
    10.0
    """
    return _dasgupta(tree, lca_weights(tree, graph))


def score(
    tree: Tree,
    *,
    graph: GraphLike | None = None,
    labels: ArrayLike | None = None,
    self_loops: SelfLoops = "paper",
) -> dict[str, float]:
    """All scores that the given parts allow, as one row.

    With labels, of which None and NaN are unknown: `dendrogram_purity`, over the labelled leaves alone. With a graph (a
    `Graph`, a networkx graph or a symmetric matrix): `structural_entropy` and `dasgupta_cost`.

    `self_loops` is that of `structural_entropy`. `entropy_report` counts loops by "exact" and has the number that this
    gives by default as `paper_entropy`.
    """
    if graph is None and labels is None:
        raise ValueError("score needs a graph, labels or both: score(tree, graph=g, labels=y).")
    row: dict[str, float] = {}
    if labels is not None:
        row["dendrogram_purity"] = dendrogram_purity(tree, labels)
    if graph is not None:
        graph = graph_over(tree, graph)
        weights = lca_weights(tree, graph)
        row["structural_entropy"] = entropy_from_weights(tree, graph, weights, self_loops)
        row["dasgupta_cost"] = _dasgupta(tree, weights)
    return row


def _dasgupta(tree: Tree, weights: NDArray[np.float64]) -> float:
    return float(2 * np.dot(weights, tree.sizes.astype(np.float64)))
