"""Cuts between the clusters of a graph, and the sparsest of them."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from hypcse.graph import Graph

Ids = NDArray[np.int64]
Reals = NDArray[np.float64]

# Up to this many vertices all cuts are compared, 2^14 of them.
MAX_ENUMERATED = 15


def cuts_between(graph: Graph, labels: Ids) -> Reals:
    """Weight between each two clusters, (k, k), 0 on the diagonal."""
    k = int(labels.max()) + 1
    i, j, w = graph.edges()
    once = np.bincount(labels[i] * k + labels[j], w, minlength=k * k).reshape(k, k)
    between = (once + once.T).astype(np.float64)
    np.fill_diagonal(between, 0.0)
    return between


def recursive_cuts(weights: Reals, sizes: Reals, peel: bool = False) -> list[tuple[int, int]]:
    """Merges, from the bottom up, of the tree that cuts the vertices at the sparsest cut, and each side again.

    weights (k, k) : symmetric, 0 on the diagonal. sizes (k,) : positive.
    peel           : cut off the first vertex instead, as the published code does, which never keeps the best cut.

    The merge of two sides is named by the first vertex of each.
    """
    merges, stack = [], [np.arange(sizes.size)]
    while stack:
        own = stack.pop()
        if own.size < 2:
            continue
        side = own == own[0] if peel else sparsest_cut(weights[np.ix_(own, own)], sizes[own])
        left, right = own[side], own[~side]
        merges.append((int(left[0]), int(right[0])))
        stack += [right, left]
    return merges[::-1]


def sparsest_cut(weights: Reals, sizes: Reals) -> NDArray[np.bool_]:
    """One side of the cut (A, B), the one with vertex 0, that has the least cut(A, B) / (size A size B).

    All cuts up to 15 vertices; beyond, those along the Fiedler vector.

    >>> path = np.diag([5.0, 1.0, 5.0], 1)
    >>> sparsest_cut(path + path.T, np.ones(4)).tolist()
    [True, True, False, False]
    """
    k = sizes.size
    sides = _all_sides(k) if k <= MAX_ENUMERATED else _sweep_sides(weights)
    inside = sides.astype(np.float64)
    cut = ((inside @ weights) * (1 - inside)).sum(axis=1)
    size = inside @ sizes
    best = sides[int(np.argmin(cut / (size * (sizes.sum() - size))))]
    return best if best[0] else ~best


def _all_sides(k: int) -> NDArray[np.bool_]:
    """Marks of the side with vertex 0 of every cut, (2^(k - 1) - 1, k)."""
    codes = np.arange(2 ** (k - 1) - 1)
    return np.column_stack([np.ones(codes.size, np.bool_), (codes[:, None] >> np.arange(k - 1)) & 1 == 1])


def _sweep_sides(weights: Reals) -> NDArray[np.bool_]:
    """Marks of the first 1, 2, ... vertices along the second eigenvector of the normalised Laplacian."""
    degrees = weights.sum(axis=1)
    root = 1 / np.sqrt(np.where(degrees > 0, degrees, 1.0))
    laplacian = np.diag((degrees > 0).astype(np.float64)) - root[:, None] * weights * root
    order = np.argsort(np.linalg.eigh(laplacian)[1][:, 1] * root, kind="stable")
    place = np.argsort(order)
    return place[None] < np.arange(1, order.size)[:, None]
