"""SpecWRSC: spectral clusters, joined by recursive sparsest cuts (Laenen, Manghiuc and Sun, ICML 2023)."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from hypcse._checks import check_count
from hypcse._random import generator
from hypcse.graph import Graph
from hypcse.methods.linkages import halved
from hypcse.methods.options import Clock, Inputs
from hypcse.paper.methods.spectrum import (
    Ids,
    Reals,
    leading_eigenpairs,
    mixed_eigenpairs,
    normalized_adjacency,
    spectral_clusters,
    tree_of_clusters,
)
from hypcse.tree import Tree

# Up to this many vertices all cuts are compared, 2^14 of them.
MAX_ENUMERATED = 15


def spec_wrsc(
    inputs: Inputs,
    *,
    n_clusters: int | None = None,
    released: bool = False,
    n_init: int = 10,
    max_seconds: float | None = None,
) -> Tree:
    """Clusters of the spectral embedding, joined by sparsest cuts and halved inside: docs/methods-comparison.md.

    `released` does what the published code does: never keeps the best cut, divides rows by roots of unweighted degrees,
    loops counted twice, and leaves eigenvectors of several components mixed.
    O(m k) per round of Lanczos' iteration, dense up to 2,000 vertices; O(2^k) cuts; memory O(n k + m).
    """
    graph, seed = inputs.graph, inputs.random_state
    if n_clusters is not None:
        check_count("n_clusters", n_clusters, 1, graph.n_vertices)
    check_count("n_init", n_init, 1)
    clock = Clock("spec-wrsc", inputs.callback, max_seconds)
    roots, eigenpairs = _inverse_roots(graph, released)[:, None], mixed_eigenpairs if released else leading_eigenpairs
    matrix = normalized_adjacency(graph)
    labels = spectral_clusters(matrix, n_clusters, lambda _, vectors: vectors * roots, n_init, seed, eigenpairs)
    return tree_of_clusters(
        graph,
        labels,
        lambda vertices: halved(_fiedler_order(graph, vertices, released, seed)),
        lambda weights, sizes: recursive_cuts(weights, sizes, released),
        clock,
    )


def _inverse_roots(graph: Graph, released: bool) -> Reals:
    """One over the root of the degree; 0 at a vertex that has none."""
    degrees = np.diff(graph.indptr) + 2.0 * (graph.self_weights > 0) if released else graph.degrees
    return np.where(degrees > 0, 1 / np.sqrt(np.where(degrees > 0, degrees, 1.0)), 0.0)


def _fiedler_order(graph: Graph, vertices: Ids, released: bool, random_state: int) -> Ids:
    """The vertices by the Fiedler vector of the graph among them, ties at random: row order could leak classes."""
    shuffled = generator(random_state, f"ties from vertex {vertices[0]}").permutation(vertices)
    inside, _ = graph.subgraph(shuffled)
    if released:
        return shuffled[_by_fiedler_vector(inside, True, random_state)]
    component = inside.components()
    order = []
    for label in np.argsort(-np.bincount(component), kind="stable"):
        own = np.flatnonzero(component == label)
        order.append(own[_by_fiedler_vector(inside.subgraph(own)[0], False, random_state)])
    return shuffled[np.concatenate(order)]


def _by_fiedler_vector(graph: Graph, released: bool, random_state: int) -> Ids:
    if graph.n_vertices <= 2:
        return np.arange(graph.n_vertices)
    _, vectors = mixed_eigenpairs(normalized_adjacency(graph), 2, random_state)
    return np.argsort(vectors[:, 1] * _inverse_roots(graph, released), kind="stable")


def recursive_cuts(weights: Reals, sizes: Reals, peel: bool = False) -> list[tuple[int, int]]:
    """Merges, from the bottom up, of the tree that cuts at the sparsest cut, and each side again.

    `peel` cuts off the first vertex instead. The merge of two sides is named by the first vertex of each.
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
    """Marks of the first 1, 2, ... vertices along the second eigenvector of the normalized Laplacian."""
    degrees = weights.sum(axis=1)
    root = 1 / np.sqrt(np.where(degrees > 0, degrees, 1.0))
    laplacian = np.diag((degrees > 0).astype(np.float64)) - root[:, None] * weights * root
    order = np.argsort(np.linalg.eigh(laplacian)[1][:, 1] * root, kind="stable")
    place = np.argsort(order)
    return place[None] < np.arange(1, order.size)[:, None]
