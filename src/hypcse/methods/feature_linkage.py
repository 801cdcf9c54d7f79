"""Agglomerative linkage on features, by whichever code holds the least memory."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from hypcse._memory import check_memory
from hypcse.kernels.linkage.merges import number_merges
from hypcse.kernels.linkage.ward import ward_merges
from hypcse.tree import Tree


def single(X: NDArray[np.float64]) -> Tree:
    """Single linkage, in SciPy's order of ties, by scikit-learn: O(n^2 d) time, O(n) memory."""
    from sklearn.cluster import AgglomerativeClustering

    if len(X) < 2:
        return one_leaf()
    model = AgglomerativeClustering(n_clusters=None, distance_threshold=0, linkage="single").fit(X)
    return Tree.from_linkage(np.column_stack([np.sort(model.children_, axis=1), model.distances_]))


def ward(X: NDArray[np.float64]) -> Tree:
    """Ward's method by nearest-neighbour chains on centroids: O(n^2 d) time, O(n d) memory.

    SciPy and scikit-learn give the same tree up to ties, from all n^2 / 2 distances.
    """
    if len(X) < 2:
        return one_leaf()
    return Tree.from_linkage(number_merges(*ward_merges(np.ascontiguousarray(X))))


def average(X: NDArray[np.float64]) -> Tree:
    """Average linkage (UPGMA) by SciPy: O(n^2) time and memory."""
    return _from_all_distances(X, "average")


def complete(X: NDArray[np.float64]) -> Tree:
    """Complete linkage by SciPy: O(n^2) time and memory."""
    return _from_all_distances(X, "complete")


def one_leaf() -> Tree:
    """The tree of a single point."""
    return Tree(np.array([-1]), np.zeros(1))


def _from_all_distances(X: NDArray[np.float64], method: str) -> Tree:
    from scipy.cluster.hierarchy import linkage

    n = len(X)
    if n < 2:
        return one_leaf()
    # SciPy holds the condensed distances twice.
    way_out = "Use ward or single-linkage, which need O(n), or fewer points."
    check_memory(f"{method} linkage of {n} points", 8 * n * (n - 1), way_out)
    return Tree.from_linkage(linkage(X, method))
