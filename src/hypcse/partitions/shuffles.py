"""The entropy that a tree saves on a graph, and on shuffled graphs with the same degrees."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from hypcse.entropy import one_dimensional_entropy, structural_entropy
from hypcse.graph import Graph
from hypcse.graph.convert import with_edges
from hypcse.search.multilevel import multilevel_tree

MAX_DRAWS, MIN_DRAWS = 40, 3
MAX_DRAWN = 1_000_000
"""Largest number of edges of all draws together; larger graphs get fewer draws."""
ROUNDS = 3
"""How many times each edge is considered for an exchange."""
FITTINGS = 30
RESOLUTIONS = (0.0, 1.0)


def graph_savings(graph: Graph, rng: np.random.Generator) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Bits that a tree saves over the star of all vertices, as powers of two: on the graph, (1,), on shuffles, (k, 1).

    All trees are found by the same quick search, so that the data get no better tree than chance.
    """
    n_draws = int(np.clip(MAX_DRAWN // max(graph.n_edges, 1), MIN_DRAWS, MAX_DRAWS))
    found = [_saving(graph), *(_saving(shuffle_edges(graph, rng)) for _ in range(n_draws))]
    doublings = np.log2(np.maximum(found, 1e-12))[:, None]
    return doublings[0], doublings[1:]


def _saving(graph: Graph) -> float:
    trees = [multilevel_tree(graph, resolution) for resolution in RESOLUTIONS]
    return one_dimensional_entropy(graph) - min(structural_entropy(tree, graph) for tree in trees)


def shuffle_edges(graph: Graph, rng: np.random.Generator, rounds: int = ROUNDS) -> Graph:
    """The graph with its edges exchanged at random: every vertex keeps its number of edges, and about its degree.

    Edges (a, b) and (c, d) become (a, d) and (c, b), unless one of these is a loop or exists already. In each round all
    edges are paired at random. Weights are redistributed at random, then multiplied by one factor per vertex, until the
    degrees are close to what they were. O(m log m).
    """
    first, second, weights = graph.edges()
    i, j = first.astype(np.int64), second.astype(np.int64)
    half = i.size // 2
    for _ in range(rounds):
        order = rng.permutation(i.size)
        one, other = order[:half], order[half : 2 * half]
        turn = rng.random(half) < 0.5
        i[other], j[other] = np.where(turn, j[other], i[other]), np.where(turn, i[other], j[other])
        made = _keys(np.append(i[one], i[other]), np.append(j[other], j[one]), graph.n_vertices)
        _, back, times = np.unique(made, return_inverse=True, return_counts=True)
        free = (times[back] == 1) & ~np.isin(made, _keys(i, j, graph.n_vertices))
        free &= np.append(i[one] != j[other], i[other] != j[one])
        both = free[:half] & free[half:]
        one, other = one[both], other[both]
        j[one], j[other] = j[other], j[one]
    return with_edges(graph, i, j, _fit_degrees(i, j, rng.permutation(weights), graph.edge_degrees))


def _fit_degrees(
    i: NDArray[np.int64], j: NDArray[np.int64], weights: NDArray[np.float64], degrees: NDArray[np.float64]
) -> NDArray[np.float64]:
    """Weights of edges multiplied by one factor per vertex, so that they add up to about these degrees."""
    for _ in range(FITTINGS if weights.min() < weights.max() else 0):
        now = np.bincount(i, weights, degrees.size) + np.bincount(j, weights, degrees.size)
        factor = np.sqrt(np.divide(degrees, now, where=now > 0, out=np.ones_like(now)))
        weights = weights * factor[i] * factor[j]
    return weights


def _keys(i: NDArray[np.int64], j: NDArray[np.int64], n: int) -> NDArray[np.int64]:
    """One number for the edge between i and j, in either direction."""
    return np.minimum(i, j) * n + np.maximum(i, j)
