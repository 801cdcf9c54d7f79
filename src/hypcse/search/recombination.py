"""The best of two trees: each cluster that both have is divided as in the one where that is cheaper."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from hypcse.kernels.trees.sweep import inherit_values, layout, subtree_minima


class Division(NamedTuple):
    """A binary tree with children before parents, and what each node adds to the objective, up to a factor."""

    parent: NDArray[np.int64]
    terms: NDArray[np.float64]


def recombine(one: Division, other: Division) -> Division:
    """A tree from the pieces of two, with an objective no higher than that of either.

    Clusters of both trees divide them into the same pieces: a piece is what lies below one shared cluster and not below
    a smaller one. The terms of a node depend only on the leaves under it and under its children, so that each piece is
    taken from the tree in which its terms sum to less. O(n log n).
    """
    n_nodes = one.parent.size
    n = (n_nodes + 1) // 2
    (size, start), (other_size, _) = layout(one.parent, n), layout(other.parent, n)
    # A cluster of the other tree can be one of this tree only if its leaves stand side by side in it.
    first, last = subtree_minima(other.parent, start[:n]), -subtree_minima(other.parent, -start[:n])
    keys = np.where(last - first + 1 == other_size, first * (n + 1) + other_size, -1)
    _, shared, other_shared = np.intersect1d(start * (n + 1) + size, keys, return_indices=True)
    # From here on both trees stand side by side, nodes of the other from `n_nodes` on.
    pieces, cost = np.full(2 * n_nodes, -1), np.empty((2, n_nodes))
    pieces[shared] = pieces[n_nodes + other_shared] = shared
    for k, side in enumerate((one, other)):
        own = slice(k * n_nodes, (k + 1) * n_nodes)
        pieces[own] = inherit_values(side.parent, pieces[own])
        cost[k] = np.bincount(pieces[own], side.terms, n_nodes)
    # Rounding does not choose between equal pieces.
    is_other = cost[1] < cost[0] - 1e-9 * np.abs(cost[0])
    taken = is_other[pieces] == (np.arange(2 * n_nodes) >= n_nodes)
    # A shared cluster has one number in both.
    number = np.arange(2 * n_nodes)
    number[n_nodes + other_shared] = shared
    parent, terms = np.full(2 * n_nodes, -2), np.zeros(2 * n_nodes)
    terms[number[taken]] = np.concatenate([one.terms, other.terms])[taken]
    parents = np.concatenate([one.parent, np.append(n_nodes + other.parent[:-1], -1)])
    below = np.flatnonzero((parents >= 0) & taken[parents])
    parent[number[below]] = number[parents[below]]
    parent[n_nodes - 1] = -1
    # Smaller nodes first, so that children precede their parents.
    used = np.flatnonzero(parent != -2)
    order = used[np.argsort(np.append(size, other_size)[used], kind="stable")]
    number[order] = np.arange(order.size)
    return Division(np.append(number[parent[order[:-1]]], -1), terms[order])
