"""Methods on features: linkages, HDBSCAN and bisecting k-means; and linkages on a graph."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from hypcse._checks import check_count
from hypcse._choices import Linkage
from hypcse._memory import check_memory
from hypcse._random import generator
from hypcse.kernels.linkage.merges import merge_parents, number_merges
from hypcse.kernels.linkage.single import join_nearest, start_nearest_first
from hypcse.kernels.linkage.ward import cells_of, start_ward, ward_merges
from hypcse.kernels.points.two_means import Bisection, Effort, bisect, start_bisection
from hypcse.kernels.trees.sweep import lift_heights
from hypcse.methods.options import Clock, Inputs
from hypcse.search import graph_linkage
from hypcse.search.linkage import link_by_entropy
from hypcse.search.spanning import reachability_tree
from hypcse.tree import Tree

# Distances computed between two progress reports.
_PART = 20_000_000
# Points bisected, counted once per cluster, between two progress reports.
_POINTS = 10_000
# Up to this many points single linkage keeps SciPy's order of ties, which takes all pairs: a few seconds.
_MAX_PRIM = 20_000


def single(inputs: Inputs, *, max_seconds: float | None = None) -> Tree:
    """Single linkage; up to 20,000 points by Prim's algorithm, in SciPy's order of ties, in O(n^2 d) time.

    With more points by their minimum spanning tree, about O(n log n) if a k-d tree can prune; ties go to the smaller
    ids. O(n d) memory. After `max_seconds` it raises TimeoutError.
    """
    clock = Clock("single-linkage", inputs.callback, max_seconds)
    X = np.ascontiguousarray(inputs.features)
    if len(X) > _MAX_PRIM:
        # If a point counts as its own neighbor, every core distance is 0.
        return reachability_tree(X, 1, clock.check).single_linkage()
    at = start_nearest_first(len(X))
    while at.status[0] < len(X) - 1:
        join_nearest(X, at, max(1, _PART // len(X)))
        clock.check("merges", int(at.status[0]), len(X) - 1)
    return Tree.from_linkage(number_merges(at.order[:-1], at.order[1:], at.height), unit="distance")


def ward(inputs: Inputs, *, max_seconds: float | None = None) -> Tree:
    """Ward's method by nearest-neighbor chains of centroids, found by a k-d tree: O(n d) memory.

    SciPy and scikit-learn give the same tree up to ties, from all n^2 / 2 distances. Time is O(n^2 d) if the tree
    cannot prune, and far less on clustered data. After `max_seconds` it raises TimeoutError.
    """
    clock = Clock("ward", inputs.callback, max_seconds)
    X = inputs.features
    at = start_ward(X)
    while at.status[2] < len(X) - 1:
        # Centers have moved and clusters have merged: a new tree pays off once half of them are gone.
        cells, half = cells_of(at), int(at.status[0]) // 2
        while at.status[0] > half:
            ward_merges(at, cells, max(1, _PART // len(X)), half)
            clock.check("merges", int(at.status[2]), len(X) - 1)
    return Tree.from_linkage(number_merges(at.first, at.second, at.height), unit="distance")


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
    # SciPy stores the condensed distances twice.
    way_out = "Use ward or single-linkage, which need O(n), or fewer points."
    check_memory(f"{method} linkage of {n} points", 8 * n * (n - 1), way_out)
    # SciPy would warn about a table that looks like distances.
    return Tree.from_linkage(linkage(pdist(X), method), unit="distance")


def hdbscan(inputs: Inputs, *, min_samples: int = 5, max_seconds: float | None = None) -> Tree:
    """The full binary tree of HDBSCAN, before anything is condensed or labeled: single linkage of

        max(core_i, core_j, |x_i - x_j|),

    where core_i is the distance to the `min_samples`-th nearest point, counting i itself as the first, as in
    scikit-learn; the hdbscan package's equivalent setting is one less. There is no option `min_cluster_size`: it only
    affects the condensed tree. Ties go to the closer pair, then to the smaller ids. O(n d) memory; in many dimensions,
    where the k-d tree cannot prune, O(n^2 d) time. After `max_seconds` it raises TimeoutError.
    """
    check_count("min_samples", min_samples, 1)
    clock = Clock("hdbscan", inputs.callback, max_seconds)
    return reachability_tree(np.ascontiguousarray(inputs.features), min_samples, clock.check).single_linkage()


def graph_average(inputs: Inputs, *, join: bool = True) -> Tree:
    """Average linkage on the graph; components are joined by the features, unless join=False."""
    return _linked(inputs, "average", join)


def graph_paris(inputs: Inputs, *, join: bool = True) -> Tree:
    """Paris linkage on the graph; components are joined by the features, unless join=False."""
    return _linked(inputs, "paris", join)


def hcse(inputs: Inputs, *, join: bool = False, max_seconds: float | None = None) -> Tree:
    """The stretching operator of HCSE, as in the paper's tables; with `join`, components are joined by the features."""
    clock = Clock("hcse", inputs.callback, max_seconds)
    tree = link_by_entropy(inputs.graph, lambda done, total: clock.check("merges", done, total))
    return inputs.joined(tree) if join else tree


