"""Agglomerative linkage on features, by whichever code holds the least memory."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from hypcse._memory import check_memory
from hypcse.kernels.linkage.merges import number_merges
from hypcse.kernels.linkage.nearest_first import join_nearest, start_nearest_first
from hypcse.kernels.linkage.ward import start_ward, ward_merges
from hypcse.methods.inputs import Inputs
from hypcse.methods.progress import Clock
from hypcse.tree import Tree

# Distances computed between two reports of progress.
_PART = 20_000_000


def single(inputs: Inputs, *, max_seconds: float | None = None) -> Tree:
    """Single linkage by Prim's algorithm, in SciPy's order of ties: O(n^2 d) time, O(n d) memory.

    Past `max_seconds` it raises TimeoutError.
    """
    clock = Clock("single-linkage", inputs.callback, max_seconds)
    X = np.ascontiguousarray(inputs.features)
    if len(X) < 2:
        return Tree.single()
    at = start_nearest_first(len(X))
    while at.status[0] < len(X) - 1:
        join_nearest(X, at, max(1, _PART // len(X)))
        clock.tell("merges", int(at.status[0]), len(X) - 1)
    return Tree.from_linkage(number_merges(at.order[:-1], at.order[1:], at.height))


def ward(inputs: Inputs, *, max_seconds: float | None = None) -> Tree:
    """Ward's method by nearest-neighbour chains on centroids: O(n^2 d) time, O(n d) memory.

    SciPy and scikit-learn give the same tree up to ties, from all n^2 / 2 distances. Past `max_seconds` it raises
    TimeoutError.
    """
    clock = Clock("ward", inputs.callback, max_seconds)
    X = inputs.features
    if len(X) < 2:
        return Tree.single()
    at = start_ward(X)
    while at.status[2] < len(X) - 1:
        ward_merges(at, max(1, _PART // len(X)))
        clock.tell("merges", int(at.status[2]), len(X) - 1)
    return Tree.from_linkage(number_merges(at.first, at.second, at.height))


def average(inputs: Inputs) -> Tree:
    """Average linkage (UPGMA) by SciPy: O(n^2) time and memory."""
    return _from_all_distances(inputs.features, "average")


def complete(inputs: Inputs) -> Tree:
    """Complete linkage by SciPy: O(n^2) time and memory."""
    return _from_all_distances(inputs.features, "complete")


def _from_all_distances(X: NDArray[np.float64], method: str) -> Tree:
    from scipy.cluster.hierarchy import linkage
    from scipy.spatial.distance import pdist

    n = len(X)
    if n < 2:
        return Tree.single()
    # SciPy holds the condensed distances twice.
    way_out = "Use ward or single-linkage, which need O(n), or fewer points."
    check_memory(f"{method} linkage of {n} points", 8 * n * (n - 1), way_out)
    # Of the table itself SciPy warns where it looks like distances.
    return Tree.from_linkage(linkage(pdist(X), method))
