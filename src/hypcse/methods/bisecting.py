"""Bisecting k-means, and trees of halves."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from hypcse._checks import check_count
from hypcse._random import generator
from hypcse.kernels.linkage.merges import merge_parents
from hypcse.kernels.points.two_means import Bisection, Effort, bisect, start_bisection
from hypcse.kernels.trees.sweep import lift_heights
from hypcse.methods.options import Clock, Inputs
from hypcse.tree import Tree

# Points processed, counted once per cluster, between two progress reports.
_PART = 10_000


def bisecting_kmeans(
    inputs: Inputs, *, n_init: int = 10, max_iter: int = 300, tol: float = 1e-4, max_seconds: float | None = None
) -> Tree:
    """Split all points in two by 2-means, and each part again, down to single points.

    2-means is the best of `n_init` runs of Lloyd's algorithm from k-means++; a run ends when no point changes its side,
    after `max_iter` rounds, or when the centers move by at most `tol` times the variance, as in scikit-learn.
    Copies of one point are halved. The height of a node is the root of the sum of squared distances to its mean,
    which never decreases upwards.

    The order of splitting does not matter: the tree is complete. scikit-learn's `BisectingKMeans` stops before copies
    are separated, and does not expose its tree. O(n d) memory; O(n d) time per round of a run and level of the tree.
    Pen-digits, 10,992 points: about 1 s on one core. After `max_seconds` it raises TimeoutError.
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
        bisect(X, at, draw, Effort(n_init, max_iter, tol), _PART)
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
