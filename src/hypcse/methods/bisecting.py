"""Bisecting k-means."""

from __future__ import annotations

import numpy as np

from hypcse._checks import check_count
from hypcse._random import generator
from hypcse.kernels.points.two_means import Bisection, Effort, bisect, start_bisection
from hypcse.kernels.trees.sweep import lift_heights
from hypcse.methods.assembly import split_parents
from hypcse.methods.inputs import Inputs
from hypcse.methods.progress import Clock
from hypcse.tree import Tree
from hypcse.tree.numbering import renumber

# Points processed, counted once per cluster, between two progress reports.
_PART = 10_000


def bisecting_kmeans(
    inputs: Inputs, *, n_init: int = 10, max_iter: int = 300, tol: float = 1e-4, max_seconds: float | None = None
) -> Tree:
    """Split all points in two by 2-means, and each part again, down to single points.

    2-means is the best of `n_init` runs of Lloyd's algorithm from k-means++; a run ends when no point changes its side,
    after `max_iter` rounds, or when the centres move by at most `tol` times the variance, as in scikit-learn.
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
    if len(X) == 1:
        return Tree.single()
    draw = generator(inputs.random_state, "bisecting k-means")
    # Copies are halved at random: data often come sorted by class, and the order of the rows would leak it.
    at = start_bisection(draw.permutation(len(X)))
    while at.status[0] > 0:
        bisect(X, at, draw, Effort(n_init, max_iter, tol), _PART)
        clock.tell("splits", int(at.status[1]), len(X) - 1)
    return _tree(at)


def _tree(at: Bisection) -> Tree:
    """The tree of a finished bisection; leaf k of its splits is the point order[k]."""
    n = at.order.size
    parent = split_parents(at.left_sizes)
    height = lift_heights(parent, np.concatenate([np.zeros(n), np.sqrt(at.spread[::-1])]))
    place = np.argsort(at.order)
    return Tree(*renumber(parent, height, np.concatenate([place, np.arange(n, 2 * n - 1)])))