def _linked(inputs: Inputs, method: Linkage, join: bool) -> Tree:
    tree = graph_linkage(inputs.graph, method)
    return inputs.joined(tree) if join else tree


def bisecting_kmeans(
    inputs: Inputs, *, n_init: int = 10, max_iter: int = 300, tol: float = 1e-4, max_seconds: float | None = None
) -> Tree:
    """Split all points in two by 2-means, and each part again, down to single points.

    2-means is the best of `n_init` runs of Lloyd's algorithm from k-means++; a run ends when no point changes its side,
    after `max_iter` rounds, or when the centers move by at most `tol` times the variance, as in scikit-learn.
    Copies of one point are halved. The height of a node is the root of the sum of squared distances to its mean.
    O(n d) memory; O(n d) time per round of a run and level of the tree. After `max_seconds` it raises TimeoutError.
    """
    check_count("n_init", n_init, 1)
    check_count("max_iter", max_iter, 1)
    if not tol >= 0:
        raise ValueError(f"tol={tol} must be at least 0.")
    clock = Clock("bisecting-kmeans", inputs.callback, max_seconds)
    X = np.ascontiguousarray(inputs.features)
    draw = generator(inputs.random_state, "bisecting k-means")
    # Copies are halved at random: data often come sorted by class, and the order of the rows would leak it.
    at = start_bisection(draw.permutation(len(X)))
    while at.status[0] > 0:
        bisect(X, at, draw, Effort(n_init, max_iter, tol), _POINTS)
        clock.check("splits", int(at.status[1]), len(X) - 1)
    return _tree(at)


def _tree(at: Bisection) -> Tree:
    """The tree of a finished bisection, from its splits in pre-order: each cuts a run of the order."""
    begins, stack = [], [(0, at.order.size)]
    for left in at.left_sizes.tolist():
        begin, size = stack.pop()
        begins.append(begin)
        stack += [run for run in ((begin + left, size - left), (begin, left)) if run[1] > 1]
    first = np.array(begins[::-1])
    parent = merge_parents(at.order[first], at.order[first + at.left_sizes[::-1]], at.order.size)
    return Tree(parent, lift_heights(parent, np.concatenate([np.zeros(at.order.size), np.sqrt(at.spread[::-1])])))


def halved(order: NDArray[np.int64]) -> list[tuple[int, int]]:
    """Merges, from the bottom up, of the tree that halves points in an order repeatedly, the larger half last."""
    merges, stack = [], [order]
    while stack:
        run = stack.pop()
        if run.size > 1:
            half = run.size // 2
            merges.append((int(run[0]), int(run[half])))
            stack += [run[half:], run[:half]]
    return merges[::-1]
