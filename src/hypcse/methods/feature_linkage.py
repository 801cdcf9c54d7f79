"""Agglomerative linkage on features, by the code that needs the least memory."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from hypcse._memory import check_memory
from hypcse.kernels.linkage.merges import number_merges
from hypcse.kernels.linkage.nearest_first import join_nearest, start_nearest_first
from hypcse.kernels.linkage.ward import cells_of, start_ward, ward_merges
from hypcse.methods.inputs import Inputs
from hypcse.methods.progress import Clock
from hypcse.tree import Tree

# Distances computed between two progress reports.
_PART = 20_000_000
# Up to this many points single linkage keeps SciPy's order of ties, which takes all pairs: a few seconds.
_MAX_PRIM = 20_000


def single(inputs: Inputs, *, max_seconds: float | None = None) -> Tree:
    """Single linkage; up to 20,000 points by Prim's algorithm, in SciPy's order of ties, in O(n^2 d) time.

    With more points it uses their minimum spanning tree, about O(n log n) if a k-d tree can prune; among equal
    distances the smaller ids then join first. Without equal distances both ways give the same tree. O(n d) memory.
    After `max_seconds` it raises TimeoutError.
    """
    clock = Clock("single-linkage", inputs.callback, max_seconds)
    X = np.ascontiguousarray(inputs.features)
    if len(X) < 2:
        return Tree.single()
    if len(X) > _MAX_PRIM:
        from hypcse.decode.reachability import reachability_tree

        # If a point counts as its own neighbour, every core distance is 0.
        return reachability_tree(X, 1, clock.tell).single_linkage()
    at = start_nearest_first(len(X))
    while at.status[0] < len(X) - 1:
        join_nearest(X, at, max(1, _PART // len(X)))
        clock.tell("merges", int(at.status[0]), len(X) - 1)
    return Tree.from_linkage(number_merges(at.order[:-1], at.order[1:], at.height))


def ward(inputs: Inputs, *, max_seconds: float | None = None) -> Tree:
    """Ward's method by nearest-neighbour chains of centroids, found by a k-d tree: O(n d) memory.

    SciPy and scikit-learn give the same tree up to ties, from all n^2 / 2 distances. Time is O(n^2 d) if the tree
    cannot prune, and far less on clustered data. After `max_seconds` it raises TimeoutError.
    """
    clock = Clock("ward", inputs.callback, max_seconds)
    X = inputs.features
    if len(X) < 2:
        return Tree.single()
    at = start_ward(X)
    while at.status[2] < len(X) - 1:
        # Centres have moved and clusters have merged: a new tree pays off once half of them are gone.
        cells, half = cells_of(at), int(at.status[0]) // 2
        while at.status[0] > half:
            ward_merges(at, cells, max(1, _PART // len(X)), half)
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
    # SciPy stores the condensed distances twice.
    way_out = "Use ward or single-linkage, which need O(n), or fewer points."
    check_memory(f"{method} linkage of {n} points", 8 * n * (n - 1), way_out)
    # SciPy would warn about a table that looks like distances.
    return Tree.from_linkage(linkage(pdist(X), method))
